/*
 * memory.c: a store that ends with the process.
 *
 * For tests and for speaking without a server.  Rows are found by looking at
 * all of them: those who use it have few.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "store/memory_private.h"

static void memory_destroy(void *object)
{
	struct memory *memory = object;

	free(memory->keys);
	free(memory->turns);
	memory_forget_dictionaries(memory);
	memory_forget_voices(memory);
}

void *memory_grow(void *rows, size_t count, size_t size)
{
	if (count & (count - 1))
		return rows;
	return reallocarray(rows, count ? 2 * count : 1, size);
}

static struct store_key *find(struct memory *memory, const char *prefix)
{
	for (size_t i = 0; i < memory->key_count; ++i) {
		if (strcmp(memory->keys[i].prefix, prefix) == 0)
			return &memory->keys[i];
	}
	return NULL;
}

static int key_add(struct store *store, struct store_key *key)
{
	struct memory *memory = memory_of(store);
	struct store_key *keys;

	if (find(memory, key->prefix))
		return EEXIST;
	if (key->project_id != STORE_PROJECT_DEFAULT)
		return EINVAL;
	keys = memory_grow(memory->keys, memory->key_count, sizeof(*keys));
	if (!keys)
		return ENOMEM;
	memory->keys = keys;
	key->id = (int64_t)memory->key_count + 1;
	keys[memory->key_count++] = *key;
	return 0;
}

static int key_find(struct store *store, struct store_key *key, const char *prefix)
{
	const struct store_key *found = find(memory_of(store), prefix);

	if (!found)
		return ENOENT;
	*key = *found;
	return 0;
}

static int key_revoke(struct store *store, const char *prefix, int64_t at_ms)
{
	struct store_key *key = find(memory_of(store), prefix);

	if (!key)
		return ENOENT;
	if (!key->revoked_ms)
		key->revoked_ms = at_ms;
	return 0;
}

static int key_set_scopes(struct store *store, const char *prefix, unsigned scopes)
{
	struct store_key *key = find(memory_of(store), prefix);

	if (!key)
		return ENOENT;
	key->scopes = scopes;
	return 0;
}

static int key_list(struct store *store, store_key_h *each, void *arg)
{
	struct memory *memory = memory_of(store);

	for (size_t i = 0; i < memory->key_count; ++i) {
		if (!each(&memory->keys[i], arg))
			break;
	}
	return 0;
}

static int begin(struct store *store)
{
	struct memory *memory = memory_of(store);

	memory->turns_kept = memory->turn_count;
	return 0;
}

static int turn_add(struct store *store, const struct store_turn *turn)
{
	struct memory *memory = memory_of(store);
	struct store_turn *turns;

	if (turn->key_id < 0 || turn->key_id > (int64_t)memory->key_count)
		return EINVAL;
	for (size_t i = 0; i < memory->turn_count; ++i) {
		if (strcmp(memory->turns[i].id, turn->id) == 0)
			return 0;
	}
	turns = memory_grow(memory->turns, memory->turn_count, sizeof(*turns));
	if (!turns)
		return ENOMEM;
	memory->turns = turns;
	turns[memory->turn_count++] = *turn;
	return 0;
}

static int commit(struct store *store)
{
	return begin(store); /* what is there is kept */
}

static void rollback(struct store *store)
{
	struct memory *memory = memory_of(store);

	memory->turn_count = memory->turns_kept;
}

static int turn_list(struct store *store, store_turn_h *each, void *arg)
{
	struct memory *memory = memory_of(store);

	for (size_t i = 0; i < memory->turn_count; ++i) {
		if (!each(&memory->turns[i], arg))
			break;
	}
	return 0;
}

/* Nobody else has it. */
static int version(struct store *store, int64_t *number)
{
	(void)store;
	*number = 0;
	return 0;
}

static const struct store_ops ops = {
	.key_add = key_add,
	.key_find = key_find,
	.key_revoke = key_revoke,
	.key_set_scopes = key_set_scopes,
	.key_list = key_list,
	.begin = begin,
	.turn_add = turn_add,
	.commit = commit,
	.rollback = rollback,
	.turn_list = turn_list,
	.dictionary_list = memory_dictionary_list,
	.dictionary_get = memory_dictionary_get,
	.dictionary_add = memory_dictionary_add,
	.dictionary_change = memory_dictionary_change,
	.dictionary_remove = memory_dictionary_remove,
	.entry_list = memory_entry_list,
	.entry_count = memory_entry_count,
	.entry_get = memory_entry_get,
	.entry_add = memory_entry_add,
	.entry_change = memory_entry_change,
	.entry_remove = memory_entry_remove,
	.entry_replace = memory_entry_replace,
	.voice_list = memory_voice_list,
	.voice_add = memory_voice_add,
	.voice_change = memory_voice_change,
	.voice_remove = memory_voice_remove,
	.version = version,
};

int store_open_memory(struct store **storep)
{
	struct memory *memory = mem_zalloc(sizeof(*memory), memory_destroy);

	if (!memory)
		return ENOMEM;
	memory->store.ops = &ops;
	*storep = &memory->store;
	return 0;
}
