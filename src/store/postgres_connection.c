/*
 * postgres_connection.c: one connection to a PostgreSQL server (see
 * postgres_private.h).
 *
 * A verb that finds its connection gone (the server was restarted while nobody
 * asked) connects again, once, before it says anything.  One that loses it in the
 * middle fails: nobody knows whether the server had taken it, and the caller is who
 * can say whether it may be asked again.  While the server cannot be reached, verbs
 * fail at once, and a try is made after pauses that grow.
 *
 * Nothing waits without an end: the server gives a statement up after a while, and
 * when it does not even say that, we hang up.
 */
#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/count.h"
#include "base/log.h"
#include "store/postgres_private.h"

#define PAUSE_FIRST_MS 100
#define PAUSE_MAX_MS 10000

/* What takes longer is stuck behind a lock, or the server is lost; reports go through
 * millions of rows, migrations through all. */
#define STATEMENT_MS 5000
#define REPORT_MS 60000
#define MIGRATION_MS 600000
/* For the server's word that it gave up to arrive. */
#define GRACE_MS 2000

/* A transaction that met another one is tried again; who loses this often stands in a
 * crowd that should hear of it. */
#define TRIES_MAX 5

/* The first of Debian 12's predecessors with all we use (pg_current_xact_id). */
#define SERVER_VERSION_MIN 130000

/* Of the lock of all that migrate a schema of ours in the same database. */
#define MIGRATION_LOCK "7923190112358132134"

static const char settings[] =
	"SET search_path TO syrinx;"
	"SET default_transaction_isolation TO 'read committed';"
	"SET statement_timeout TO 5000;"
	/* Who stops in the middle must not hold the others' locks. */
	"SET idle_in_transaction_session_timeout TO 5000;"
	/* A row that is called durable must be: stronger settings are left alone. */
	"SELECT set_config('synchronous_commit', 'on', false)"
	" WHERE current_setting('synchronous_commit') = 'off'";

/* Ours first, so that what the address says wins. */
static const char *const defaults[][2] = {
	{"connect_timeout", "2"}, /* seconds, for each address of the host */
	{"tcp_user_timeout", "5000"}, /* ms that sent bytes may be without an answer */
	{"keepalives_idle", "5"},
	{"keepalives_interval", "2"},
	{"keepalives_count", "3"},
	{"target_session_attrs", "read-write"}, /* of several hosts the one that is no copy */
	{"gssencmode", "disable"}, /* else Kerberos is asked first, wherever it is */
	{"application_name", "syrinx"},
};

/* libpq knows some 45 keywords. */
#define KEYWORDS_MAX 96

struct wishes {
	const char *names[KEYWORDS_MAX + 1];
	const char *values[KEYWORDS_MAX + 1];
	size_t count;
};

static void wish(struct wishes *wishes, const char *name, const char *value)
{
	assert(wishes->count < KEYWORDS_MAX);
	wishes->names[wishes->count] = name;
	wishes->values[wishes->count++] = value;
}

static int connect_as(PGconn **dbp, const PQconninfoOption *options)
{
	struct wishes wishes = {.count = 0};

	for (size_t i = 0; i < COUNT(defaults); ++i)
		wish(&wishes, defaults[i][0], defaults[i][1]);
	for (const PQconninfoOption *o = options; o->keyword; ++o) {
		if (o->val)
			wish(&wishes, o->keyword, o->val);
	}
	wish(&wishes, "client_encoding", "UTF8");
	*dbp = PQconnectdbParams(wishes.names, wishes.values, 0);
	return *dbp ? 0 : ENOMEM;
}

/* Its lines as one. */
static const char *in_one_line(char out[256], const char *message)
{
	size_t len = (size_t)snprintf(out, 256, "%s", message);

	if (len >= 256)
		len = 255;
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

static void take_notice(void *arg, const char *message)
{
	char line[256];

	(void)arg;
	log_debug("store", "the database says: %s", in_one_line(line, message));
}

/* The message of a parser that stumbles has the whole address in it, password and
 * all: it is not shown. */
static int open_connection(PGconn **dbp, const char *address)
{
	char *message = NULL;
	PQconninfoOption *options = PQconninfoParse(address, &message);
	char line[256];
	int err;

	PQfreemem(message);
	if (!options) {
		log_error("store", "the database's address is not understood; it is written "
				   "postgresql://USER:PASSWORD@HOST:PORT/DATABASE, special letters "
				   "of a password as %%XX");
		return EINVAL;
	}
	err = connect_as(dbp, options);
	PQconninfoFree(options);
	if (err)
		return err;
	PQsetNoticeProcessor(*dbp, take_notice, NULL);
	if (PQstatus(*dbp) == CONNECTION_OK)
		return 0;
	log_error("store", "cannot connect to the database: %s",
		  in_one_line(line, PQerrorMessage(*dbp)));
	return EIO;
}

static const struct {
	const char *start; /* of the SQLSTATE */
	int err;
} state_errnos[] = {
	{"23505", EEXIST},    {"23503", EINVAL}, /* unique, foreign key */
	{"40001", EAGAIN},    {"40P01", EAGAIN}, /* serialization, deadlock */
	{"57014", EBUSY},     {"55P03", EBUSY}, /* statement or lock timeout */
	{"25006", EROFS},     {"53100", ENOSPC},  {"53200", ENOMEM},
	{"XX001", EBADMSG},   {"XX002", EBADMSG}, /* damaged data or index */
	{"22003", EOVERFLOW}, {"42501", EACCES},
};

static int errno_of(const char *state)
{
	for (size_t i = 0; i < COUNT(state_errnos); ++i) {
		if (strcmp(state, state_errnos[i].start) == 0)
			return state_errnos[i].err;
	}
	return EIO;
}

static const char *state_of(const PGresult *result)
{
	const char *state = PQresultErrorField(result, PG_DIAG_SQLSTATE);

	return state ? state : "";
}

static bool is_good(const PGresult *result)
{
	ExecStatusType status = PQresultStatus(result);

	return status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK;
}

void postgres_disconnect(struct postgres *postgres)
{
	PQfinish(postgres->db);
	postgres->db = NULL;
	postgres->in_transaction = false;
	memset(postgres->prepared, 0, sizeof(postgres->prepared));
}

/* Waits until the connection can go on; EIO when it is lost or the time is over. */
static int wait_for(const PGconn *db, short events, uint64_t deadline_us)
{
	struct pollfd pollfd = {.fd = PQsocket(db), .events = events};
	uint64_t now_us = clock_monotonic_us();
	int n;

	if (now_us >= deadline_us)
		return ETIMEDOUT;
	n = poll(&pollfd, 1, (int)((deadline_us - now_us) / 1000 + 1));
	return n < 0 && errno != EINTR ? EIO : 0;
}

static int send_all(PGconn *db, uint64_t deadline_us)
{
	int left;
	int err = 0;

	while (!err && (left = PQflush(db)) != 0) {
		if (left < 0)
			return EIO;
		err = wait_for(db, POLLOUT | POLLIN, deadline_us);
		/* A server that has much to say reads only when it is listened to. */
		if (!err && !PQconsumeInput(db))
			err = EIO;
	}
	return err;
}

/* The last result of what was sent; the others are of no interest. */
static int receive(PGresult **resultp, PGconn *db, uint64_t deadline_us)
{
	PGresult *last = NULL;
	int err = 0;

	while (!err) {
		PGresult *next;

		if (PQisBusy(db)) {
			err = wait_for(db, POLLIN, deadline_us);
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
	/* What the server says before it hangs up is a result, and the last. */
	if (!err && (!last || PQstatus(db) != CONNECTION_OK))
		err = EIO;
	if (err) {
		PQclear(last);
		return err;
	}
	*resultp = last;
	return 0;
}

/* The connection is of no use any more. */
static int lost(struct postgres *postgres, const char *what, int err)
{
	char line[256];

	if (err == ETIMEDOUT)
		log_error("store", "%s: the database does not answer", what);
	else
		log_error("store", "%s: the connection to the database is lost: %s", what,
			  in_one_line(line, PQerrorMessage(postgres->db)));
	postgres_disconnect(postgres);
	return EIO;
}

/* After something was sent (0: it could not be). */
static int answer_of(PGresult **resultp, struct postgres *postgres, int sent, int64_t patience_ms,
		     const char *what)
{
	uint64_t deadline_us = clock_monotonic_us() + (uint64_t)(patience_ms + GRACE_MS) * 1000;
	int err = sent ? 0 : EIO;

	if (!err)
		err = send_all(postgres->db, deadline_us);
	if (!err)
		err = receive(resultp, postgres->db, deadline_us);
	return err ? lost(postgres, what, err) : 0;
}

static int failed(const PGresult *result, const char *what)
{
	const char *message = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
	int err = errno_of(state_of(result));
	char line[256];

	/* Whoever tries again knows what to say in the end, and who asked for it what is
	 * taken, missing or too much. */
	if (err == EAGAIN || err == EEXIST || err == EINVAL || err == EOVERFLOW)
		return err;
	log_error("store", "%s: %s (%s)", what, in_one_line(line, message ? message : ""),
		  strerror(err));
	return err;
}

/* Statements as they stand, several of them perhaps; a number, when the last gives
 * one. */
static int execute(struct postgres *postgres, const char *sql, int64_t patience_ms,
		   const char *what, int64_t *number)
{
	PGresult *result;
	int err = answer_of(&result, postgres, PQsendQuery(postgres->db, sql), patience_ms, what);

	if (err)
		return err;
	if (!is_good(result))
		err = failed(result, what);
	else if (number && PQntuples(result) > 0)
		*number = strtoll(PQgetvalue(result, 0, 0), NULL, 10);
	PQclear(result);
	return err;
}

static int check_server(const struct postgres *postgres)
{
	const char *encoding = PQparameterStatus(postgres->db, "server_encoding");
	int version = PQserverVersion(postgres->db);

	if (version < SERVER_VERSION_MIN) {
		log_error("store", "the database is PostgreSQL %d; it must be %d or newer",
			  version / 10000, SERVER_VERSION_MIN / 10000);
		return ENOTSUP;
	}
	if (!encoding || strcmp(encoding, "UTF8") != 0) {
		log_error("store", "the database's encoding is %s; it must be UTF8",
			  encoding ? encoding : "unknown");
		return ENOTSUP;
	}
	return 0;
}

/* 0 for a database without our tables. */
static int read_version(struct postgres *postgres, int64_t *version)
{
	static const char what[] = "cannot read the schema's version";
	int64_t exists = 0;
	int err = execute(postgres,
			  "SELECT count(*) FROM pg_catalog.pg_tables"
			  " WHERE schemaname = 'syrinx' AND tablename = 'schema_version'",
			  STATEMENT_MS, what, &exists);

	*version = 0;
	if (err || !exists)
		return err;
	return execute(postgres, "SELECT version FROM syrinx.schema_version", STATEMENT_MS, what,
		       version);
}

static int check_known(int64_t version)
{
	if (version <= postgres_schema_version)
		return 0;
	log_error("store", "the database is of a newer program: version %lld, known is %d",
		  (long long)version, postgres_schema_version);
	return ENOTSUP;
}

/* Of all that find an old schema at once one migrates, and the others find it done. */
static int apply_migrations(struct postgres *postgres)
{
	static const char what[] = "cannot migrate the schema";
	int64_t version;
	char done[80];
	int err = execute(postgres,
			  "SET LOCAL statement_timeout TO 600000;"
			  "SELECT pg_advisory_xact_lock(" MIGRATION_LOCK ");"
			  "CREATE SCHEMA IF NOT EXISTS syrinx",
			  MIGRATION_MS, what, NULL);

	if (!err)
		err = read_version(postgres, &version);
	if (!err)
		err = check_known(version);
	for (; !err && version < postgres_schema_version; ++version)
		err = execute(postgres, postgres_schema_migrations[version], MIGRATION_MS, what,
			      NULL);
	snprintf(done, sizeof(done), "UPDATE syrinx.schema_version SET version = %d",
		 postgres_schema_version);
	return err ? err : execute(postgres, done, STATEMENT_MS, what, NULL);
}

static int migrate(struct postgres *postgres)
{
	int64_t version;
	int err = read_version(postgres, &version);

	if (!err)
		err = check_known(version);
	if (err || version == postgres_schema_version)
		return err;
	err = execute(postgres, "BEGIN", STATEMENT_MS, "cannot migrate the schema", NULL);
	if (!err)
		err = apply_migrations(postgres);
	if (!err)
		return execute(postgres, "COMMIT", STATEMENT_MS, "cannot migrate the schema", NULL);
	if (postgres->db)
		execute(postgres, "ROLLBACK", STATEMENT_MS, "cannot migrate the schema", NULL);
	return err;
}

static int set_up(struct postgres *postgres)
{
	int err = check_server(postgres);

	if (err)
		return err;
	PQsetnonblocking(postgres->db, 1);
	err = execute(postgres, settings, STATEMENT_MS, "cannot use the database", NULL);
	return err ? err : migrate(postgres);
}

int postgres_connect(struct postgres *postgres)
{
	int err = open_connection(&postgres->db, postgres->address);

	if (!err)
		err = set_up(postgres);
	if (err)
		postgres_disconnect(postgres);
	return err;
}

/* What a server says to somebody who asked nothing is that it ends: then the rest is
 * the end of the connection. */
static bool was_hung_up(PGconn *db)
{
	struct pollfd pollfd = {.fd = PQsocket(db), .events = POLLIN};

	while (poll(&pollfd, 1, 0) > 0) {
		if (!PQconsumeInput(db))
			return true;
		PQisBusy(db); /* reads what was received */
		if (PQstatus(db) != CONNECTION_OK)
			return true;
	}
	return PQstatus(db) != CONNECTION_OK;
}

static int connect_again(struct postgres *postgres)
{
	int err;

	if (postgres->pause_ms > 0 && clock_monotonic_us() < postgres->retry_us)
		return EIO;
	err = postgres_connect(postgres);
	if (err) {
		unsigned next = postgres->pause_ms * 2;

		postgres->pause_ms = next < PAUSE_FIRST_MS ? PAUSE_FIRST_MS
				     : next > PAUSE_MAX_MS ? PAUSE_MAX_MS
							   : next;
		postgres->retry_us = clock_monotonic_us() + postgres->pause_ms * 1000ull;
		return err == ENOMEM ? ENOMEM : EIO;
	}
	postgres->pause_ms = 0;
	log_info("store", "connected to the database again");
	return 0;
}

static int be_connected(struct postgres *postgres)
{
	if (postgres->in_transaction)
		return 0;
	if (postgres->db && was_hung_up(postgres->db)) {
		log_warn("store", "the database has ended the connection");
		postgres_disconnect(postgres);
	}
	return postgres->db ? 0 : connect_again(postgres);
}

static const char *name_of(char name[16], enum postgres_statement id)
{
	snprintf(name, 16, "s%d", (int)id);
	return name;
}

static int prepare(struct postgres *postgres, enum postgres_statement id, const char *what)
{
	PGresult *result;
	char name[16];
	int err;

	if (postgres->prepared[id])
		return 0;
	err = answer_of(&result, postgres,
			PQsendPrepare(postgres->db, name_of(name, id), postgres_statements[id].sql,
				      0, NULL),
			STATEMENT_MS, what);
	if (err)
		return err;
	if (!is_good(result))
		err = failed(result, what);
	PQclear(result);
	postgres->prepared[id] = !err;
	return err;
}

static int ask_prepared(PGresult **resultp, struct postgres *postgres, enum postgres_statement id,
			const struct postgres_values *values, const char *what)
{
	char name[16];
	int err = prepare(postgres, id, what);

	if (err)
		return err;
	return answer_of(resultp, postgres,
			 PQsendQueryPrepared(postgres->db, name_of(name, id), values->count,
					     values->values, values->lengths, values->formats, 0),
			 STATEMENT_MS, what);
}

static int ask_report(PGresult **resultp, struct postgres *postgres, enum postgres_statement id,
		      const struct postgres_values *values, const char *what)
{
	int err = execute(postgres, "SET statement_timeout TO 60000", STATEMENT_MS, what, NULL);
	int late;

	if (err)
		return err;
	err = answer_of(resultp, postgres,
			PQsendQueryParams(postgres->db, postgres_statements[id].sql, values->count,
					  NULL, values->values, values->lengths, values->formats,
					  0),
			REPORT_MS, what);
	if (err)
		return err;
	late = execute(postgres, "SET statement_timeout TO 5000", STATEMENT_MS, what, NULL);
	if (late)
		PQclear(*resultp);
	return late;
}

static const struct postgres_values nothing;

static int ask_once(PGresult **resultp, struct postgres *postgres, enum postgres_statement id,
		    const struct postgres_values *values, const char *what)
{
	if (!values)
		values = &nothing;
	if (postgres_statements[id].is_report)
		return ask_report(resultp, postgres, id, values, what);
	return ask_prepared(resultp, postgres, id, values, what);
}

static int ask(PGresult **resultp, struct postgres *postgres, enum postgres_statement id,
	       const struct postgres_values *values, const char *what)
{
	int err = be_connected(postgres);

	for (int i = 0; !err; ++i) {
		err = ask_once(resultp, postgres, id, values, what);
		if (err || is_good(*resultp))
			return err;
		err = failed(*resultp, what);
		PQclear(*resultp);
		if (err == EAGAIN && !postgres->in_transaction && i + 1 < TRIES_MAX)
			err = 0;
	}
	if (err == EAGAIN && !postgres->in_transaction) {
		log_error("store", "%s: others were always first", what);
		err = EBUSY;
	}
	return err;
}

static void read_answer(struct postgres_answer *answer, const PGresult *result)
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
	int err = ask(&result, postgres, id, values, what);

	*answer = (struct postgres_answer){.changed = 0};
	if (err)
		return err;
	read_answer(answer, result);
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
	int err = ask(&result, postgres, id, values, what);
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

static int run_unit(struct postgres *postgres, postgres_unit_h *unit, void *arg)
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
	/* Lost with all that was begun: there is nothing to roll back. */
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
		err = run_unit(postgres, unit, arg);
	if (err == EAGAIN) {
		log_error("store", "a change was given up: others were always first");
		err = EBUSY;
	}
	return err;
}

int postgres_execute(struct postgres *postgres, const char *sql, const char *what, int64_t *number)
{
	int err = be_connected(postgres);

	return err ? err : execute(postgres, sql, MIGRATION_MS, what, number);
}

int postgres_copy_begin(struct postgres *postgres, const char *sql, const char *what)
{
	uint64_t deadline_us = clock_monotonic_us() + MIGRATION_MS * 1000ull;
	PGresult *result;
	bool is_ready;
	int err = PQsendQuery(postgres->db, sql) ? 0 : EIO;

	if (!err)
		err = send_all(postgres->db, deadline_us);
	while (!err && PQisBusy(postgres->db)) {
		err = wait_for(postgres->db, POLLIN, deadline_us);
		if (!err && !PQconsumeInput(postgres->db))
			err = EIO;
	}
	if (err)
		return lost(postgres, what, err);
	result = PQgetResult(postgres->db);
	is_ready = PQresultStatus(result) == PGRES_COPY_IN;
	if (!is_ready)
		err = failed(result, what);
	PQclear(result);
	return err;
}

int postgres_copy_send(struct postgres *postgres, const char *bytes, size_t len, const char *what)
{
	uint64_t deadline_us = clock_monotonic_us() + MIGRATION_MS * 1000ull;
	int err = 0;
	int taken;

	while (!err && (taken = PQputCopyData(postgres->db, bytes, (int)len)) != 1)
		err = taken < 0 ? EIO : send_all(postgres->db, deadline_us);
	/* What cannot be sent at once is kept: it must not grow without an end. */
	if (!err)
		err = send_all(postgres->db, deadline_us);
	return err ? lost(postgres, what, err) : 0;
}

int postgres_copy_end(struct postgres *postgres, const char *what)
{
	PGresult *result;
	char line[256];
	int err = answer_of(&result, postgres, PQputCopyEnd(postgres->db, NULL) == 1, MIGRATION_MS,
			    what);

	if (err)
		return err;
	/* All that can be wrong with a row is a fault here. */
	if (!is_good(result)) {
		log_error("store", "%s: %s", what, in_one_line(line, PQresultErrorMessage(result)));
		err = EIO;
	}
	PQclear(result);
	return err;
}
