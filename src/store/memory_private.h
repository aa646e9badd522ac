/*
 * memory_private.h: what the files of the memory store share.
 */
#ifndef STORE_MEMORY_PRIVATE_H
#define STORE_MEMORY_PRIVATE_H

#include "store/store.h"

/* Both own their strings. */
struct memory_entry {
	struct store_entry row;
	char *folded;
};

struct memory_dictionary {
	struct store_dictionary row;
	struct memory_entry *entries;
	size_t count;
};

struct memory {
	struct store store; /* first: what callers hold */
	struct store_key *keys;
	size_t key_count;
	struct store_turn *turns;
	size_t turn_count;
	size_t turns_kept; /* what a rollback goes back to */
	struct memory_dictionary *dictionaries;
	size_t dictionary_count;
	int64_t last_dictionary_id, last_entry_id;
	struct store_voice *voices; /* they own their strings */
	size_t voice_count;
	int64_t last_voice_id; /* 0: none was given */
};

static inline struct memory *memory_of(struct store *store)
{
	return (struct memory *)(void *)store;
}

/* Room for one more: the size is the next power of two, so that it need not
 * be remembered. */
void *memory_grow(void *rows, size_t count, size_t size);

/* memory_dictionaries.c: its rows of the table of verbs, and their end. */
void memory_forget_dictionaries(struct memory *memory);
int memory_dictionary_list(struct store *store, int64_t project_id, store_dictionary_h *each,
			   void *arg);
int memory_dictionary_get(struct store *store, int64_t project_id, int64_t id,
			  store_dictionary_h *each, void *arg);
int memory_dictionary_add(struct store *store, int64_t *id,
			  const struct store_dictionary *dictionary);
int memory_dictionary_change(struct store *store, int64_t project_id, int64_t id, unsigned fields,
			     const struct store_dictionary *to);
int memory_dictionary_remove(struct store *store, int64_t project_id, int64_t id);
int memory_entry_list(struct store *store, int64_t dictionary_id, const struct store_page *page,
		      store_entry_h *each, void *arg);
int memory_entry_count(struct store *store, int64_t *count, int64_t dictionary_id,
		       const char *search);
int memory_entry_get(struct store *store, int64_t dictionary_id, int64_t id, store_entry_h *each,
		     void *arg);
int memory_entry_add(struct store *store, int64_t *id, int64_t dictionary_id,
		     const struct dictionary_entry *entry, int64_t at_ms);
int memory_entry_change(struct store *store, int64_t dictionary_id, int64_t id, unsigned fields,
			const struct dictionary_entry *to, int64_t at_ms);
int memory_entry_remove(struct store *store, int64_t dictionary_id, int64_t id);
int memory_entry_replace(struct store *store, struct store_replaced *replaced,
			 int64_t dictionary_id, const struct dictionary_entry *entries,
			 size_t count, int64_t at_ms);

/* memory_voices.c: its rows of the table of verbs, and their end. */
void memory_forget_voices(struct memory *memory);
int memory_voice_list(struct store *store, store_voice_h *each, void *arg);
int memory_voice_add(struct store *store, int64_t *id, const struct store_voice *voice);
int memory_voice_change(struct store *store, int64_t project_id, int64_t id, unsigned fields,
			const struct store_voice *to);
int memory_voice_remove(struct store *store, int64_t project_id, int64_t id);

#endif
