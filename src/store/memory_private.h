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

struct memory_lease {
	char server[STORE_SERVER_ID_LEN + 1];
	struct store_holder holder;
	int64_t microcents, expires_ms;
};

/* When a project was last changed. */
struct memory_news {
	int64_t versions[STORE_CHANGE_KINDS];
};

/* Keys, accounts, projects and turns are never removed: their ids, a turn's seq, are
 * their places, from 1 on. */
struct memory {
	struct store store; /* first: what callers hold */
	int64_t version;
	struct store_key *keys;
	size_t key_count;
	struct store_token *tokens;
	size_t token_count;
	struct store_account *accounts;
	size_t account_count;
	struct store_project *projects;
	size_t project_count;
	struct memory_news *news; /* of each project */
	struct store_top_up *top_ups;
	size_t top_up_count;
	struct memory_lease *leases;
	size_t lease_count;
	struct store_turn *turns;
	size_t turn_count;
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

void memory_note_change(struct memory *memory); /* see version */
void memory_note_news(struct memory *memory, enum store_change_kind kind, int64_t project_id);

/* memory_accounts.c: its rows of the table of verbs. */
int memory_add_defaults(struct memory *memory); /* the account and project of all */
struct store_account *memory_account(struct memory *memory, int64_t id); /* NULL: none */
struct store_project *memory_project(struct memory *memory, int64_t id); /* NULL: none */
int memory_account_add(struct store *store, struct store_account *account);
int memory_account_get(struct store *store, struct store_account *account, int64_t id);
int memory_account_list(struct store *store, store_account_h *each, void *arg);
int memory_account_change(struct store *store, int64_t id, unsigned fields,
			  const struct store_account *to);
int memory_project_add(struct store *store, struct store_project *project);
int memory_project_list(struct store *store, int64_t account_id, store_project_h *each, void *arg);
int memory_top_up_add(struct store *store, const struct store_top_up *top_up);
int memory_top_up_list(struct store *store, int64_t account_id, store_top_up_h *each, void *arg);

/* memory_keys.c: its rows of the table of verbs. */
struct store_key *memory_key(struct memory *memory, int64_t id); /* NULL: none */
int memory_key_add(struct store *store, struct store_key *key);
int memory_key_find(struct store *store, struct store_key *key, const char *prefix);
int memory_key_revoke(struct store *store, const char *prefix, int64_t at_ms);
int memory_key_list(struct store *store, store_key_h *each, void *arg);
int memory_key_change(struct store *store, const char *prefix, unsigned fields,
		      const struct store_key *to);
int memory_key_used(struct store *store, int64_t key_id, int64_t at_ms);
int memory_token_add(struct store *store, const struct store_token *token, int64_t now_ms);
int memory_token_take(struct store *store, struct store_key *key, const uint8_t *hash,
		      const char *path, int64_t now_ms);

/* memory_leases.c: its rows of the table of verbs. */
int memory_lease_take(struct store *store, struct store_lease *lease);
int memory_lease_return(struct store *store, const char *server);
struct tally;
void memory_take_off_lease(struct memory *memory, const struct tally *tally);

/* memory_ledger.c: its rows of the table of verbs. */
int memory_turns_add(struct store *store, const struct store_turn *turns, size_t count, int *errs);
int memory_turn_list(struct store *store, store_turn_h *each, void *arg);
int memory_turn_page(struct store *store, const struct store_turn_filter *filter, int64_t after_seq,
		     int64_t limit, store_paged_turn_h *each, void *arg);
int memory_usage_sum(struct store *store, const struct store_turn_filter *filter, unsigned by,
		     store_usage_h *each, void *arg);
int memory_audit(struct store *store, int64_t *wrong);

/* memory_dictionaries.c: its rows of the table of verbs, and their end. */
void memory_forget_dictionaries(struct memory *memory);
int memory_dictionary_list(struct store *store, int64_t project_id, store_dictionary_h *each,
			   void *arg);
int memory_dictionary_get(struct store *store, int64_t project_id, int64_t id,
			  store_dictionary_h *each, void *arg);
int memory_dictionary_add(struct store *store, int64_t *id,
			  const struct store_dictionary *dictionary,
			  const struct dictionary_entry *entries, size_t count);
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
int memory_entry_put(struct store *store, int64_t dictionary_id,
		     const struct dictionary_entry *entries, size_t count, int64_t at_ms);
int memory_entry_remove_words(struct store *store, int64_t dictionary_id,
			      const struct dictionary_entry *entries, size_t count);

/* memory_voices.c: its rows of the table of verbs, and their end. */
void memory_forget_voices(struct memory *memory);
int memory_voice_list(struct store *store, store_voice_h *each, void *arg);
int memory_voice_add(struct store *store, int64_t *id, const struct store_voice *voice);
int memory_voice_change(struct store *store, int64_t project_id, int64_t id, unsigned fields,
			const struct store_voice *to);
int memory_voice_remove(struct store *store, int64_t project_id, int64_t id);

#endif
