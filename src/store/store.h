/*
 * store.h: what must survive the process, in verbs of the product.
 *
 * A backend is a table of blocking functions, called from the store's thread
 * only (account/ is the asynchronous face) or from a command-line tool.  One
 * conformance suite (test/unit/store) runs over every backend.
 */
#ifndef STORE_STORE_H
#define STORE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "text/dictionary.h"

#define STORE_KEY_PREFIX_LEN 8 /* the part of a key that names it, in the clear */
#define STORE_KEY_HASH_LEN 32
#define STORE_NAME_MAX 64
#define STORE_TURN_ID_MAX 40

/* The project of keys that were given no other; it is always there. */
#define STORE_PROJECT_DEFAULT 1

/* A project's dictionaries are kept in memory, compiled: one that is full in every
 * way costs some 400 MB (30 full dictionaries were measured at 127), and nobody is
 * known to need more.  Replacing all entries is one transaction, and the ledger
 * waits for it. */
#define STORE_DICTIONARIES_MAX 100 /* of a project */
#define STORE_ENTRIES_MAX 10000 /* of a dictionary */

/* A list of voices is sent whole to some clients. */
#define STORE_VOICES_MAX 1000 /* of a project */

/* What a key may do. */
enum store_scope {
	STORE_SCOPE_SPEAK = 1 << 0,
	STORE_SCOPE_READ = 1 << 1,
	STORE_SCOPE_DICTIONARIES = 1 << 2,
	STORE_SCOPE_ADMIN = 1 << 3,
};
#define STORE_SCOPES_USUAL (STORE_SCOPE_SPEAK | STORE_SCOPE_READ | STORE_SCOPE_DICTIONARIES)

struct store_key {
	int64_t id;
	int64_t project_id;
	unsigned scopes; /* enum store_scope */
	char prefix[STORE_KEY_PREFIX_LEN + 1]; /* the key's first letters */
	uint8_t hash[STORE_KEY_HASH_LEN]; /* SHA-256 of the whole key */
	char name[STORE_NAME_MAX + 1];
	int64_t credit_cents; /* -1: no limit */
	int64_t streams_max; /* -1: no limit */
	int64_t created_ms;
	int64_t revoked_ms; /* 0: not revoked */
};

enum store_turn_status { STORE_TURN_FINISHED, STORE_TURN_CANCELLED, STORE_TURN_FAILED };

/* One row of the ledger: append-only, idempotent by its id. */
struct store_turn {
	char id[STORE_TURN_ID_MAX + 1];
	int64_t key_id; /* 0: nobody's, spoken without a server */
	int64_t at_ms;
	enum store_turn_status status;
	uint64_t samples; /* handed to the socket */
	uint32_t sample_rate;
	uint64_t characters;
	int64_t voice_id;
	char model_id[24];
	int64_t amount_microcents;
};

/* The strings of the rows below are lent for the call that shows them. */
struct store_dictionary {
	int64_t id; /* never given twice */
	int64_t project_id;
	const char *name; /* unique in the project */
	const char *description; /* NULL: none */
	const char *language; /* NULL: fits all */
	bool is_active;
	int64_t revision; /* grows with each change of it or of its entries */
	int64_t created_ms, updated_ms; /* of its own fields */
};

struct store_entry {
	int64_t id; /* never given twice */
	int64_t dictionary_id;
	struct dictionary_entry said; /* its word is unique in the dictionary */
	int64_t created_ms, updated_ms;
};

/* Which members a change is about. */
enum store_dictionary_field {
	STORE_DICTIONARY_NAME = 1 << 0,
	STORE_DICTIONARY_DESCRIPTION = 1 << 1,
	STORE_DICTIONARY_LANGUAGE = 1 << 2,
	STORE_DICTIONARY_ACTIVE = 1 << 3,
};
enum store_entry_field {
	STORE_ENTRY_WORD = 1 << 0,
	STORE_ENTRY_REPLACEMENT = 1 << 1,
	STORE_ENTRY_IPA = 1 << 2,
	STORE_ENTRY_CASE = 1 << 3,
};

/* A voice that is another one with other parameters.  Strings that are NULL are
 * the base's, or nothing. */
struct store_voice {
	int64_t id; /* from STORE_VOICE_FIRST on, never given twice */
	int64_t project_id;
	int64_t base_id; /* of the catalogue: the store does not know it */
	const char *name;
	double pitch; /* semitones */
	double rate; /* times the base's pace */
	const char *variant;
	const char *description, *generative_description, *sample_text;
	const char *sex, *age, *category, *quality;
	const char *languages; /* "de,en" */
	bool is_public;
	int64_t sampled_ms; /* when its sample was made; 0: it has none */
	int64_t revision; /* grows with each change */
	int64_t created_ms, updated_ms;
};

#define STORE_VOICE_FIRST 100000

enum store_voice_field {
	STORE_VOICE_NAME = 1 << 0,
	STORE_VOICE_BASE = 1 << 1,
	STORE_VOICE_PITCH = 1 << 2,
	STORE_VOICE_RATE = 1 << 3,
	STORE_VOICE_VARIANT = 1 << 4,
	STORE_VOICE_DESCRIPTION = 1 << 5,
	STORE_VOICE_GENERATIVE = 1 << 6,
	STORE_VOICE_SAMPLE_TEXT = 1 << 7,
	STORE_VOICE_SEX = 1 << 8,
	STORE_VOICE_AGE = 1 << 9,
	STORE_VOICE_CATEGORY = 1 << 10,
	STORE_VOICE_QUALITY = 1 << 11,
	STORE_VOICE_LANGUAGES = 1 << 12,
	STORE_VOICE_PUBLIC = 1 << 13,
	STORE_VOICE_SAMPLED = 1 << 14,
};

/* Which entries a list shows. */
struct store_page {
	const char *search; /* part of the word, letters in any case; NULL: all */
	int64_t limit; /* -1: none */
	int64_t offset;
};

struct store_replaced {
	int64_t upserted, deleted, total;
};

struct store;

typedef bool(store_key_h)(const struct store_key *key, void *arg); /* false: enough */
typedef bool(store_turn_h)(const struct store_turn *turn, void *arg);
typedef bool(store_dictionary_h)(const struct store_dictionary *dictionary, void *arg);
typedef bool(store_entry_h)(const struct store_entry *entry, void *arg);
typedef bool(store_voice_h)(const struct store_voice *voice, void *arg);

/* Each returns 0 or an errno: EBUSY when another process holds the store for
 * too long, EROFS, ENOSPC, EBADMSG when what is stored is damaged, ENOMEM, else
 * EIO.  The reason has been logged, except for those named here. */
struct store_ops {
	/* Fills in the id; EEXIST when the prefix is taken, EINVAL for a project that
	 * does not exist. */
	int (*key_add)(struct store *store, struct store_key *key);
	int (*key_find)(struct store *store, struct store_key *key,
			const char *prefix); /* ENOENT */
	/* The first time of a key that is revoked twice stays; ENOENT. */
	int (*key_revoke)(struct store *store, const char *prefix, int64_t at_ms);
	int (*key_set_scopes)(struct store *store, const char *prefix,
			      unsigned scopes); /* ENOENT */
	int (*key_list)(struct store *store, store_key_h *each, void *arg); /* oldest first */

	/* A batch of turns: durable when commit returns 0, gone after rollback, which
	 * must follow when begin was well and something after it failed. */
	int (*begin)(struct store *store);
	/* Outside a batch it is one of its own.  A turn whose id is known is left as it
	 * was, whatever the new one says.  EINVAL for a key that does not exist. */
	int (*turn_add)(struct store *store, const struct store_turn *turn);
	int (*commit)(struct store *store);
	void (*rollback)(struct store *store);
	int (*turn_list)(struct store *store, store_turn_h *each, void *arg); /* oldest first */

	/* Dictionaries of a project; one of another is as none.  Each change is whole
	 * and durable when it returns.  Lists are oldest first. */
	int (*dictionary_list)(struct store *store, int64_t project_id, store_dictionary_h *each,
			       void *arg);
	int (*dictionary_get)(struct store *store, int64_t project_id, int64_t id,
			      store_dictionary_h *each, void *arg); /* ENOENT */
	/* created_ms is the time of both, id and revision are the store's.  EEXIST for the
	 * name, EDQUOT when there are too many, ENOENT for the project. */
	int (*dictionary_add)(struct store *store, int64_t *id,
			      const struct store_dictionary *dictionary);
	/* The named fields of `to`, and its updated_ms.  ENOENT, EEXIST for the name. */
	int (*dictionary_change)(struct store *store, int64_t project_id, int64_t id,
				 unsigned fields, const struct store_dictionary *to);
	int (*dictionary_remove)(struct store *store, int64_t project_id, int64_t id); /* ENOENT */

	/* Entries, of a dictionary that the caller has seen in its project. */
	int (*entry_list)(struct store *store, int64_t dictionary_id, const struct store_page *page,
			  store_entry_h *each, void *arg);
	int (*entry_count)(struct store *store, int64_t *count, int64_t dictionary_id,
			   const char *search);
	int (*entry_get)(struct store *store, int64_t dictionary_id, int64_t id,
			 store_entry_h *each, void *arg); /* ENOENT */
	/* EEXIST for the word, EDQUOT when there are too many, ENOENT for the dictionary. */
	int (*entry_add)(struct store *store, int64_t *id, int64_t dictionary_id,
			 const struct dictionary_entry *entry, int64_t at_ms);
	int (*entry_change)(struct store *store, int64_t dictionary_id, int64_t id, unsigned fields,
			    const struct dictionary_entry *to, int64_t at_ms); /* ENOENT, EEXIST */
	int (*entry_remove)(struct store *store, int64_t dictionary_id, int64_t id); /* ENOENT */
	/* These and no others, by their words, of which none comes twice; one that stays
	 * as it was keeps its times.  EDQUOT, ENOENT. */
	int (*entry_replace)(struct store *store, struct store_replaced *replaced,
			     int64_t dictionary_id, const struct dictionary_entry *entries,
			     size_t count, int64_t at_ms);

	/* Derived voices, of all projects: oldest first. */
	int (*voice_list)(struct store *store, store_voice_h *each, void *arg);
	/* created_ms is the time of both, id and revision are the store's.  EDQUOT when
	 * there are too many, ENOENT for the project. */
	int (*voice_add)(struct store *store, int64_t *id, const struct store_voice *voice);
	/* The named fields of `to`, and its updated_ms.  ENOENT. */
	int (*voice_change)(struct store *store, int64_t project_id, int64_t id, unsigned fields,
			    const struct store_voice *to);
	int (*voice_remove)(struct store *store, int64_t project_id, int64_t id); /* ENOENT */

	/* A number that is another one when another process may have written since. */
	int (*version)(struct store *store, int64_t *version);
};

struct store {
	const struct store_ops *ops;
};

/* Opens by address: "sqlite:PATH" or "memory:".  Creates and migrates what is
 * missing.  mem_deref closes.  EINVAL for an address of no backend; what went
 * wrong with a real one is logged. */
int store_open(struct store **storep, const char *address);

/* The backends, by what stands after the colon. */
int store_open_sqlite(struct store **storep, const char *path);
int store_open_memory(struct store **storep);

#endif
