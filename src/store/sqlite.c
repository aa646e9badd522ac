/*
 * sqlite.c: the store in one file, by SQLite.
 *
 * Used by one thread at a time; other processes may have the same file open
 * (the command line makes keys while the server runs).  A commit has reached
 * the disk when it returns: write-ahead log, synchronous FULL.
 *
 * The ledger's table defends itself: triggers refuse every change of a row,
 * whoever asks, a hand with the sqlite3 shell included.
 */
#include <errno.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/count.h"
#include "base/log.h"
#include "base/mem.h"
#include "store/store.h"

/* Others hold the file for a transaction of well under a millisecond; whoever
 * takes this long is stuck, and the ledger tries again by itself. */
#define BUSY_TIMEOUT_MS 1000
#define WAL_RETRY_MS 5

/* The schema's history: a file at version n has had the first n steps. */
static const char *const migrations[] = {
	"CREATE TABLE key ("
	" id INTEGER PRIMARY KEY,"
	" prefix TEXT NOT NULL UNIQUE,"
	" hash BLOB NOT NULL,"
	" name TEXT NOT NULL,"
	" credit_cents INTEGER NOT NULL,"
	" streams_max INTEGER NOT NULL,"
	" created_ms INTEGER NOT NULL,"
	" revoked_ms INTEGER NOT NULL"
	") STRICT;"
	"CREATE TABLE turn ("
	" seq INTEGER PRIMARY KEY,"
	" id TEXT NOT NULL UNIQUE,"
	" key_id INTEGER REFERENCES key (id),"
	" at_ms INTEGER NOT NULL,"
	" status TEXT NOT NULL,"
	" samples INTEGER NOT NULL,"
	" sample_rate INTEGER NOT NULL,"
	" characters INTEGER NOT NULL,"
	" voice_id INTEGER NOT NULL,"
	" model_id TEXT NOT NULL,"
	" amount_microcents INTEGER NOT NULL"
	") STRICT;"
	"CREATE TRIGGER turn_is_never_changed BEFORE UPDATE ON turn"
	" BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;"
	"CREATE TRIGGER turn_is_never_deleted BEFORE DELETE ON turn"
	" BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;"
	/* REPLACE deletes without asking the trigger above. */
	"CREATE TRIGGER turn_is_never_replaced BEFORE INSERT ON turn"
	" WHEN EXISTS (SELECT 1 FROM turn WHERE id = NEW.id OR seq = NEW.seq)"
	" BEGIN SELECT RAISE(IGNORE); END;",
};

#define VERSION ((int)COUNT(migrations))

/* clang-format off */
#define STATEMENTS(X)                                                                              \
	X(KEY_ADD, "INSERT INTO key (prefix, hash, name, credit_cents, streams_max, created_ms,"   \
		   " revoked_ms) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)")                             \
	X(KEY_FIND, "SELECT id, prefix, hash, name, credit_cents, streams_max, created_ms,"        \
		    " revoked_ms FROM key WHERE prefix = ?1")                                      \
	X(KEY_REVOKE, "UPDATE key SET revoked_ms = iif(revoked_ms = 0, ?2, revoked_ms)"            \
		      " WHERE prefix = ?1")                                                        \
	X(KEY_LIST, "SELECT id, prefix, hash, name, credit_cents, streams_max, created_ms,"        \
		    " revoked_ms FROM key ORDER BY id")                                            \
	X(BEGIN, "BEGIN IMMEDIATE")                                                                \
	X(TURN_ADD, "INSERT INTO turn (id, key_id, at_ms, status, samples, sample_rate,"           \
		    " characters, voice_id, model_id, amount_microcents)"                          \
		    " VALUES (?1, nullif(?2, 0), ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)"                 \
		    " ON CONFLICT (id) DO NOTHING")                                                \
	X(COMMIT, "COMMIT")                                                                        \
	X(ROLLBACK, "ROLLBACK")                                                                    \
	X(TURN_LIST, "SELECT id, ifnull(key_id, 0), at_ms, status, samples, sample_rate,"          \
		     " characters, voice_id, model_id, amount_microcents FROM turn ORDER BY seq")
/* clang-format on */

enum statement {
#define X(name, sql) STATEMENT_##name,
	STATEMENTS(X)
#undef X
		STATEMENT_COUNT
};

static const char *const statement_sql[] = {
#define X(name, sql) sql,
	STATEMENTS(X)
#undef X
};

static const char *const status_words[] = {
	[STORE_TURN_FINISHED] = "finished",
	[STORE_TURN_CANCELLED] = "cancelled",
	[STORE_TURN_FAILED] = "failed",
};

struct sqlite {
	struct store store; /* first: what callers hold */
	sqlite3 *db;
	sqlite3_stmt *statements[STATEMENT_COUNT];
};

static struct sqlite *sqlite_of(struct store *store)
{
	return (struct sqlite *)(void *)store;
}

static int errno_of(int code)
{
	switch (code & 0xff) {
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		return EBUSY;
	case SQLITE_READONLY:
		return EROFS;
	case SQLITE_FULL:
		return ENOSPC;
	case SQLITE_CORRUPT:
	case SQLITE_NOTADB:
		return EBADMSG;
	case SQLITE_NOMEM:
		return ENOMEM;
	case SQLITE_CANTOPEN:
		return ENOENT;
	default:
		return EIO;
	}
}

/* What SQLite says of its last error, once, and its errno. */
static int failed(const struct sqlite *sqlite, const char *what)
{
	int err = errno_of(sqlite3_extended_errcode(sqlite->db));

	log_error("store", "%s: %s (%s)", what, sqlite3_errmsg(sqlite->db), strerror(err));
	return err;
}

static void release(sqlite3_stmt *stmt)
{
	sqlite3_reset(stmt);
	sqlite3_clear_bindings(stmt);
}

/* Runs a statement that gives no rows.  Constraints are the caller's matter:
 * *constraint gets the extended code, or 0. */
static int run(struct sqlite *sqlite, enum statement id, const char *what, int *constraint)
{
	sqlite3_stmt *stmt = sqlite->statements[id];
	int code = sqlite3_step(stmt);
	int err = 0;

	*constraint = 0;
	if ((code & 0xff) == SQLITE_CONSTRAINT)
		*constraint = sqlite3_extended_errcode(sqlite->db);
	if (code != SQLITE_DONE)
		err = *constraint ? EINVAL : failed(sqlite, what);
	release(stmt);
	return err;
}

static void bind_text(sqlite3_stmt *stmt, int at, const char *text)
{
	/* Bound only until the statement has run: the text may stay where it is. */
	sqlite3_bind_text(stmt, at, text, -1, SQLITE_STATIC);
}

static int key_add(struct store *store, struct store_key *key)
{
	struct sqlite *sqlite = sqlite_of(store);
	sqlite3_stmt *stmt = sqlite->statements[STATEMENT_KEY_ADD];
	int constraint;
	int err;

	bind_text(stmt, 1, key->prefix);
	sqlite3_bind_blob(stmt, 2, key->hash, sizeof(key->hash), SQLITE_STATIC);
	bind_text(stmt, 3, key->name);
	sqlite3_bind_int64(stmt, 4, key->credit_cents);
	sqlite3_bind_int64(stmt, 5, key->streams_max);
	sqlite3_bind_int64(stmt, 6, key->created_ms);
	sqlite3_bind_int64(stmt, 7, key->revoked_ms);
	err = run(sqlite, STATEMENT_KEY_ADD, "cannot add a key", &constraint);
	if (constraint)
		return EEXIST;
	if (!err)
		key->id = sqlite3_last_insert_rowid(sqlite->db);
	return err;
}

/* Copies a text column; false when it does not fit or is none. */
static bool column_text(char *out, size_t size, sqlite3_stmt *stmt, int column)
{
	const unsigned char *text = sqlite3_column_text(stmt, column);
	int len = sqlite3_column_bytes(stmt, column);

	if (!text || (size_t)len >= size)
		return false;
	memcpy(out, text, (size_t)len + 1);
	return true;
}

static int damaged(const char *table)
{
	log_error("store", "a row of %s cannot be read: was it changed by hand?", table);
	return EBADMSG;
}

static int read_key(struct store_key *key, sqlite3_stmt *stmt)
{
	const void *hash = sqlite3_column_blob(stmt, 2);

	*key = (struct store_key){.id = sqlite3_column_int64(stmt, 0)};
	if (!column_text(key->prefix, sizeof(key->prefix), stmt, 1) || !hash ||
	    sqlite3_column_bytes(stmt, 2) != (int)sizeof(key->hash) ||
	    !column_text(key->name, sizeof(key->name), stmt, 3))
		return damaged("key");
	memcpy(key->hash, hash, sizeof(key->hash));
	key->credit_cents = sqlite3_column_int64(stmt, 4);
	key->streams_max = sqlite3_column_int64(stmt, 5);
	key->created_ms = sqlite3_column_int64(stmt, 6);
	key->revoked_ms = sqlite3_column_int64(stmt, 7);
	return 0;
}

static int key_find(struct store *store, struct store_key *key, const char *prefix)
{
	struct sqlite *sqlite = sqlite_of(store);
	sqlite3_stmt *stmt = sqlite->statements[STATEMENT_KEY_FIND];
	int code;
	int err;

	bind_text(stmt, 1, prefix);
	code = sqlite3_step(stmt);
	if (code == SQLITE_ROW)
		err = read_key(key, stmt);
	else
		err = code == SQLITE_DONE ? ENOENT : failed(sqlite, "cannot look up a key");
	release(stmt);
	return err;
}

static int key_revoke(struct store *store, const char *prefix, int64_t at_ms)
{
	struct sqlite *sqlite = sqlite_of(store);
	sqlite3_stmt *stmt = sqlite->statements[STATEMENT_KEY_REVOKE];
	int constraint;
	int err;

	bind_text(stmt, 1, prefix);
	sqlite3_bind_int64(stmt, 2, at_ms);
	err = run(sqlite, STATEMENT_KEY_REVOKE, "cannot revoke a key", &constraint);
	if (!err && sqlite3_changes(sqlite->db) == 0)
		return ENOENT;
	return err;
}

static int key_list(struct store *store, store_key_h *each, void *arg)
{
	struct sqlite *sqlite = sqlite_of(store);
	sqlite3_stmt *stmt = sqlite->statements[STATEMENT_KEY_LIST];
	int code = SQLITE_DONE;
	int err = 0;

	while (!err && (code = sqlite3_step(stmt)) == SQLITE_ROW) {
		struct store_key key;

		err = read_key(&key, stmt);
		if (!err && !each(&key, arg))
			break;
	}
	if (!err && code != SQLITE_DONE && code != SQLITE_ROW)
		err = failed(sqlite, "cannot list the keys");
	release(stmt);
	return err;
}

static int begin(struct store *store)
{
	int constraint;

	return run(sqlite_of(store), STATEMENT_BEGIN, "cannot begin a batch", &constraint);
}

static int turn_add(struct store *store, const struct store_turn *turn)
{
	struct sqlite *sqlite = sqlite_of(store);
	sqlite3_stmt *stmt = sqlite->statements[STATEMENT_TURN_ADD];
	int constraint;

	bind_text(stmt, 1, turn->id);
	sqlite3_bind_int64(stmt, 2, turn->key_id);
	sqlite3_bind_int64(stmt, 3, turn->at_ms);
	bind_text(stmt, 4, status_words[turn->status]);
	sqlite3_bind_int64(stmt, 5, (int64_t)turn->samples);
	sqlite3_bind_int64(stmt, 6, turn->sample_rate);
	sqlite3_bind_int64(stmt, 7, (int64_t)turn->characters);
	sqlite3_bind_int64(stmt, 8, turn->voice_id);
	bind_text(stmt, 9, turn->model_id);
	sqlite3_bind_int64(stmt, 10, turn->amount_microcents);
	return run(sqlite, STATEMENT_TURN_ADD, "cannot book a turn", &constraint);
}

static int commit(struct store *store)
{
	int constraint;

	return run(sqlite_of(store), STATEMENT_COMMIT, "cannot commit a batch", &constraint);
}

static void rollback(struct store *store)
{
	struct sqlite *sqlite = sqlite_of(store);
	int constraint;

	/* Some errors (a full disk) have already rolled back by themselves. */
	if (!sqlite3_get_autocommit(sqlite->db))
		run(sqlite, STATEMENT_ROLLBACK, "cannot roll back a batch", &constraint);
}

static int read_status(enum store_turn_status *status, const unsigned char *word)
{
	for (size_t i = 0; word && i < COUNT(status_words); ++i) {
		if (strcmp((const char *)word, status_words[i]) == 0) {
			*status = (enum store_turn_status)i;
			return 0;
		}
	}
	return EBADMSG;
}

static int read_turn(struct store_turn *turn, sqlite3_stmt *stmt)
{
	*turn = (struct store_turn){.key_id = sqlite3_column_int64(stmt, 1)};
	if (!column_text(turn->id, sizeof(turn->id), stmt, 0) ||
	    read_status(&turn->status, sqlite3_column_text(stmt, 3)) ||
	    !column_text(turn->model_id, sizeof(turn->model_id), stmt, 8))
		return damaged("turn");
	turn->at_ms = sqlite3_column_int64(stmt, 2);
	turn->samples = (uint64_t)sqlite3_column_int64(stmt, 4);
	turn->sample_rate = (uint32_t)sqlite3_column_int64(stmt, 5);
	turn->characters = (uint64_t)sqlite3_column_int64(stmt, 6);
	turn->voice_id = sqlite3_column_int64(stmt, 7);
	turn->amount_microcents = sqlite3_column_int64(stmt, 9);
	return 0;
}

static int turn_list(struct store *store, store_turn_h *each, void *arg)
{
	struct sqlite *sqlite = sqlite_of(store);
	sqlite3_stmt *stmt = sqlite->statements[STATEMENT_TURN_LIST];
	int code = SQLITE_DONE;
	int err = 0;

	while (!err && (code = sqlite3_step(stmt)) == SQLITE_ROW) {
		struct store_turn turn;

		err = read_turn(&turn, stmt);
		if (!err && !each(&turn, arg))
			break;
	}
	if (!err && code != SQLITE_DONE && code != SQLITE_ROW)
		err = failed(sqlite, "cannot list the turns");
	release(stmt);
	return err;
}

static const struct store_ops ops = {
	.key_add = key_add,
	.key_find = key_find,
	.key_revoke = key_revoke,
	.key_list = key_list,
	.begin = begin,
	.turn_add = turn_add,
	.commit = commit,
	.rollback = rollback,
	.turn_list = turn_list,
};

static void sqlite_destroy(void *object)
{
	struct sqlite *sqlite = object;

	for (size_t i = 0; i < STATEMENT_COUNT; ++i)
		sqlite3_finalize(sqlite->statements[i]);
	sqlite3_close(sqlite->db);
}

static int execute(struct sqlite *sqlite, const char *sql, const char *what)
{
	if (sqlite3_exec(sqlite->db, sql, NULL, NULL, NULL) != SQLITE_OK)
		return failed(sqlite, what);
	return 0;
}

static int read_version(struct sqlite *sqlite, int *version)
{
	sqlite3_stmt *stmt;
	int err = 0;

	if (sqlite3_prepare_v2(sqlite->db, "PRAGMA user_version", -1, &stmt, NULL) != SQLITE_OK)
		return failed(sqlite, "cannot read the schema's version");
	if (sqlite3_step(stmt) == SQLITE_ROW)
		*version = sqlite3_column_int(stmt, 0);
	else
		err = failed(sqlite, "cannot read the schema's version");
	sqlite3_finalize(stmt);
	return err;
}

/* Inside a transaction, so that of two processes that open a fresh file one
 * makes the tables and the other finds them made. */
static int apply_migrations(struct sqlite *sqlite)
{
	char pragma[48];
	int version = 0;
	int err = read_version(sqlite, &version);

	for (; !err && version < VERSION; ++version) {
		err = execute(sqlite, migrations[version], "cannot migrate the schema");
		snprintf(pragma, sizeof(pragma), "PRAGMA user_version = %d", version + 1);
		if (!err)
			err = execute(sqlite, pragma, "cannot migrate the schema");
	}
	return err ? err : execute(sqlite, "COMMIT", "cannot migrate the schema");
}

static int migrate(struct sqlite *sqlite)
{
	int version = 0;
	int err = read_version(sqlite, &version);

	if (err || version == VERSION)
		return err;
	if (version > VERSION) {
		log_error("store", "the file is of a newer program: version %d, known is %d",
			  version, VERSION);
		return ENOTSUP;
	}
	err = execute(sqlite, "BEGIN IMMEDIATE", "cannot migrate the schema");
	if (err)
		return err;
	err = apply_migrations(sqlite);
	if (err && !sqlite3_get_autocommit(sqlite->db))
		sqlite3_exec(sqlite->db, "ROLLBACK", NULL, NULL, NULL);
	return err;
}

static int prepare(struct sqlite *sqlite)
{
	for (size_t i = 0; i < STATEMENT_COUNT; ++i) {
		if (sqlite3_prepare_v3(sqlite->db, statement_sql[i], -1, SQLITE_PREPARE_PERSISTENT,
				       &sqlite->statements[i], NULL) != SQLITE_OK)
			return failed(sqlite, "cannot prepare a statement");
	}
	return 0;
}

/* The switch to a write-ahead log wants the file for itself and, so that two
 * who want it do not wait for each other, does not wait at all: when several
 * processes open a fresh file at once, we do the waiting. */
static int enter_wal_mode(struct sqlite *sqlite)
{
	int waited_ms = 0;
	int code;

	do {
		code = sqlite3_exec(sqlite->db, "PRAGMA journal_mode = WAL", NULL, NULL, NULL);
		if (code == SQLITE_BUSY)
			waited_ms += sqlite3_sleep(WAL_RETRY_MS);
	} while (code == SQLITE_BUSY && waited_ms < BUSY_TIMEOUT_MS);
	return code == SQLITE_OK ? 0 : failed(sqlite, "cannot be used as a database");
}

static int set_up(struct sqlite *sqlite)
{
	int err;

	sqlite3_busy_timeout(sqlite->db, BUSY_TIMEOUT_MS);
	if (sqlite3_db_readonly(sqlite->db, "main") == 1) {
		log_error("store", "the file cannot be written to");
		return EROFS;
	}
	err = enter_wal_mode(sqlite);
	if (!err)
		err = execute(sqlite, "PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON",
			      "cannot be used as a database");
	if (!err)
		err = migrate(sqlite);
	return err ? err : prepare(sqlite);
}

static int open_file(struct sqlite *sqlite, const char *path)
{
	/* No mutex of SQLite's own: one thread at a time is our contract. */
	int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
	int system_errno;

	if (sqlite3_open_v2(path, &sqlite->db, flags, NULL) == SQLITE_OK)
		return 0;
	if (!sqlite->db)
		return ENOMEM;
	system_errno = sqlite3_system_errno(sqlite->db);
	return system_errno > 0 ? system_errno : errno_of(sqlite3_errcode(sqlite->db));
}

int store_open_sqlite(struct store **storep, const char *path)
{
	struct sqlite *sqlite = mem_zalloc(sizeof(*sqlite), sqlite_destroy);
	int err = ENOMEM;

	if (!sqlite)
		goto out;
	sqlite->store.ops = &ops;
	err = open_file(sqlite, path);
	if (!err)
		err = set_up(sqlite);
	if (err)
		goto out;
	*storep = &sqlite->store;
	return 0;
out:
	log_error("store", "cannot open %s: %s", path, strerror(err));
	mem_deref(sqlite);
	return err;
}
