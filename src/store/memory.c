/*
 * memory.c: a store that ends with the process.
 *
 * For tests and for speaking without a server.  Rows are found by looking at
 * all of them: those who use it have few.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/mem.h"
#include "store/memory_private.h"

static void memory_destroy(void *object)
{
	struct memory *memory = object;

	free(memory->keys);
	free(memory->tokens);
	free(memory->accounts);
	free(memory->projects);
	free(memory->news);
	free(memory->top_ups);
	free(memory->leases);
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

/* Not for what the ledger writes. */
void memory_note_change(struct memory *memory)
{
	++memory->version;
}

void memory_note_news(struct memory *memory, enum store_change_kind kind, int64_t project_id)
{
	memory_note_change(memory);
	memory->news[project_id - 1].versions[kind] = memory->version;
}

static int version(struct store *store, int64_t *number)
{
	*number = memory_of(store)->version;
	return 0;
}

static int changes(struct store *store, int64_t since_version, store_change_h *each, void *arg)
{
	const struct memory *memory = memory_of(store);

	for (size_t i = 0; i < memory->project_count; ++i) {
		for (enum store_change_kind kind = 0; kind < STORE_CHANGE_KINDS; ++kind) {
			const struct store_change change = {kind, (int64_t)i + 1,
							    memory->news[i].versions[kind]};

			if (change.version > since_version && !each(&change, arg))
				return 0;
		}
	}
	return 0;
}

static const struct store_ops ops = {
	.key_add = memory_key_add,
	.key_find = memory_key_find,
	.key_revoke = memory_key_revoke,
	.key_list = memory_key_list,
	.key_change = memory_key_change,
	.key_used = memory_key_used,
	.account_add = memory_account_add,
	.account_get = memory_account_get,
	.account_list = memory_account_list,
	.account_change = memory_account_change,
	.project_add = memory_project_add,
	.project_list = memory_project_list,
	.top_up_add = memory_top_up_add,
	.top_up_list = memory_top_up_list,
	.token_add = memory_token_add,
	.token_take = memory_token_take,
	.lease_take = memory_lease_take,
	.lease_return = memory_lease_return,
	.turns_add = memory_turns_add,
	.turn_page = memory_turn_page,
	.usage_sum = memory_usage_sum,
	.audit = memory_audit,
	.turn_list = memory_turn_list,
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
	.entry_put = memory_entry_put,
	.entry_remove_words = memory_entry_remove_words,
	.voice_list = memory_voice_list,
	.voice_add = memory_voice_add,
	.voice_change = memory_voice_change,
	.voice_remove = memory_voice_remove,
	.version = version,
	.changes = changes,
};

int store_open_memory(struct store **storep)
{
	struct memory *memory = mem_zalloc(sizeof(*memory), memory_destroy);

	if (!memory)
		return ENOMEM;
	memory->store.ops = &ops;
	if (memory_add_defaults(memory) != 0) {
		mem_deref(memory);
		return ENOMEM;
	}
	*storep = &memory->store;
	return 0;
}
