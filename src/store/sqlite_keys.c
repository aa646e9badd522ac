/*
 * sqlite_keys.c: keys and single-use tokens in the SQLite store.
 */
#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "store/sqlite_private.h"

/* Counts the keys of the project's account: those active at a time, or all if it is 0. */
static int sqlite_keys_count_keys(int64_t *count, struct sqlite *sqlite, int64_t project_id,
				  int64_t now_ms)
{
	sqlite3_stmt *stmt = sqlite->statements[STATEMENT_KEY_COUNT];

	sqlite3_bind_int64(stmt, 1, project_id);
	sqlite3_bind_int64(stmt, 2, now_ms);
	return sqlite_number(sqlite, STATEMENT_KEY_COUNT, "cannot count keys", count);
}

static int sqlite_keys_check_key_room(struct sqlite *sqlite, const struct store_key *key)
{
	int64_t active = 0;
	int64_t all = 0;
	int err = 0;

	if (sqlite->store.is_unlimited)
		return 0;
	err = sqlite_keys_count_keys(&active, sqlite, key->project_id, clock_wall_ms());
	if (!err)
		err = sqlite_keys_count_keys(&all, sqlite, key->project_id, 0);
	if (err)
		return err;
	return active < STORE_KEYS_MAX && all < STORE_KEYS_EVER_MAX ? 0 : EDQUOT;
}

static int sqlite_keys_insert_key(struct sqlite *sqlite, struct store_key *key)
{
	sqlite3_stmt *stmt = sqlite->statements[STATEMENT_KEY_ADD];
	int constraint;
	int err;

	sqlite_bind_text(stmt, 1, key->prefix);
	sqlite3_bind_blob(stmt, 2, key->hash, sizeof(key->hash), SQLITE_STATIC);
	sqlite_bind_text(stmt, 3, key->name);
	sqlite3_bind_int64(stmt, 4, key->credit_cents);
	sqlite_bind_limits(stmt, 5, &key->limits);
	sqlite3_bind_int64(stmt, 11, key->created_ms);
	sqlite3_bind_int64(stmt, 12, key->revoked_ms);
	sqlite3_bind_int64(stmt, 13, key->expires_ms);
	sqlite3_bind_int64(stmt, 14, key->project_id);
	sqlite3_bind_int64(stmt, 15, key->scopes);
	err = sqlite_run(sqlite, STATEMENT_KEY_ADD, "cannot add a key", &constraint);
	if (constraint)
		return constraint == SQLITE_CONSTRAINT_FOREIGNKEY ? EINVAL : EEXIST;
	if (err)
		return err;
	/* A key's account is that of its project, so the row is read back. */
	return sqlite_key_get(sqlite, key, sqlite3_last_insert_rowid(sqlite->db));
}

int sqlite_key_add(struct store *store, struct store_key *key)
{
	struct sqlite *sqlite = sqlite_of(store);
	int err = sqlite_begin(store);

	if (err)
		return err;
	err = sqlite_keys_check_key_room(sqlite, key);
	if (!err)
		err = sqlite_keys_insert_key(sqlite, key);
	return sqlite_end(store, err);
}

static int sqlite_keys_read_key(struct store_key *key, sqlite3_stmt *stmt)
{
	const void *hash = sqlite3_column_blob(stmt, 2);

	*key = (struct store_key){.id = sqlite3_column_int64(stmt, 0)};
	if (!sqlite_column_text(key->prefix, sizeof(key->prefix), stmt, 1) || !hash ||
	    sqlite3_column_bytes(stmt, 2) != (int)sizeof(key->hash) ||
	    !sqlite_column_text(key->name, sizeof(key->name), stmt, 3))
		return sqlite_damaged("key");
	memcpy(key->hash, hash, sizeof(key->hash));
	key->credit_cents = sqlite3_column_int64(stmt, 4);
	key->limits = sqlite_column_limits(stmt, 5);
	key->created_ms = sqlite3_column_int64(stmt, 11);
	key->revoked_ms = sqlite3_column_int64(stmt, 12);
	key->expires_ms = sqlite3_column_int64(stmt, 13);
	key->used_ms = sqlite3_column_int64(stmt, 14);
	key->spent_microcents = sqlite3_column_int64(stmt, 15);
	key->project_id = sqlite3_column_int64(stmt, 16);
	key->account_id = sqlite3_column_int64(stmt, 17);
	key->scopes = (unsigned)sqlite3_column_int64(stmt, 18);
	return 0;
}

static int sqlite_keys_show_one_key(sqlite3_stmt *stmt, void *arg)
{
	return sqlite_keys_read_key(arg, stmt);
}

int sqlite_key_find(struct store *store, struct store_key *key, const char *prefix)
{
	struct sqlite *sqlite = sqlite_of(store);

	sqlite_bind_text(sqlite->statements[STATEMENT_KEY_FIND], 1, prefix);
	return sqlite_rows(sqlite, STATEMENT_KEY_FIND, "cannot look up a key",
			   sqlite_keys_show_one_key, key);
}

int sqlite_key_get(struct sqlite *sqlite, struct store_key *key, int64_t id)
{
	sqlite3_bind_int64(sqlite->statements[STATEMENT_KEY_GET], 1, id);
	return sqlite_rows(sqlite, STATEMENT_KEY_GET, "cannot look up a key",
			   sqlite_keys_show_one_key, key);
}

int sqlite_key_revoke(struct store *store, const char *prefix, int64_t at_ms)
{
	struct sqlite *sqlite = sqlite_of(store);
	sqlite3_stmt *stmt = sqlite->statements[STATEMENT_KEY_REVOKE];

	sqlite_bind_text(stmt, 1, prefix);
	sqlite3_bind_int64(stmt, 2, at_ms);
	return sqlite_change(sqlite, STATEMENT_KEY_REVOKE, "cannot revoke a key");
}

int sqlite_key_change(struct store *store, const char *prefix, unsigned fields,
		      const struct store_key *to)
{
	struct sqlite *sqlite = sqlite_of(store);
	sqlite3_stmt *stmt = sqlite->statements[STATEMENT_KEY_CHANGE];

	sqlite_bind_text(stmt, 1, prefix);
	sqlite3_bind_int64(stmt, 2, fields);
	sqlite_bind_text(stmt, 3, to->name);
	sqlite3_bind_int64(stmt, 4, to->credit_cents);
	sqlite_bind_limits(stmt, 5, &to->limits);
	sqlite3_bind_int64(stmt, 11, to->scopes);
	sqlite3_bind_int64(stmt, 12, to->expires_ms);
	return sqlite_change(sqlite, STATEMENT_KEY_CHANGE, "cannot change a key");
}

int sqlite_key_used(struct store *store, int64_t key_id, int64_t at_ms)
{
	struct sqlite *sqlite = sqlite_of(store);
	sqlite3_stmt *stmt = sqlite->statements[STATEMENT_KEY_USED];

	sqlite3_bind_int64(stmt, 1, key_id);
	sqlite3_bind_int64(stmt, 2, at_ms);
	return sqlite_change(sqlite, STATEMENT_KEY_USED, "cannot record a key's use");
}

struct sqlite_key_viewer {
	store_key_h *each;
	void *arg;
};

static int sqlite_keys_show_key(sqlite3_stmt *stmt, void *arg)
{
	const struct sqlite_key_viewer *viewer = arg;
	struct store_key key;
	int err = sqlite_keys_read_key(&key, stmt);

	if (err)
		return err;
	return viewer->each(&key, viewer->arg) ? 0 : ECANCELED;
}

int sqlite_key_list(struct store *store, store_key_h *each, void *arg)
{
	struct sqlite_key_viewer viewer = {each, arg};
	int err = sqlite_rows(sqlite_of(store), STATEMENT_KEY_LIST, "cannot list the keys",
			      sqlite_keys_show_key, &viewer);

	return err == ENOENT ? 0 : err;
}

static int sqlite_keys_make_room(struct sqlite *sqlite, int64_t key_id, int64_t now_ms)
{
	sqlite3_stmt *stmt = sqlite->statements[STATEMENT_TOKEN_FORGET_OLD];
	int64_t count;
	int constraint;
	int err;

	sqlite3_bind_int64(stmt, 1, key_id);
	sqlite3_bind_int64(stmt, 2, now_ms);
	err = sqlite_run(sqlite, STATEMENT_TOKEN_FORGET_OLD, "cannot forget tokens", &constraint);
	if (err)
		return err;
	sqlite3_bind_int64(sqlite->statements[STATEMENT_TOKEN_COUNT], 1, key_id);
	err = sqlite_number(sqlite, STATEMENT_TOKEN_COUNT, "cannot count tokens", &count);
	if (err)
		return err;
	return count < STORE_TOKENS_MAX ? 0 : EDQUOT;
}

static int sqlite_keys_insert_token(struct sqlite *sqlite, const struct store_token *token)
{
	sqlite3_stmt *stmt = sqlite->statements[STATEMENT_TOKEN_ADD];
	int constraint;
	int err;

	sqlite3_bind_blob(stmt, 1, token->hash, sizeof(token->hash), SQLITE_STATIC);
	sqlite3_bind_int64(stmt, 2, token->key_id);
	sqlite_bind_text(stmt, 3, token->path);
	sqlite3_bind_int64(stmt, 4, token->expires_ms);
	err = sqlite_run(sqlite, STATEMENT_TOKEN_ADD, "cannot add a token", &constraint);
	if (constraint)
		return constraint == SQLITE_CONSTRAINT_FOREIGNKEY ? EINVAL : EEXIST;
	return err;
}

int sqlite_token_add(struct store *store, const struct store_token *token, int64_t now_ms)
{
	struct sqlite *sqlite = sqlite_of(store);
	int err = sqlite_begin(store);

	if (err)
		return err;
	err = sqlite_keys_make_room(sqlite, token->key_id, now_ms);
	if (!err)
		err = sqlite_keys_insert_token(sqlite, token);
	return sqlite_end(store, err);
}

/* `id` is STATEMENT_TOKEN_LOOK or STATEMENT_TOKEN_TAKE. */
static int sqlite_keys_find_token(struct sqlite *sqlite, enum statement id, const uint8_t *hash,
				  const char *path, int64_t now_ms, int64_t *key_id)
{
	sqlite3_stmt *stmt = sqlite->statements[id];

	sqlite3_bind_blob(stmt, 1, hash, STORE_KEY_HASH_LEN, SQLITE_STATIC);
	sqlite_bind_text(stmt, 2, path);
	sqlite3_bind_int64(stmt, 3, now_ms);
	return sqlite_number(sqlite, id, "cannot take a token", key_id);
}

/* The token is looked up before it is removed, so that a guessed token neither waits for writers
 * nor delays them. */
int sqlite_token_take(struct store *store, struct store_key *key, const uint8_t *hash,
		      const char *path, int64_t now_ms)
{
	struct sqlite *sqlite = sqlite_of(store);
	int64_t key_id;
	int err = sqlite_keys_find_token(sqlite, STATEMENT_TOKEN_LOOK, hash, path, now_ms, &key_id);

	if (!err)
		err = sqlite_begin(store);
	if (err)
		return err;
	err = sqlite_keys_find_token(sqlite, STATEMENT_TOKEN_TAKE, hash, path, now_ms, &key_id);
	if (!err)
		err = sqlite_key_get(sqlite, key, key_id);
	return sqlite_end(store, err);
}
