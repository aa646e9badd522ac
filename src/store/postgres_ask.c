/*
 * postgres_ask.c: statements and transactions (see postgres_private.h).
 *
 * Statements are prepared when they are first needed, on each connection.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/log.h"
#include "store/postgres_exchange.h"

/* A transaction that conflicts with another one is retried.  After this many attempts the
 * contention is reported as an error. */
#define TRIES_MAX 5

static const char *postgres_ask_name_of(char name[16], enum postgres_statement id)
{
	snprintf(name, 16, "s%d", (int)id);
	return name;
}

static int postgres_ask_prepare(struct postgres *postgres, enum postgres_statement id,
				const char *what)
{
	PGresult *result;
	char name[16];
	int err;

	if (postgres->prepared[id])
		return 0;
	err = postgres_answer_of(&result, postgres,
				 PQsendPrepare(postgres->db, postgres_ask_name_of(name, id),
					       postgres_statements[id].sql, 0, NULL),
				 POSTGRES_STATEMENT_MS, what);
	if (err)
		return err;
	if (!postgres_is_good(result))
		err = postgres_failed(result, what);
	PQclear(result);
	postgres->prepared[id] = !err;
	return err;
}

static int postgres_ask_prepared(PGresult **resultp, struct postgres *postgres,
				 enum postgres_statement id, const struct postgres_values *values,
				 const char *what)
{
	char name[16];
	int err = postgres_ask_prepare(postgres, id, what);

	if (err)
		return err;
	return postgres_answer_of(resultp, postgres,
				  PQsendQueryPrepared(postgres->db, postgres_ask_name_of(name, id),
						      values->count, values->values,
						      values->lengths, values->formats, 0),
				  POSTGRES_STATEMENT_MS, what);
}

static int postgres_ask_report(PGresult **resultp, struct postgres *postgres,
			       enum postgres_statement id, const struct postgres_values *values,
			       const char *what)
{
	int err = postgres_execute_now(postgres, "SET statement_timeout TO 60000",
				       POSTGRES_STATEMENT_MS, what, NULL);
	int late;

	if (err)
		return err;
	err = postgres_answer_of(resultp, postgres,
				 PQsendQueryParams(postgres->db, postgres_statements[id].sql,
						   values->count, NULL, values->values,
						   values->lengths, values->formats, 0),
				 POSTGRES_REPORT_MS, what);
	if (err)
		return err;
	late = postgres_execute_now(postgres, "SET statement_timeout TO 5000",
				    POSTGRES_STATEMENT_MS, what, NULL);
	if (late)
		PQclear(*resultp);
	return late;
}

static const struct postgres_values postgres_ask_nothing;

static int postgres_ask_once(PGresult **resultp, struct postgres *postgres,
			     enum postgres_statement id, const struct postgres_values *values,
			     const char *what)
{
	if (!values)
		values = &postgres_ask_nothing;
	if (postgres_statements[id].is_report)
		return postgres_ask_report(resultp, postgres, id, values, what);
	return postgres_ask_prepared(resultp, postgres, id, values, what);
}

static int postgres_ask_ask(PGresult **resultp, struct postgres *postgres,
			    enum postgres_statement id, const struct postgres_values *values,
			    const char *what)
{
	int err = postgres_be_connected(postgres);

	for (int i = 0; !err; ++i) {
		err = postgres_ask_once(resultp, postgres, id, values, what);
		if (err || postgres_is_good(*resultp))
			return err;
		err = postgres_failed(*resultp, what);
		PQclear(*resultp);
		if (err == EAGAIN && !postgres->in_transaction && i + 1 < TRIES_MAX)
			err = 0;
	}
	if (err == EAGAIN && !postgres->in_transaction) {
		log_error("store", "%s: too many conflicts with other transactions", what);
		err = EBUSY;
	}
	return err;
}

static void postgres_ask_read_answer(struct postgres_answer *answer, const PGresult *result)
{
	*answer = (struct postgres_answer){
		.changed = strtoll(PQcmdTuples((PGresult *)(uintptr_t)result), NULL, 10),
	};
	if (PQresultStatus(result) == PGRES_TUPLES_OK && PQntuples(result) > 0) {
		answer->has_row = true;
		answer->number = strtoll(PQgetvalue(result, 0, 0), NULL, 10);
	}
}

int postgres_run(struct postgres *postgres, enum postgres_statement id,
		 const struct postgres_values *values, const char *what,
		 struct postgres_answer *answer)
{
	PGresult *result;
	int err = postgres_ask_ask(&result, postgres, id, values, what);

	*answer = (struct postgres_answer){.changed = 0};
	if (err)
		return err;
	postgres_ask_read_answer(answer, result);
	PQclear(result);
	return 0;
}

int postgres_change(struct postgres *postgres, enum postgres_statement id,
		    const struct postgres_values *values, const char *what,
		    struct postgres_answer *answer)
{
	int err = postgres_run(postgres, id, values, what, answer);

	return err || answer->changed > 0 ? err : ENOENT;
}

int postgres_number(struct postgres *postgres, enum postgres_statement id,
		    const struct postgres_values *values, const char *what, int64_t *number)
{
	struct postgres_answer answer;
	int err = postgres_run(postgres, id, values, what, &answer);

	if (err)
		return err;
	if (!answer.has_row)
		return ENOENT;
	*number = answer.number;
	return 0;
}

int postgres_rows(struct postgres *postgres, enum postgres_statement id,
		  const struct postgres_values *values, const char *what, postgres_row_h *row,
		  void *arg)
{
	PGresult *result;
	struct postgres_row at = {.number = 0};
	int err = postgres_ask_ask(&result, postgres, id, values, what);
	int count;

	if (err)
		return err;
	at.result = result;
	count = PQntuples(result);
	for (; !err && at.number < count; ++at.number)
		err = row(&at, arg);
	PQclear(result);
	if (err == ECANCELED)
		return 0;
	return err || count > 0 ? err : ENOENT;
}

static int postgres_ask_run_unit(struct postgres *postgres, postgres_unit_h *unit, void *arg)
{
	struct postgres_answer answer;
	int err = postgres_run(postgres, POSTGRES_BEGIN, NULL, "cannot begin a change", &answer);

	if (err)
		return err;
	postgres->in_transaction = true;
	err = unit(postgres, arg);
	if (!err)
		err = postgres_run(postgres, POSTGRES_COMMIT, NULL, "cannot commit a change",
				   &answer);
	/* If the connection was lost, the server has already rolled back. */
	if (err && postgres->db)
		postgres_run(postgres, POSTGRES_ROLLBACK, NULL, "cannot roll back a change",
			     &answer);
	postgres->in_transaction = false;
	return err;
}

int postgres_transaction(struct postgres *postgres, postgres_unit_h *unit, void *arg)
{
	int err = EAGAIN;

	for (int i = 0; err == EAGAIN && i < TRIES_MAX; ++i)
		err = postgres_ask_run_unit(postgres, unit, arg);
	if (err == EAGAIN) {
		log_error("store", "a change was abandoned after too many conflicts with other "
				   "transactions");
		err = EBUSY;
	}
	return err;
}
