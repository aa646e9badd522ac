/*
 * postgres_keys.c: keys and tokens in the PostgreSQL store.
 */
#include <errno.h>
#include <string.h>

#include "store/postgres_private.h"

static int read_key(const struct postgres_row *row, void *arg)
{
	struct store_key *key = arg;

	*key = (struct store_key){.id = postgres_number_at(row, 0)};
	if (!postgres_copy_text(key->prefix, sizeof(key->prefix), row, 1) ||
	    !postgres_copy_bytes(key->hash, sizeof(key->hash), row, 2) ||
	    !postgres_copy_text(key->name, sizeof(key->name), row, 3))
		return postgres_damaged("key");
	key->credit_cents = postgres_number_at(row, 4);
	postgres_limits_at(&key->limits, row, 5);
	key->created_ms = postgres_number_at(row, 10);
	key->revoked_ms = postgres_number_at(row, 11);
	key->expires_ms = postgres_number_at(row, 12);
	key->used_ms = postgres_number_at(row, 13);
	key->spent_microcents = postgres_number_at(row, 14);
	key->project_id = postgres_number_at(row, 15);
	key->account_id = postgres_number_at(row, 16);
	key->scopes = (unsigned)postgres_number_at(row, 17);
	return 0;
}

/* Shows the row as it is now: a key's account is its project's. */
int postgres_key_add(struct store *store, struct store_key *key)
{
	struct postgres_values values = {.count = 0};

	postgres_put_text(&values, key->prefix);
	postgres_put_bytes(&values, key->hash, sizeof(key->hash));
	postgres_put_text(&values, key->name);
	postgres_put_number(&values, key->credit_cents);
	postgres_put_limits(&values, &key->limits);
	postgres_put_number(&values, key->created_ms);
	postgres_put_number(&values, key->revoked_ms);
	postgres_put_number(&values, key->expires_ms);
	postgres_put_number(&values, key->project_id);
	postgres_put_number(&values, key->scopes);
	return postgres_rows(postgres_of(store), POSTGRES_KEY_ADD, &values, "cannot add a key",
			     read_key, key);
}

int postgres_key_find(struct store *store, struct store_key *key, const char *prefix)
{
	struct postgres_values values = {.count = 0};

	postgres_put_text(&values, prefix);
	return postgres_rows(postgres_of(store), POSTGRES_KEY_FIND, &values, "cannot look up a key",
			     read_key, key);
}

int postgres_key_revoke(struct store *store, const char *prefix, int64_t at_ms)
{
	struct postgres_values values = {.count = 0};
	struct postgres_answer answer;

	postgres_put_text(&values, prefix);
	postgres_put_number(&values, at_ms);
	return postgres_change(postgres_of(store), POSTGRES_KEY_REVOKE, &values,
			       "cannot revoke a key", &answer);
}

struct viewer {
	store_key_h *each;
	void *arg;
};

static int show_key(const struct postgres_row *row, void *arg)
{
	const struct viewer *viewer = arg;
	struct store_key key;
	int err = read_key(row, &key);

	if (err)
		return err;
	return viewer->each(&key, viewer->arg) ? 0 : ECANCELED;
}

int postgres_key_list(struct store *store, store_key_h *each, void *arg)
{
	struct viewer viewer = {each, arg};
	int err = postgres_rows(postgres_of(store), POSTGRES_KEY_LIST, NULL, "cannot list the keys",
				show_key, &viewer);

	return err == ENOENT ? 0 : err;
}

int postgres_key_change(struct store *store, const char *prefix, unsigned fields,
			const struct store_key *to)
{
	struct postgres_values values = {.count = 0};
	struct postgres_answer answer;

	postgres_put_text(&values, prefix);
	postgres_put_number(&values, fields);
	postgres_put_text(&values, to->name);
	postgres_put_number(&values, to->scopes);
	postgres_put_limits(&values, &to->limits);
	postgres_put_number(&values, to->credit_cents);
	postgres_put_number(&values, to->expires_ms);
	return postgres_change(postgres_of(store), POSTGRES_KEY_CHANGE, &values,
			       "cannot change a key", &answer);
}

int postgres_key_used(struct store *store, int64_t key_id, int64_t at_ms)
{
	struct postgres_values values = {.count = 0};
	struct postgres_answer answer;

	postgres_put_number(&values, key_id);
	postgres_put_number(&values, at_ms);
	return postgres_change(postgres_of(store), POSTGRES_KEY_USED, &values,
			       "cannot note a key's use", &answer);
}

int postgres_token_add(struct store *store, const struct store_token *token, int64_t now_ms)
{
	struct postgres_values values = {.count = 0};
	struct postgres_answer answer;
	int err;

	postgres_put_bytes(&values, token->hash, sizeof(token->hash));
	postgres_put_number(&values, token->key_id);
	postgres_put_text(&values, token->path);
	postgres_put_number(&values, token->expires_ms);
	postgres_put_number(&values, now_ms);
	postgres_put_number(&values, STORE_TOKENS_MAX);
	err = postgres_run(postgres_of(store), POSTGRES_TOKEN_ADD, &values, "cannot add a token",
			   &answer);
	return err || answer.changed > 0 ? err : EDQUOT;
}

int postgres_token_take(struct store *store, struct store_key *key, const uint8_t *hash,
			const char *path, int64_t now_ms)
{
	struct postgres_values values = {.count = 0};

	postgres_put_bytes(&values, hash, STORE_KEY_HASH_LEN);
	postgres_put_text(&values, path);
	postgres_put_number(&values, now_ms);
	return postgres_rows(postgres_of(store), POSTGRES_TOKEN_TAKE, &values,
			     "cannot take a token", read_key, key);
}
