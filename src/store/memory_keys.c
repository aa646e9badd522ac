/*
 * memory_keys.c: keys and single-use tokens in the memory store.
 */
#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "store/memory_private.h"

struct store_key *memory_key(struct memory *memory, int64_t id)
{
	if (id < 1 || id > (int64_t)memory->key_count)
		return NULL;
	return &memory->keys[id - 1];
}

static struct store_key *find(struct memory *memory, const char *prefix)
{
	for (size_t i = 0; i < memory->key_count; ++i) {
		if (strcmp(memory->keys[i].prefix, prefix) == 0)
			return &memory->keys[i];
	}
	return NULL;
}

static bool has_room(const struct memory *memory, int64_t account_id, int64_t now_ms)
{
	size_t in_force = 0;
	size_t all = 0;

	for (size_t i = 0; i < memory->key_count; ++i) {
		const struct store_key *key = &memory->keys[i];
		bool has_ended = key->revoked_ms || (key->expires_ms && key->expires_ms <= now_ms);

		all += key->account_id == account_id;
		in_force += key->account_id == account_id && !has_ended;
	}
	return memory->store.is_unlimited ||
	       (in_force < STORE_KEYS_MAX && all < STORE_KEYS_EVER_MAX);
}

int memory_key_add(struct store *store, struct store_key *key)
{
	struct memory *memory = memory_of(store);
	const struct store_project *project = memory_project(memory, key->project_id);
	struct store_key *keys;

	if (find(memory, key->prefix))
		return EEXIST;
	if (!project)
		return EINVAL;
	if (!has_room(memory, project->account_id, clock_wall_ms()))
		return EDQUOT;
	keys = memory_grow(memory->keys, memory->key_count, sizeof(*keys));
	if (!keys)
		return ENOMEM;
	memory->keys = keys;
	key->id = (int64_t)memory->key_count + 1;
	key->account_id = project->account_id;
	key->used_ms = 0;
	key->spent_microcents = 0;
	keys[memory->key_count++] = *key;
	memory_note_change(memory);
	return 0;
}

int memory_key_find(struct store *store, struct store_key *key, const char *prefix)
{
	const struct store_key *found = find(memory_of(store), prefix);

	if (!found)
		return ENOENT;
	*key = *found;
	return 0;
}

int memory_key_revoke(struct store *store, const char *prefix, int64_t at_ms)
{
	struct store_key *key = find(memory_of(store), prefix);

	if (!key)
		return ENOENT;
	if (!key->revoked_ms)
		key->revoked_ms = at_ms;
	memory_note_change(memory_of(store));
	return 0;
}

int memory_key_list(struct store *store, store_key_h *each, void *arg)
{
	struct memory *memory = memory_of(store);

	for (size_t i = 0; i < memory->key_count; ++i) {
		if (!each(&memory->keys[i], arg))
			break;
	}
	return 0;
}

int memory_key_change(struct store *store, const char *prefix, unsigned fields,
		      const struct store_key *to)
{
	struct store_key *key = find(memory_of(store), prefix);

	if (!key)
		return ENOENT;
	if (fields & STORE_KEY_NAME)
		memcpy(key->name, to->name, sizeof(key->name));
	if (fields & STORE_KEY_SCOPES)
		key->scopes = to->scopes;
	if (fields & STORE_KEY_LIMITS)
		key->limits = to->limits;
	if (fields & STORE_KEY_CREDIT)
		key->credit_cents = to->credit_cents;
	if (fields & STORE_KEY_EXPIRES)
		key->expires_ms = to->expires_ms;
	memory_note_change(memory_of(store));
	return 0;
}

int memory_key_used(struct store *store, int64_t key_id, int64_t at_ms)
{
	struct store_key *key = memory_key(memory_of(store), key_id);

	if (!key)
		return ENOENT;
	if (at_ms > key->used_ms)
		key->used_ms = at_ms;
	return 0;
}

static void forget_token(struct memory *memory, size_t i)
{
	memory->tokens[i] = memory->tokens[--memory->token_count];
}

static void forget_expired(struct memory *memory, int64_t now_ms)
{
	size_t i = 0;

	while (i < memory->token_count) {
		if (memory->tokens[i].expires_ms <= now_ms)
			forget_token(memory, i);
		else
			++i;
	}
}

static int check_token(struct memory *memory, const struct store_token *token)
{
	int64_t account_id = memory_key(memory, token->key_id)->account_id;
	size_t count = 0;

	for (size_t i = 0; i < memory->token_count; ++i) {
		const struct store_token *other = &memory->tokens[i];

		if (memcmp(other->hash, token->hash, sizeof(token->hash)) == 0)
			return EEXIST;
		count += memory_key(memory, other->key_id)->account_id == account_id;
	}
	return count < STORE_TOKENS_MAX ? 0 : EDQUOT;
}

int memory_token_add(struct store *store, const struct store_token *token, int64_t now_ms)
{
	struct memory *memory = memory_of(store);
	struct store_token *tokens;
	int err;

	if (!memory_key(memory, token->key_id))
		return EINVAL;
	forget_expired(memory, now_ms);
	err = check_token(memory, token);
	if (err)
		return err;
	tokens = memory_grow(memory->tokens, memory->token_count, sizeof(*tokens));
	if (!tokens)
		return ENOMEM;
	memory->tokens = tokens;
	tokens[memory->token_count++] = *token;
	return 0;
}

int memory_token_take(struct store *store, struct store_key *key, const uint8_t *hash,
		      const char *path, int64_t now_ms)
{
	struct memory *memory = memory_of(store);

	for (size_t i = 0; i < memory->token_count; ++i) {
		const struct store_token *token = &memory->tokens[i];

		if (memcmp(token->hash, hash, sizeof(token->hash)) != 0)
			continue;
		if (strcmp(token->path, path) != 0 || token->expires_ms <= now_ms)
			return ENOENT;
		*key = *memory_key(memory, token->key_id);
		forget_token(memory, i);
		return 0;
	}
	return ENOENT;
}
