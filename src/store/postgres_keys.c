/*
 * postgres_keys.c: keys and tokens in the PostgreSQL store.
 */
#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "store/postgres_private.h"

static int postgres_keys_read_key(const struct postgres_row *row, void *arg)
{
	struct store_key *key = arg;

	*key = (struct store_key){.id = postgres_number_at(row, 0)};
	if (!postgres_copy_text(key->prefix, sizeof(key->prefix), row, 1) ||
	    !postgres_copy_bytes(key->hash, sizeof(key->hash), row, 2) ||
	    !postgres_copy_text(key->name, sizeof(key->name), row, 3))
		return postgres_damaged("key");
	key->credit_cents = postgres_number_at(row, 4);
	postgres_limits_at(&key->limits, row, 5);
	key->created_ms = postgres_number_at(row, 11);
	key->revoked_ms = postgres_number_at(row, 12);
	key->expires_ms = postgres_number_at(row, 13);
	key->used_ms = postgres_number_at(row, 14);
	key->spent_microcents = postgres_number_at(row, 15);
	key->project_id = postgres_number_at(row, 16);
	key->account_id = postgres_number_at(row, 17);
	key->scopes = (unsigned)postgres_number_at(row, 18);
	return 0;
}

/* Counts the keys of an account: those active at a time, or all if it is 0. */
static int postgres_keys_count_keys(int64_t *count, struct postgres *postgres, int64_t account_id,
				    int64_t now_ms)
{
	struct postgres_values values = {.count = 0};

	postgres_put_number(&values, account_id);
	postgres_put_number(&values, now_ms);
	return postgres_number(postgres, POSTGRES_KEY_COUNT, &values, "cannot count keys", count);
}

static int postgres_keys_check_key_room(struct postgres *postgres, const struct store_key *key)
{
	int64_t account_id;
	int64_t in_force = 0;
	int64_t all = 0;
	int err = postgres_lock_account(&account_id, postgres, POSTGRES_LOCK_ACCOUNT_OF_PROJECT,
					key->project_id);

	if (err || postgres->store.is_unlimited)
		return err;
	err = postgres_keys_count_keys(&in_force, postgres, account_id, clock_wall_ms());
	if (!err)
		err = postgres_keys_count_keys(&all, postgres, account_id, 0);
	if (err)
		return err;
	return in_force < STORE_KEYS_MAX && all < STORE_KEYS_EVER_MAX ? 0 : EDQUOT;
}

/* Reads the row back, because a key's account is that of its project. */
static int postgres_keys_add_key(struct postgres *postgres, void *arg)
{
	struct store_key *key = arg;
	struct postgres_values values = {.count = 0};
	int err = postgres_keys_check_key_room(postgres, key);

	if (err)
		return err;
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
	return postgres_rows(postgres, POSTGRES_KEY_ADD, &values, "cannot add a key",
			     postgres_keys_read_key, key);
}

int postgres_key_add(struct store *store, struct store_key *key)
{
	return postgres_transaction(postgres_of(store), postgres_keys_add_key, key);
}

int postgres_key_find(struct store *store, struct store_key *key, const char *prefix)
{
	struct postgres_values values = {.count = 0};

	postgres_put_text(&values, prefix);
	return postgres_rows(postgres_of(store), POSTGRES_KEY_FIND, &values, "cannot look up a key",
			     postgres_keys_read_key, key);
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

struct postgres_key_viewer {
	store_key_h *each;
	void *arg;
};

static int postgres_keys_show_key(const struct postgres_row *row, void *arg)
{
	const struct postgres_key_viewer *viewer = arg;
	struct store_key key;
	int err = postgres_keys_read_key(row, &key);

	if (err)
		return err;
	return viewer->each(&key, viewer->arg) ? 0 : ECANCELED;
}

int postgres_key_list(struct store *store, store_key_h *each, void *arg)
{
	struct postgres_key_viewer viewer = {each, arg};
	int err = postgres_rows(postgres_of(store), POSTGRES_KEY_LIST, NULL, "cannot list the keys",
				postgres_keys_show_key, &viewer);

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
			       "cannot record a key's use", &answer);
}

int postgres_token_add(struct store *store, const struct store_token *token, int64_t now_ms)
{
	struct postgres_values values = {.count = 0};
	int64_t added;
	int err;

	postgres_put_bytes(&values, token->hash, sizeof(token->hash));
	postgres_put_number(&values, token->key_id);
	postgres_put_text(&values, token->path);
	postgres_put_number(&values, token->expires_ms);
	postgres_put_number(&values, now_ms);
	postgres_put_number(&values, STORE_TOKENS_MAX);
	err = postgres_number(postgres_of(store), POSTGRES_TOKEN_ADD, &values, "cannot add a token",
			      &added);
	if (err || added == 1)
		return err;
	return added == 0 ? EDQUOT : EINVAL;
}

int postgres_token_take(struct store *store, struct store_key *key, const uint8_t *hash,
			const char *path, int64_t now_ms)
{
	struct postgres_values values = {.count = 0};

	postgres_put_bytes(&values, hash, STORE_KEY_HASH_LEN);
	postgres_put_text(&values, path);
	postgres_put_number(&values, now_ms);
	return postgres_rows(postgres_of(store), POSTGRES_TOKEN_TAKE, &values,
			     "cannot take a token", postgres_keys_read_key, key);
}
