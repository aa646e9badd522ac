/*
 * sqlite.c: the store in one file, by SQLite.
 *
 * Used by one thread at a time; other processes may have the same file open
 * (the command line makes keys while the server runs).  A commit has reached
 * the disk when it returns: write-ahead log, synchronous FULL.
 *
 * The tables and statements are in sqlite_schema.c.
 */
#include "store/sqlite_private.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/count.h"
#include "base/log.h"
#include "base/mem.h"

/* Others hold the file for a transaction of well under a millisecond; whoever
 * takes this long is stuck, and the ledger tries again by itself. */
#define BUSY_TIMEOUT_MS 1000
#define WAL_RETRY_MS 5

static const char *const status_words[] = {
	[STORE_TURN_FINISHED] = "finished",
	[STORE_TURN_CANCELLED] = "cancelled",
	[STORE_TURN_FAILED] = "failed",
};

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

int sqlite_failed(const struct sqlite *sqlite, const char *what)
{
	int err = errno_of(sqlite3_extended_errcode(sqlite->db));

	log_error("store", "%s: %s (%s)", what, sqlite3_errmsg(sqlite->db), strerror(err));
	return err;
}

void sqlite_release(sqlite3_stmt *stmt)
{
	sqlite3_reset(stmt);
	sqlite3_clear_bindings(stmt);
}

int sqlite_run(struct sqlite *sqlite, enum statement id, const char *what, int *constraint)
{
	sqlite3_stmt *stmt = sqlite->statements[id];
	int code = sqlite3_step(stmt);
	int err = 0;

	*constraint = 0;
	if ((code & 0xff) == SQLITE_CONSTRAINT)
		*constraint = sqlite3_extended_errcode(sqlite->db);
	if (code != SQLITE_DONE)
		err = *constraint ? EINVAL : sqlite_failed(sqlite, what);
	sqlite_release(stmt);
	return err;
}

int sqlite_rows(struct sqlite *sqlite, enum statement id, const char *what, sqlite_row_h *row,
		void *arg)
{
	sqlite3_stmt *stmt = sqlite->statements[id];
	bool has_rows = false;
	int code = SQLITE_DONE;
	int err = 0;

	while (!err && (code = sqlite3_step(stmt)) == SQLITE_ROW) {
		has_rows = true;
		err = row(stmt, arg);
	}
	if (!err && code != SQLITE_DONE)
		err = sqlite_failed(sqlite, what);
	sqlite_release(stmt);
	if (err == ECANCELED)
		return 0;
	return err || has_rows ? err : ENOENT;
}

static int read_number(sqlite3_stmt *stmt, void *arg)
{
	*(int64_t *)arg = sqlite3_column_int64(stmt, 0);
	return 0;
}

int sqlite_number(struct sqlite *sqlite, enum statement id, const char *what, int64_t *number)
{
	return sqlite_rows(sqlite, id, what, read_number, number);
}

void sqlite_bind_text(sqlite3_stmt *stmt, int at, const char *text)
{
	sqlite3_bind_text(stmt, at, text, -1, SQLITE_STATIC);
}

static int key_add(struct store *store, struct store_key *key)
{
	struct sqlite *sqlite = sqlite_of(store);
	sqlite3_stmt *stmt = sqlite->statements[STATEMENT_KEY_ADD];
	int constraint;
	int err;

	sqlite_bind_text(stmt, 1, key->prefix);
	sqlite3_bind_blob(stmt, 2, key->hash, sizeof(key->hash), SQLITE_STATIC);
	sqlite_bind_text(stmt, 3, key->name);
	sqlite3_bind_int64(stmt, 4, key->credit_cents);
	sqlite3_bind_int64(stmt, 5, key->streams_max);
	sqlite3_bind_int64(stmt, 6, key->created_ms);
	sqlite3_bind_int64(stmt, 7, key->revoked_ms);
	sqlite3_bind_int64(stmt, 8, key->project_id);
	sqlite3_bind_int64(stmt, 9, key->scopes);
	err = sqlite_run(sqlite, STATEMENT_KEY_ADD, "cannot add a key", &constraint);
	if (constraint)
		return constraint == SQLITE_CONSTRAINT_FOREIGNKEY ? EINVAL : EEXIST;
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

int sqlite_damaged(const char *table)
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
		return sqlite_damaged("key");
	memcpy(key->hash, hash, sizeof(key->hash));
	key->credit_cents = sqlite3_column_int64(stmt, 4);
	key->streams_max = sqlite3_column_int64(stmt, 5);
	key->created_ms = sqlite3_column_int64(stmt, 6);
	key->revoked_ms = sqlite3_column_int64(stmt, 7);
	key->project_id = sqlite3_column_int64(stmt, 8);
	key->scopes = (unsigned)sqlite3_column_int64(stmt, 9);
	return 0;
}

static int show_one_key(sqlite3_stmt *stmt, void *arg)
{
	return read_key(arg, stmt);
}

static int key_find(struct store *store, struct store_key *key, const char *prefix)
{
	struct sqlite *sqlite = sqlite_of(store);

	sqlite_bind_text(sqlite->statements[STATEMENT_KEY_FIND], 1, prefix);
	return sqlite_rows(sqlite, STATEMENT_KEY_FIND, "cannot look up a key", show_one_key, key);
}

static int key_revoke(struct store *store, const char *prefix, int64_t at_ms)
{
	struct sqlite *sqlite = sqlite_of(store);
	sqlite3_stmt *stmt = sqlite->statements[STATEMENT_KEY_REVOKE];
	int constraint;
	int err;

	sqlite_bind_text(stmt, 1, prefix);
	sqlite3_bind_int64(stmt, 2, at_ms);
	err = sqlite_run(sqlite, STATEMENT_KEY_REVOKE, "cannot revoke a key", &constraint);
	if (!err && sqlite3_changes(sqlite->db) == 0)
		return ENOENT;
	return err;
}

static int key_set_scopes(struct store *store, const char *prefix, unsigned scopes)
{
	struct sqlite *sqlite = sqlite_of(store);
	sqlite3_stmt *stmt = sqlite->statements[STATEMENT_KEY_SET_SCOPES];
	int constraint;
	int err;

	sqlite_bind_text(stmt, 1, prefix);
	sqlite3_bind_int64(stmt, 2, scopes);
	err = sqlite_run(sqlite, STATEMENT_KEY_SET_SCOPES, "cannot change a key", &constraint);
	if (!err && sqlite3_changes(sqlite->db) == 0)
		return ENOENT;
	return err;
}

struct key_viewer {
	store_key_h *each;
	void *arg;
};

static int show_key(sqlite3_stmt *stmt, void *arg)
{
	const struct key_viewer *viewer = arg;
	struct store_key key;
	int err = read_key(&key, stmt);

	if (err)
		return err;
	return viewer->each(&key, viewer->arg) ? 0 : ECANCELED;
}

static int key_list(struct store *store, store_key_h *each, void *arg)
{
	struct key_viewer viewer = {each, arg};
	int err = sqlite_rows(sqlite_of(store), STATEMENT_KEY_LIST, "cannot list the keys",
			      show_key, &viewer);

	return err == ENOENT ? 0 : err;
}

int sqlite_begin(struct store *store)
{
	int constraint;

	return sqlite_run(sqlite_of(store), STATEMENT_BEGIN, "cannot begin a batch", &constraint);
}

static int turn_add(struct store *store, const struct store_turn *turn)
{
	struct sqlite *sqlite = sqlite_of(store);
	sqlite3_stmt *stmt = sqlite->statements[STATEMENT_TURN_ADD];
	int constraint;

	sqlite_bind_text(stmt, 1, turn->id);
	sqlite3_bind_int64(stmt, 2, turn->key_id);
	sqlite3_bind_int64(stmt, 3, turn->at_ms);
	sqlite_bind_text(stmt, 4, status_words[turn->status]);
	sqlite3_bind_int64(stmt, 5, (int64_t)turn->samples);
	sqlite3_bind_int64(stmt, 6, turn->sample_rate);
	sqlite3_bind_int64(stmt, 7, (int64_t)turn->characters);
	sqlite3_bind_int64(stmt, 8, turn->voice_id);
	sqlite_bind_text(stmt, 9, turn->model_id);
	sqlite3_bind_int64(stmt, 10, turn->amount_microcents);
	return sqlite_run(sqlite, STATEMENT_TURN_ADD, "cannot book a turn", &constraint);
}

int sqlite_commit(struct store *store)
{
	int constraint;

	return sqlite_run(sqlite_of(store), STATEMENT_COMMIT, "cannot commit a batch", &constraint);
}

void sqlite_rollback(struct store *store)
{
	struct sqlite *sqlite = sqlite_of(store);
	int constraint;

	/* Some errors (a full disk) have already rolled back by themselves. */
	if (!sqlite3_get_autocommit(sqlite->db))
		sqlite_run(sqlite, STATEMENT_ROLLBACK, "cannot roll back a batch", &constraint);
}

int sqlite_end(struct store *store, int err)
{
	if (!err)
		err = sqlite_commit(store);
	if (err)
		sqlite_rollback(store);
	return err;
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
		return sqlite_damaged("turn");
	turn->at_ms = sqlite3_column_int64(stmt, 2);
	turn->samples = (uint64_t)sqlite3_column_int64(stmt, 4);
	turn->sample_rate = (uint32_t)sqlite3_column_int64(stmt, 5);
	turn->characters = (uint64_t)sqlite3_column_int64(stmt, 6);
	turn->voice_id = sqlite3_column_int64(stmt, 7);
	turn->amount_microcents = sqlite3_column_int64(stmt, 9);
	return 0;
}

struct turn_viewer {
	store_turn_h *each;
	void *arg;
};

static int show_turn(sqlite3_stmt *stmt, void *arg)
{
	const struct turn_viewer *viewer = arg;
	struct store_turn turn;
	int err = read_turn(&turn, stmt);

	if (err)
		return err;
	return viewer->each(&turn, viewer->arg) ? 0 : ECANCELED;
}

static int turn_list(struct store *store, store_turn_h *each, void *arg)
{
	struct turn_viewer viewer = {each, arg};
	int err = sqlite_rows(sqlite_of(store), STATEMENT_TURN_LIST, "cannot list the turns",
			      show_turn, &viewer);

	return err == ENOENT ? 0 : err;
}

static int version(struct store *store, int64_t *number)
{
	return sqlite_number(sqlite_of(store), STATEMENT_VERSION, "cannot look for changes",
			     number);
}

static const struct store_ops ops = {
	.key_add = key_add,
	.key_find = key_find,
	.key_revoke = key_revoke,
	.key_set_scopes = key_set_scopes,
	.key_list = key_list,
	.begin = sqlite_begin,
	.turn_add = turn_add,
	.commit = sqlite_commit,
	.rollback = sqlite_rollback,
	.turn_list = turn_list,
	.dictionary_list = sqlite_dictionary_list,
	.dictionary_get = sqlite_dictionary_get,
	.dictionary_add = sqlite_dictionary_add,
	.dictionary_change = sqlite_dictionary_change,
	.dictionary_remove = sqlite_dictionary_remove,
	.entry_list = sqlite_entry_list,
	.entry_count = sqlite_entry_count,
	.entry_get = sqlite_entry_get,
	.entry_add = sqlite_entry_add,
	.entry_change = sqlite_entry_change,
	.entry_remove = sqlite_entry_remove,
	.entry_replace = sqlite_entry_replace,
	.voice_list = sqlite_voice_list,
	.voice_add = sqlite_voice_add,
	.voice_change = sqlite_voice_change,
	.voice_remove = sqlite_voice_remove,
	.version = version,
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
		return sqlite_failed(sqlite, what);
	return 0;
}

static int read_version(struct sqlite *sqlite, int *version)
{
	sqlite3_stmt *stmt;
	int err = 0;

	if (sqlite3_prepare_v2(sqlite->db, "PRAGMA user_version", -1, &stmt, NULL) != SQLITE_OK)
		return sqlite_failed(sqlite, "cannot read the schema's version");
	if (sqlite3_step(stmt) == SQLITE_ROW)
		*version = sqlite3_column_int(stmt, 0);
	else
		err = sqlite_failed(sqlite, "cannot read the schema's version");
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

	for (; !err && version < sqlite_schema_version; ++version) {
		err = execute(sqlite, sqlite_schema_migrations[version],
			      "cannot migrate the schema");
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

	if (err || version == sqlite_schema_version)
		return err;
	if (version > sqlite_schema_version) {
		log_error("store", "the file is of a newer program: version %d, known is %d",
			  version, sqlite_schema_version);
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
		if (sqlite3_prepare_v3(sqlite->db, sqlite_schema_statements[i], -1,
				       SQLITE_PREPARE_PERSISTENT, &sqlite->statements[i],
				       NULL) != SQLITE_OK)
			return sqlite_failed(sqlite, "cannot prepare a statement");
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
	return code == SQLITE_OK ? 0 : sqlite_failed(sqlite, "cannot be used as a database");
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
		err = execute(sqlite, "PRAGMA synchronous = FULL", "cannot be used as a database");
	if (!err)
		err = migrate(sqlite);
	/* Only now: with them no column that refers to another table can be added. */
	if (!err)
		err = execute(sqlite, "PRAGMA foreign_keys = ON", "cannot be used as a database");
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
