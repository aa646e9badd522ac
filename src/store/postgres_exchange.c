/*
 * postgres_exchange.c: sends statements and receives results (see postgres_exchange.h).
 */
#include "store/postgres_exchange.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/count.h"
#include "base/log.h"

/* How much longer than the server's own limit we wait for its message that the statement was
 * cancelled. */
#define GRACE_MS 2000

const char *postgres_one_line(char out[POSTGRES_LINE_SIZE], const char *message)
{
	size_t len = (size_t)snprintf(out, POSTGRES_LINE_SIZE, "%s", message);

	if (len >= POSTGRES_LINE_SIZE)
		len = POSTGRES_LINE_SIZE - 1;
	while (len > 0 && strchr("\n ", out[len - 1]))
		out[--len] = '\0';
	for (char *c = out; *c; ++c) {
		if (*c == '\n')
			*c = c[1] == '\t' ? ';' : ' ';
		else if (*c == '\t')
			*c = ' ';
	}
	return out;
}

static const struct {
	const char *start; /* of the SQLSTATE */
	int err;
} postgres_exchange_state_errnos[] = {
	{"23505", EEXIST},    {"23503", EINVAL}, /* unique, foreign key */
	{"40001", EAGAIN},    {"40P01", EAGAIN}, /* serialization, deadlock */
	{"57014", EBUSY},     {"55P03", EBUSY}, /* statement or lock timeout */
	{"25006", EROFS},     {"53100", ENOSPC},  {"53200", ENOMEM},
	{"XX001", EBADMSG},   {"XX002", EBADMSG}, /* damaged data or index */
	{"22003", EOVERFLOW}, {"42501", EACCES},
};

static int postgres_exchange_errno_of(const char *state)
{
	for (size_t i = 0; i < COUNT(postgres_exchange_state_errnos); ++i) {
		if (strcmp(state, postgres_exchange_state_errnos[i].start) == 0)
			return postgres_exchange_state_errnos[i].err;
	}
	return EIO;
}

static const char *postgres_exchange_state_of(const PGresult *result)
{
	const char *state = PQresultErrorField(result, PG_DIAG_SQLSTATE);

	return state ? state : "";
}

bool postgres_is_good(const PGresult *result)
{
	ExecStatusType status = PQresultStatus(result);

	return status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK;
}

/* Waits until the connection is ready, or has failed, which the caller's next call of libpq
 * reports.  ETIMEDOUT if the deadline has passed, EIO if waiting is impossible. */
static int postgres_exchange_wait_for(const PGconn *db, short events, uint64_t deadline_us)
{
	struct pollfd pollfd = {.fd = PQsocket(db), .events = events};
	uint64_t now_us = clock_monotonic_us();
	int n;

	if (now_us >= deadline_us)
		return ETIMEDOUT;
	n = poll(&pollfd, 1, (int)((deadline_us - now_us) / 1000 + 1));
	return n < 0 && errno != EINTR ? EIO : 0;
}

static int postgres_exchange_send_all(PGconn *db, uint64_t deadline_us)
{
	int left;
	int err = 0;

	while (!err && (left = PQflush(db)) != 0) {
		if (left < 0)
			return EIO;
		err = postgres_exchange_wait_for(db, POLLOUT | POLLIN, deadline_us);
		/* A server that is sending a long result does not read until we have read it. */
		if (!err && !PQconsumeInput(db))
			err = EIO;
	}
	return err;
}

/* Receives the last result of what was sent; the others are discarded. */
static int postgres_exchange_receive(PGresult **resultp, PGconn *db, uint64_t deadline_us)
{
	PGresult *last = NULL;
	int err = 0;

	while (!err) {
		PGresult *next;

		if (PQisBusy(db)) {
			err = postgres_exchange_wait_for(db, POLLIN, deadline_us);
			if (!err && !PQconsumeInput(db))
				err = EIO;
			continue;
		}
		next = PQgetResult(db);
		if (!next)
			break;
		PQclear(last);
		last = next;
	}
	/* An error that the server sends before it closes the connection arrives as the last
	 * result. */
	if (!err && (!last || PQstatus(db) != CONNECTION_OK))
		err = EIO;
	if (err) {
		PQclear(last);
		return err;
	}
	*resultp = last;
	return 0;
}

/* Logs why the connection cannot be used any more, and closes it. */
static int postgres_exchange_lost(struct postgres *postgres, const char *what, int err)
{
	char line[POSTGRES_LINE_SIZE];

	if (err == ETIMEDOUT)
		log_error("store", "%s: the database does not answer", what);
	else
		log_error("store", "%s: the connection to the database is lost: %s", what,
			  postgres_one_line(line, PQerrorMessage(postgres->db)));
	postgres_disconnect(postgres);
	return EIO;
}

int postgres_answer_of(PGresult **resultp, struct postgres *postgres, int sent, int64_t patience_ms,
		       const char *what)
{
	uint64_t deadline_us = clock_monotonic_us() + (uint64_t)(patience_ms + GRACE_MS) * 1000;
	int err = sent ? 0 : EIO;

	if (!err)
		err = postgres_exchange_send_all(postgres->db, deadline_us);
	if (!err)
		err = postgres_exchange_receive(resultp, postgres->db, deadline_us);
	return err ? postgres_exchange_lost(postgres, what, err) : 0;
}

int postgres_failed(const PGresult *result, const char *what)
{
	const char *message = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
	int err = postgres_exchange_errno_of(postgres_exchange_state_of(result));
	char line[POSTGRES_LINE_SIZE];

	/* Not logged: EAGAIN is retried, and the others are answers to the store's caller. */
	if (err == EAGAIN || err == EEXIST || err == EINVAL || err == EOVERFLOW)
		return err;
	log_error("store", "%s: %s (%s)", what, postgres_one_line(line, message ? message : ""),
		  strerror(err));
	return err;
}

int postgres_execute_now(struct postgres *postgres, const char *sql, int64_t patience_ms,
			 const char *what, int64_t *number)
{
	PGresult *result;
	int err = postgres_answer_of(&result, postgres, PQsendQuery(postgres->db, sql), patience_ms,
				     what);

	if (err)
		return err;
	if (!postgres_is_good(result))
		err = postgres_failed(result, what);
	else if (number && PQntuples(result) > 0)
		*number = strtoll(PQgetvalue(result, 0, 0), NULL, 10);
	PQclear(result);
	return err;
}

int postgres_copy_begin(struct postgres *postgres, const char *sql, const char *what)
{
	uint64_t deadline_us = clock_monotonic_us() + POSTGRES_MIGRATION_MS * 1000ull;
	PGresult *result;
	bool is_ready;
	int err = PQsendQuery(postgres->db, sql) ? 0 : EIO;

	if (!err)
		err = postgres_exchange_send_all(postgres->db, deadline_us);
	while (!err && PQisBusy(postgres->db)) {
		err = postgres_exchange_wait_for(postgres->db, POLLIN, deadline_us);
		if (!err && !PQconsumeInput(postgres->db))
			err = EIO;
	}
	if (err)
		return postgres_exchange_lost(postgres, what, err);
	result = PQgetResult(postgres->db);
	is_ready = PQresultStatus(result) == PGRES_COPY_IN;
	if (!is_ready)
		err = postgres_failed(result, what);
	PQclear(result);
	return err;
}

int postgres_copy_send(struct postgres *postgres, const char *bytes, size_t len, const char *what)
{
	uint64_t deadline_us = clock_monotonic_us() + POSTGRES_MIGRATION_MS * 1000ull;
	int err = 0;
	int taken;

	while (!err && (taken = PQputCopyData(postgres->db, bytes, (int)len)) != 1)
		err = taken < 0 ? EIO : postgres_exchange_send_all(postgres->db, deadline_us);
	/* libpq buffers what cannot be sent at once, and that must not grow without limit. */
	if (!err)
		err = postgres_exchange_send_all(postgres->db, deadline_us);
	return err ? postgres_exchange_lost(postgres, what, err) : 0;
}

int postgres_copy_end(struct postgres *postgres, const char *what)
{
	PGresult *result;
	char line[POSTGRES_LINE_SIZE];
	int err = postgres_answer_of(&result, postgres, PQputCopyEnd(postgres->db, NULL) == 1,
				     POSTGRES_MIGRATION_MS, what);

	if (err)
		return err;
	/* An error in a row is a bug in this program, so it is always logged. */
	if (!postgres_is_good(result)) {
		log_error("store", "%s: %s", what,
			  postgres_one_line(line, PQresultErrorMessage(result)));
		err = EIO;
	}
	PQclear(result);
	return err;
}
