/*
 * postgres_connection.c: one connection to a PostgreSQL server (see postgres_private.h).
 *
 * An operation that finds its connection closed, because the server was restarted while the
 * connection was idle, reconnects once before it sends anything.  An operation that loses the
 * connection later fails: it is unknown whether the server has executed it, and only the caller can
 * decide whether it may be repeated.  While the server cannot be reached, operations fail at once,
 * and further attempts to connect are made after growing pauses.
 *
 * If a server refuses the role, its password or the name of the database, waiting does not help; if
 * it is starting up, full or unreachable, it may.  libpq distinguishes these only in a message in
 * the server's language, unless it is configured before connecting to include the SQLSTATE.
 * Therefore a connection that has failed is attempted a second time with that setting.
 */
#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/count.h"
#include "base/log.h"
#include "store/postgres_exchange.h"

#define PAUSE_FIRST_MS 100
#define PAUSE_MAX_MS 10000

/* The oldest version that has every function we use (pg_current_xact_id). */
#define SERVER_VERSION_MIN 130000

/* The limit for the second attempt, which finds out why the first one failed. */
#define WHY_US UINT64_C(2000000)

/* The advisory lock of all processes that migrate this schema in the same database. */
#define MIGRATION_LOCK "7923190112358132134"

static const char postgres_connection_settings[] =
	"SET search_path TO syrinx;"
	"SET default_transaction_isolation TO 'read committed';"
	"SET statement_timeout TO 5000;"
	/* A client that stops inside a transaction must not hold locks that others need. */
	"SET idle_in_transaction_session_timeout TO 5000;"
	/* A row that is reported as durable must be; stronger settings are not changed. */
	"SELECT set_config('synchronous_commit', 'on', false)"
	" WHERE current_setting('synchronous_commit') = 'off'";

/* Our defaults come first, so that the address can override them. */
static const char *const postgres_connection_defaults[][2] = {
	{"connect_timeout", "2"}, /* seconds, for each address of the host */
	{"tcp_user_timeout", "5000"}, /* milliseconds that sent bytes may stay unacknowledged */
	{"keepalives_idle", "5"},
	{"keepalives_interval", "2"},
	{"keepalives_count", "3"},
	/* of several hosts, selects the one that is not a replica */
	{"target_session_attrs", "read-write"},
	{"gssencmode", "disable"}, /* otherwise Kerberos is tried first */
	{"application_name", "syrinx"},
};

/* libpq has about 45 keywords. */
#define KEYWORDS_MAX 96

struct postgres_connection_params {
	const char *names[KEYWORDS_MAX + 1];
	const char *values[KEYWORDS_MAX + 1];
	size_t count;
};

static void postgres_connection_add_param(struct postgres_connection_params *params,
					  const char *name, const char *value)
{
	assert(params->count < KEYWORDS_MAX);
	params->names[params->count] = name;
	params->values[params->count++] = value;
}

/* The values point into the options. */
static void postgres_connection_fill_params(struct postgres_connection_params *params,
					    const PQconninfoOption *options)
{
	for (size_t i = 0; i < COUNT(postgres_connection_defaults); ++i)
		postgres_connection_add_param(params, postgres_connection_defaults[i][0],
					      postgres_connection_defaults[i][1]);
	for (const PQconninfoOption *o = options; o->keyword; ++o) {
		if (o->val)
			postgres_connection_add_param(params, o->keyword, o->val);
	}
	postgres_connection_add_param(params, "client_encoding", "UTF8");
}

/* Logs a failure to connect, unless it is the same as the last one. */
static void postgres_connection_log_failure(struct postgres *postgres, const char *message)
{
	char line[POSTGRES_LINE_SIZE];
	uint32_t hash = 2166136261u; /* FNV-1a */

	postgres_one_line(line, message);
	for (const char *c = line; *c; ++c)
		hash = (hash ^ (uint8_t)*c) * 16777619u;
	hash |= 1; /* 0 means none */
	if (hash != postgres->logged_failure)
		log_error("store", "cannot connect to the database: %s", line);
	postgres->logged_failure = hash;
}

static void postgres_connection_take_notice(void *arg, const char *message)
{
	char line[POSTGRES_LINE_SIZE];

	(void)arg;
	log_debug("store", "the database reports: %s", postgres_one_line(line, message));
}

/* Whether a message contains a SQLSTATE that only an operator can fix: class 28 (the role,
 * its password, pg_hba.conf) and 3D000 (no such database).  "FATAL:  28P01: …" */
static bool postgres_connection_is_refused(const char *message)
{
	for (const char *at = message; (at = strstr(at, ":  ")); ++at) {
		const char *state = at + 3;

		if (strspn(state, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ") == 5 && state[5] == ':' &&
		    (strncmp(state, "28", 2) == 0 || strncmp(state, "3D000", 5) == 0))
			return true;
	}
	return false;
}

/* Connects once more, only to find out whether the server refuses us.  Waits less than libpq itself
 * would, because a server that does not answer at all does not refuse. */
static bool postgres_connection_finds_refusal(const struct postgres_connection_params *params)
{
	uint64_t deadline_us = clock_monotonic_us() + WHY_US;
	PGconn *db = PQconnectStartParams(params->names, params->values, 0);
	PostgresPollingStatusType status = PGRES_POLLING_WRITING;
	bool is_refused;

	if (!db)
		return false;
	PQsetErrorVerbosity(db, PQERRORS_VERBOSE);
	while (PQstatus(db) != CONNECTION_BAD &&
	       (status == PGRES_POLLING_WRITING || status == PGRES_POLLING_READING)) {
		struct pollfd pollfd = {.fd = PQsocket(db),
					.events =
						status == PGRES_POLLING_READING ? POLLIN : POLLOUT};
		uint64_t now_us = clock_monotonic_us();

		if (now_us >= deadline_us)
			break;
		if (poll(&pollfd, 1, (int)((deadline_us - now_us) / 1000 + 1)) > 0)
			status = PQconnectPoll(db);
	}
	is_refused = PQstatus(db) == CONNECTION_BAD &&
		     postgres_connection_is_refused(PQerrorMessage(db));
	PQfinish(db);
	return is_refused;
}

/* The parser's error message may contain the whole address with its password, so it is not
 * logged. */
static int postgres_connection_open_connection(struct postgres *postgres)
{
	PGconn **dbp = &postgres->db;
	char *message = NULL;
	PQconninfoOption *options = PQconninfoParse(postgres->address, &message);
	struct postgres_connection_params params = {.count = 0};
	int err;

	PQfreemem(message);
	if (!options) {
		log_error("store", "the database's address is invalid; its form is "
				   "postgresql://USER:PASSWORD@HOST:PORT/DATABASE, with special "
				   "characters of the password written as %%XX");
		return EINVAL;
	}
	postgres_connection_fill_params(&params, options);
	*dbp = PQconnectdbParams(params.names, params.values, 0);
	err = *dbp ? EIO : ENOMEM;
	if (*dbp) {
		PQsetNoticeProcessor(*dbp, postgres_connection_take_notice, NULL);
		if (PQstatus(*dbp) == CONNECTION_OK)
			err = 0;
		else
			postgres_connection_log_failure(postgres, PQerrorMessage(*dbp));
	}
	if (err == EIO && !postgres->was_connected && postgres_connection_finds_refusal(&params))
		err = EACCES;
	PQconninfoFree(options);
	return err;
}

void postgres_disconnect(struct postgres *postgres)
{
	PQfinish(postgres->db);
	postgres->db = NULL;
	postgres->in_transaction = false;
	memset(postgres->prepared, 0, sizeof(postgres->prepared));
}

static int postgres_connection_check_server(const struct postgres *postgres)
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

/* Reads the number in a table of one row and one column; 0 if there is no such table. */
static int postgres_connection_read_number(struct postgres *postgres, const char *table,
					   int64_t *number)
{
	static const char what[] = "cannot read the schema's version";
	int64_t exists = 0;
	char sql[160];
	int err;

	snprintf(sql, sizeof(sql),
		 "SELECT count(*) FROM pg_catalog.pg_tables"
		 " WHERE schemaname = 'syrinx' AND tablename = '%s'",
		 table);
	err = postgres_execute_now(postgres, sql, POSTGRES_STATEMENT_MS, what, &exists);
	*number = 0;
	if (err || !exists)
		return err;
	snprintf(sql, sizeof(sql), "SELECT version FROM syrinx.%s", table);
	return postgres_execute_now(postgres, sql, POSTGRES_STATEMENT_MS, what, number);
}

/* The version is 0 for a database without Syrinx's tables. */
static int postgres_connection_read_version(struct postgres *postgres, int64_t *version)
{
	return postgres_connection_read_number(postgres, "schema_version", version);
}

/* Reads how many additions the database has; a newer release may have made more than this one
 * knows. */
static int postgres_connection_read_additions(struct postgres *postgres, int64_t *count)
{
	return postgres_connection_read_number(postgres, "schema_addition", count);
}

/* Called in the transaction of the migrations, after taking their lock. */
static int postgres_connection_apply_additions(struct postgres *postgres)
{
	static const char what[] = "cannot add to the schema";
	int64_t count = 0;
	char done[80];
	int err = postgres_connection_read_additions(postgres, &count);

	if (err || count >= postgres_schema_additions_count)
		return err;
	if (count == 0)
		err = postgres_execute_now(
			postgres,
			"CREATE TABLE syrinx.schema_addition (version bigint NOT NULL);"
			"INSERT INTO syrinx.schema_addition VALUES (0)",
			POSTGRES_MIGRATION_MS, what, NULL);
	for (; !err && count < postgres_schema_additions_count; ++count)
		err = postgres_execute_now(postgres, postgres_schema_additions[count],
					   POSTGRES_MIGRATION_MS, what, NULL);
	snprintf(done, sizeof(done), "UPDATE syrinx.schema_addition SET version = %d",
		 postgres_schema_additions_count);
	return err ? err : postgres_execute_now(postgres, done, POSTGRES_STATEMENT_MS, what, NULL);
}

static int postgres_connection_check_known(int64_t version)
{
	if (version <= postgres_schema_version)
		return 0;
	log_error("store", "the database is of a newer release: version %lld, this one knows %d",
		  (long long)version, postgres_schema_version);
	return ENOTSUP;
}

/* If several processes find an old schema, one of them migrates it, and the others wait until it is
 * done. */
static int postgres_connection_apply_migrations(struct postgres *postgres)
{
	static const char what[] = "cannot migrate the schema";
	int64_t version = 0;
	char done[80];
	int err = postgres_execute_now(postgres,
				       "SET LOCAL statement_timeout TO 600000;"
				       "SELECT pg_advisory_xact_lock(" MIGRATION_LOCK ");"
				       "CREATE SCHEMA IF NOT EXISTS syrinx",
				       POSTGRES_MIGRATION_MS, what, NULL);

	if (!err)
		err = postgres_connection_read_version(postgres, &version);
	if (!err)
		err = postgres_connection_check_known(version);
	for (; !err && version < postgres_schema_version; ++version)
		err = postgres_execute_now(postgres, postgres_schema_migrations[version],
					   POSTGRES_MIGRATION_MS, what, NULL);
	snprintf(done, sizeof(done), "UPDATE syrinx.schema_version SET version = %d",
		 postgres_schema_version);
	if (!err)
		err = postgres_execute_now(postgres, done, POSTGRES_STATEMENT_MS, what, NULL);
	return err ? err : postgres_connection_apply_additions(postgres);
}

static int postgres_connection_migrate(struct postgres *postgres)
{
	int64_t version;
	int64_t additions = 0;
	int err = postgres_connection_read_version(postgres, &version);

	if (!err)
		err = postgres_connection_check_known(version);
	if (!err)
		err = postgres_connection_read_additions(postgres, &additions);
	if (err ||
	    (version == postgres_schema_version && additions >= postgres_schema_additions_count))
		return err;
	err = postgres_execute_now(postgres, "BEGIN", POSTGRES_STATEMENT_MS,
				   "cannot migrate the schema", NULL);
	if (!err)
		err = postgres_connection_apply_migrations(postgres);
	if (!err)
		return postgres_execute_now(postgres, "COMMIT", POSTGRES_STATEMENT_MS,
					    "cannot migrate the schema", NULL);
	if (postgres->db)
		postgres_execute_now(postgres, "ROLLBACK", POSTGRES_STATEMENT_MS,
				     "cannot migrate the schema", NULL);
	return err;
}

static int postgres_connection_set_up(struct postgres *postgres)
{
	int err = postgres_connection_check_server(postgres);

	if (err)
		return err;
	PQsetnonblocking(postgres->db, 1);
	return postgres_execute_now(postgres, postgres_connection_settings, POSTGRES_STATEMENT_MS,
				    "cannot use the database", NULL);
}

int postgres_look(struct postgres *postgres)
{
	int64_t version = 0;
	int err = postgres_connection_open_connection(postgres);

	if (!err)
		err = postgres_connection_set_up(postgres);
	if (!err)
		err = postgres_connection_read_version(postgres, &version);
	if (!err)
		err = postgres_connection_check_known(version);
	postgres_disconnect(postgres);
	return err || version > 0 ? err : ENOENT;
}

int postgres_connect(struct postgres *postgres)
{
	int err = postgres_connection_open_connection(postgres);

	if (!err)
		err = postgres_connection_set_up(postgres);
	if (!err)
		err = postgres_connection_migrate(postgres);
	if (err) {
		postgres_disconnect(postgres);
		return err;
	}
	postgres->was_connected = true;
	postgres->logged_failure = 0;
	return 0;
}

/* Whether the server has closed the idle connection.  The only thing that a server sends on an idle
 * connection is that it is shutting down. */
static bool postgres_connection_was_hung_up(PGconn *db)
{
	struct pollfd pollfd = {.fd = PQsocket(db), .events = POLLIN};

	while (poll(&pollfd, 1, 0) > 0) {
		if (!PQconsumeInput(db))
			return true;
		PQisBusy(db); /* parses what was received */
		if (PQstatus(db) != CONNECTION_OK)
			return true;
	}
	return PQstatus(db) != CONNECTION_OK;
}

static int postgres_connection_connect_again(struct postgres *postgres)
{
	bool was_connected = postgres->was_connected;
	bool has_tried = postgres->pause_ms > 0;
	int err;

	if (has_tried && clock_monotonic_us() < postgres->retry_us)
		return EIO;
	err = postgres_connect(postgres);
	if (err) {
		unsigned next = postgres->pause_ms * 2;

		postgres->pause_ms = next < PAUSE_FIRST_MS ? PAUSE_FIRST_MS
				     : next > PAUSE_MAX_MS ? PAUSE_MAX_MS
							   : next;
		postgres->retry_us = clock_monotonic_us() + postgres->pause_ms * 1000ull;
		if (err == ENOMEM || (!was_connected && store_is_permanent_error(err)))
			return err;
		return EIO;
	}
	postgres->pause_ms = 0;
	postgres->has_forgotten = was_connected;
	if (was_connected || has_tried)
		log_info("store", "connected to the database%s", was_connected ? " again" : "");
	return 0;
}

int postgres_be_connected(struct postgres *postgres)
{
	if (postgres->in_transaction)
		return 0;
	if (postgres->db && postgres_connection_was_hung_up(postgres->db)) {
		log_warn("store", "the database has closed the connection");
		postgres_disconnect(postgres);
	}
	return postgres->db ? 0 : postgres_connection_connect_again(postgres);
}

int postgres_execute(struct postgres *postgres, const char *sql, const char *what, int64_t *number)
{
	int err = postgres_be_connected(postgres);

	return err ? err : postgres_execute_now(postgres, sql, POSTGRES_MIGRATION_MS, what, number);
}
