/*
 * store.h: what must survive the process, in verbs of the product.
 *
 * A backend is a table of blocking functions.  A handle is used by one thread at a
 * time: those of account/, which is the asynchronous face, or a command-line tool.
 * Several handles may be open on one address; in memory they are all of one process, and the
 * store ends with the last of them.  One conformance suite (test/unit/store) runs over every backend.
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
#define STORE_MODEL_SIZE 64 /* longer names of models are cut */
#define STORE_MODEL_OLD_SIZE 24 /* what a release that does not know kinds can read */
#define STORE_PATH_MAX 127
#define STORE_SERVER_ID_LEN 16 /* of a process, different at each start */

/* The project of keys that were given no other; it is always there. */
#define STORE_PROJECT_DEFAULT 1

/* The account of projects that were given no other; it is always there. */
#define STORE_ACCOUNT_DEFAULT 1

/* A project's dictionaries are kept in memory, compiled: one that is full in every
 * way costs some 400 MB (30 full dictionaries were measured at 127), and no project is
 * known to need more.  Replacing all entries is one transaction, and the ledger
 * waits for it. */
#define STORE_DICTIONARIES_MAX 100 /* of a project */
#define STORE_ENTRIES_MAX 10000 /* of a dictionary */
#define STORE_REVISION_FIRST 1 /* of a dictionary, also one that is added with its entries */

/* A list of voices is sent whole to some clients. */
#define STORE_VOICES_MAX 1000 /* of a project */

/* An admin key can create projects and keys of its account, and each project can have
 * dictionaries and voices of its own, so their numbers must be limited.  Nobody is known to
 * have dozens of projects; a key for each of a tenant's own customers makes a thousand.
 * Revoked and expired keys stay as rows, because the ledger refers to them: at a few keys a
 * day, it takes years to reach the second limit. */
#define STORE_PROJECTS_MAX 100 /* of an account */
#define STORE_KEYS_MAX 1000 /* of an account, active */
#define STORE_KEYS_EVER_MAX 10000 /* of an account, including revoked and expired ones */

/* They live for minutes: an account that holds this many asks for them in a faulty loop
 * or is malicious. */
#define STORE_TOKENS_MAX 10000 /* of an account, at once; expired ones are removed */

/* What a key may do. */
enum store_scope {
	STORE_SCOPE_SPEAK = 1 << 0,
	STORE_SCOPE_READ = 1 << 1,
	STORE_SCOPE_DICTIONARIES = 1 << 2,
	STORE_SCOPE_ADMIN = 1 << 3,
	STORE_SCOPE_VOICES = 1 << 4,
};
#define STORE_SCOPES_USUAL                                                                         \
	(STORE_SCOPE_SPEAK | STORE_SCOPE_READ | STORE_SCOPE_DICTIONARIES | STORE_SCOPE_VOICES)

/* How much an account or a key may use.  Turns and connections at once, characters
 * of one text. */
struct store_limits {
	int64_t turns;
	int64_t connections;
	int64_t requests_per_minute;
	int64_t characters_per_minute;
	int64_t text_max;
};
#define STORE_LIMIT_NONE (-1)
#define STORE_LIMIT_PLAN (-2) /* of an account: what its plan says; of a key: none */
#define STORE_LIMITS_PLAN                                                                          \
	{                                                                                          \
		STORE_LIMIT_PLAN, STORE_LIMIT_PLAN, STORE_LIMIT_PLAN, STORE_LIMIT_PLAN,            \
			STORE_LIMIT_PLAN                                                           \
	}

/* The account that pays.  Projects belong to an account, keys to a project. */
struct store_account {
	int64_t id;
	char name[STORE_NAME_MAX + 1]; /* unique */
	char plan[STORE_NAME_MAX + 1]; /* of the configuration; "": the default one */
	bool is_prepaid; /* it speaks only while it has credit */
	struct store_limits limits;
	int64_t created_ms;
	int64_t closed_ms; /* 0: not closed */
	/* Sums of its rows, kept in the transaction that adds one. */
	int64_t credit_microcents; /* all top-ups */
	int64_t spent_microcents; /* all turns */
};

struct store_project {
	int64_t id;
	int64_t account_id;
	char name[STORE_NAME_MAX + 1]; /* unique in the account */
	int64_t created_ms;
};

struct store_key {
	int64_t id;
	int64_t project_id;
	int64_t account_id; /* its project's: not set by the caller that adds a key */
	unsigned scopes; /* enum store_scope */
	char prefix[STORE_KEY_PREFIX_LEN + 1]; /* the key's first letters */
	uint8_t hash[STORE_KEY_HASH_LEN]; /* SHA-256 of the whole key */
	char name[STORE_NAME_MAX + 1];
	int64_t credit_cents; /* it may spend in all; -1: no limit */
	struct store_limits limits;
	int64_t created_ms;
	int64_t revoked_ms; /* 0: not revoked */
	int64_t expires_ms; /* 0: never */
	int64_t used_ms; /* last, to the minute; 0: never */
	int64_t spent_microcents; /* sum of its turns, as an account's */
};

enum store_account_field {
	STORE_ACCOUNT_NAME = 1 << 0,
	STORE_ACCOUNT_PLAN = 1 << 1,
	STORE_ACCOUNT_PREPAID = 1 << 2,
	STORE_ACCOUNT_LIMITS = 1 << 3,
	STORE_ACCOUNT_CLOSED = 1 << 4, /* closed_ms; 0 opens it again */
};
enum store_key_field {
	STORE_KEY_NAME = 1 << 0,
	STORE_KEY_SCOPES = 1 << 1,
	STORE_KEY_LIMITS = 1 << 2,
	STORE_KEY_CREDIT = 1 << 3,
	STORE_KEY_EXPIRES = 1 << 4,
};

/* Credit that was paid in; negative to take it back.  Append-only, idempotent by
 * its id. */
struct store_top_up {
	char id[STORE_TURN_ID_MAX + 1];
	int64_t account_id;
	int64_t at_ms;
	int64_t amount_microcents;
	char note[STORE_NAME_MAX + 1];
};

/* A pass for one connection or request, for a browser that must not see the key. */
struct store_token {
	uint8_t hash[STORE_KEY_HASH_LEN]; /* SHA-256 of its text */
	int64_t key_id; /* that asked for it and pays */
	char path[STORE_PATH_MAX + 1]; /* that it is good for */
	int64_t expires_ms;
};

/* Whose money or limit it is. */
enum store_holder_kind { STORE_HOLDER_ACCOUNT, STORE_HOLDER_KEY };
struct store_holder {
	enum store_holder_kind kind;
	int64_t id;
};

/* Credit that a server may spend on its own; see lease_take. */
struct store_lease {
	char server[STORE_SERVER_ID_LEN + 1];
	struct store_holder holder;
	int64_t want_microcents;
	int64_t at_ms, expires_ms;
	/* Selects the rows of the holder, booked by this server, that are summed up in
	 * booked_microcents: those after after_seq (0: all) that were made at since_ms or
	 * later. */
	int64_t after_seq, since_ms;
	/* Answers. */
	int64_t granted_microcents; /* 0 to want: in addition to what it had */
	int64_t held_microcents; /* what the server has now, less what it has booked */
	int64_t left_microcents; /* neither held nor spent, after it; may be negative */
	int64_t elsewhere_microcents; /* held by other servers */
	int64_t booked_microcents; /* at the same moment as all the others */
	int64_t last_seq; /* of the rows that were looked at: the next after_seq */
};

/* A limit that servers share. */
enum store_meter {
	STORE_METER_TURNS,
	STORE_METER_CONNECTIONS,
	STORE_METER_REQUESTS,
	STORE_METER_CHARACTERS
};
struct store_share {
	enum store_meter meter;
	struct store_holder holder;
	int64_t amount; /* wanted; negative gives slots back */
	int64_t max; /* slots at once, or tokens a minute */
};

enum store_turn_status {
	STORE_TURN_FINISHED,
	STORE_TURN_CANCELLED,
	STORE_TURN_FAILED,
	STORE_TURN_LOST, /* its server died: the figures are of its last durable mark */
};

/* What a row of the ledger is for. */
enum store_kind {
	STORE_KIND_SPEECH, /* audio that was spoken; what every row was before there were kinds */
	STORE_KIND_HEARING, /* audio that was transcribed */
	STORE_KIND_MODEL_INPUT, /* tokens sent to a language model */
	STORE_KIND_MODEL_OUTPUT, /* tokens that the model generated */
	STORE_KIND_COUNT
};

/* What the quantity of a row counts. */
enum store_unit {
	STORE_UNIT_SAMPLES, /* at the row's sample_rate */
	STORE_UNIT_CHARACTERS,
	STORE_UNIT_TOKENS,
	STORE_UNIT_COUNT
};

/* One row of the ledger: append-only, idempotent by its id.  All kinds have the same shape.
 * A release that does not know kinds can share the store: it takes samples, sample_rate,
 * characters and amount for those of speech, so in rows of other kinds they are 0 (except the
 * amount), and what it writes is speech. */
struct store_turn {
	char id[STORE_TURN_ID_MAX + 1];
	int64_t key_id; /* 0: none, spoken without a server */
	int64_t account_id; /* the key's; 0 as above */
	char server[STORE_SERVER_ID_LEN + 1]; /* that spoke it; "": none */
	int64_t at_ms;
	enum store_turn_status status;
	enum store_kind kind;
	/* How much, in `unit`.  For speech in samples it equals `samples`: writers need not
	 * set it (store_turn_quantity), readers find both. */
	uint64_t quantity;
	enum store_unit unit;
	bool is_estimated; /* the quantity was estimated, not counted */
	uint64_t samples; /* speech: handed to the socket */
	uint32_t sample_rate; /* 0 where the unit is not samples */
	uint64_t characters; /* speech only */
	int64_t voice_id; /* speech only */
	char model_id[STORE_MODEL_SIZE]; /* speech model or language model */
	int64_t amount_microcents;
};

uint64_t store_turn_quantity(const struct store_turn *turn);

/* Which turns a report is about. */
struct store_turn_filter {
	int64_t account_id; /* 0: all */
	int64_t project_id; /* 0: all */
	int64_t key_id; /* 0: all */
	int64_t from_ms, to_ms; /* from <= at < to; 0: open */
};

/* What a report sums up by; days are of UTC. */
enum store_usage_by {
	STORE_USAGE_DAY = 1 << 0,
	STORE_USAGE_KEY = 1 << 1,
	STORE_USAGE_VOICE = 1 << 2,
	STORE_USAGE_MODEL = 1 << 3,
	STORE_USAGE_KIND = 1 << 4,
};
struct store_usage {
	int64_t day_ms; /* its first millisecond; this and the next four: when asked for */
	int64_t key_id;
	int64_t voice_id;
	char model_id[STORE_MODEL_SIZE];
	enum store_kind kind;
	/* Speech only. */
	int64_t turns;
	uint64_t audio_us; /* of each turn rounded half up, then summed */
	uint64_t characters;
	/* The other kinds, one field each. */
	uint64_t heard_us;
	int64_t answers; /* of language models */
	uint64_t tokens_in, tokens_out;
	uint64_t tokens_estimated; /* of both, how many were estimated */
	/* All kinds. */
	int64_t amount_microcents;
};

/* Adds the figures; the fields by which they are grouped stay unchanged. */
void store_usage_add(struct store_usage *sum, const struct store_usage *usage);

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

#define STORE_SHARE_LAPSE_MS 30000

struct store_replaced {
	int64_t upserted, deleted, total;
};

/* A row as it is, its id included: see import_row. */
enum store_row_kind {
	STORE_ROW_ACCOUNT,
	STORE_ROW_PROJECT,
	STORE_ROW_KEY,
	STORE_ROW_TOP_UP,
	STORE_ROW_TURN,
	STORE_ROW_DICTIONARY,
	STORE_ROW_ENTRY,
	STORE_ROW_VOICE,
	STORE_ROW_KINDS
};
struct store_row {
	enum store_row_kind kind;
	int64_t seq; /* of a turn */
	union {
		const struct store_account *account;
		const struct store_project *project;
		const struct store_key *key;
		const struct store_top_up *top_up;
		const struct store_turn *turn;
		const struct store_dictionary *dictionary;
		const struct store_entry *entry;
		const struct store_voice *voice;
	};
};

/* The kind and the project of a change. */
enum store_change_kind { STORE_CHANGE_DICTIONARY, STORE_CHANGE_VOICE, STORE_CHANGE_KINDS };
struct store_change {
	enum store_change_kind kind;
	int64_t project_id;
	int64_t version; /* of the last change */
};

/* The last ids that were given, also to rows that were removed. */
struct store_last_ids {
	int64_t dictionary, entry, voice;
};

struct store;

typedef bool(store_key_h)(const struct store_key *key, void *arg); /* false: enough */
typedef bool(store_turn_h)(const struct store_turn *turn, void *arg);
typedef bool(store_account_h)(const struct store_account *account, void *arg);
typedef bool(store_project_h)(const struct store_project *project, void *arg);
typedef bool(store_top_up_h)(const struct store_top_up *top_up, void *arg);
typedef bool(store_usage_h)(const struct store_usage *usage, void *arg);
typedef bool(store_paged_turn_h)(int64_t seq, const struct store_turn *turn, void *arg);
typedef bool(store_dictionary_h)(const struct store_dictionary *dictionary, void *arg);
typedef bool(store_entry_h)(const struct store_entry *entry, void *arg);
typedef bool(store_voice_h)(const struct store_voice *voice, void *arg);
typedef bool(store_change_h)(const struct store_change *change, void *arg);

/* Each returns 0 or an errno: EBUSY when another process holds the store for
 * too long, EROFS, ENOSPC, EBADMSG when what is stored is damaged, ENOMEM, else
 * EIO.  The reason has been logged, except for those named here. */
struct store_ops {
	/* Fills in the id and the account; EEXIST when the prefix is taken, EINVAL for a project that
	 * does not exist, EDQUOT when the account has too many. */
	int (*key_add)(struct store *store, struct store_key *key);
	int (*key_find)(struct store *store, struct store_key *key,
			const char *prefix); /* ENOENT */
	/* The first time of a key that is revoked twice stays; ENOENT. */
	int (*key_revoke)(struct store *store, const char *prefix, int64_t at_ms);
	int (*key_list)(struct store *store, store_key_h *each, void *arg); /* oldest first */

	/* The named fields of `to`.  ENOENT. */
	int (*key_change)(struct store *store, const char *prefix, unsigned fields,
			  const struct store_key *to);
	/* When keys were used last.  Does not count as a change (see version), and never
	 * goes back.  ENOENT. */
	int (*key_used)(struct store *store, int64_t key_id, int64_t at_ms);

	/* Accounts and projects.  Lists are oldest first. */
	int (*account_add)(struct store *store, struct store_account *account); /* id; EEXIST */
	int (*account_get)(struct store *store, struct store_account *account,
			   int64_t id); /* ENOENT */
	int (*account_list)(struct store *store, store_account_h *each, void *arg);
	int (*account_change)(struct store *store, int64_t id, unsigned fields,
			      const struct store_account *to); /* ENOENT, EEXIST for the name */
	int (*project_add)(struct store *store, struct store_project *project); /* id; EEXIST,
										   EINVAL, EDQUOT */
	int (*project_list)(struct store *store, int64_t account_id, store_project_h *each,
			    void *arg); /* 0: of all accounts */

	/* A top-up whose id is known is left as it was.  EINVAL for an account that does
	 * not exist, EOVERFLOW for a sum no number can hold. */
	int (*top_up_add)(struct store *store, const struct store_top_up *top_up);
	int (*top_up_list)(struct store *store, int64_t account_id, store_top_up_h *each,
			   void *arg);

	/* Tokens.  EINVAL for a key that does not exist, EEXIST for the hash, EDQUOT when
	 * the key's account has too many that are not expired. */
	int (*token_add)(struct store *store, const struct store_token *token, int64_t now_ms);
	/* Taking one removes it: two that take it at once do not both get it.  Whether the
	 * key is still good is the caller's question.  ENOENT when it is not there, for
	 * another path (it stays), or expired. */
	int (*token_take)(struct store *store, struct store_key *key, const uint8_t *hash,
			  const char *path, int64_t now_ms);

	/* Lends a server credit of a prepaid account, or of a key that may spend only so
	 * much: as much as is wanted and left, which is what was paid in (or the key's
	 * credit_cents), less what was spent and what is lent to servers until it expires.
	 * A turn that is booked takes its amount off its server's lease.  Asking with 0
	 * prolongs what the server has; one that has expired is gone, and what is granted
	 * is all the server has then.  An account that is not prepaid and a key without a
	 * limit are lent what is wanted, and their rows are not summed up.
	 *
	 * A row is booked by one thread while another asks, so the server cannot know which
	 * of its rows had been taken off what it holds: booked_microcents says so.  ENOENT
	 * for the holder. */
	int (*lease_take)(struct store *store, struct store_lease *lease);
	/* All that a server holds, when it ends or when it is known to be dead. */
	int (*lease_return)(struct store *store, const char *server);

	/* Turns, all or none: durable when it returns 0.  A turn whose id is known is left
	 * as it was, whatever the new one says, and no sum counts it again.  errs[i] is
	 * EINVAL for a turn whose key or account does not exist, that has one without the
	 * other, or that costs less than nothing: it is left out, and does not take the
	 * others with it. */
	int (*turns_add)(struct store *store, const struct store_turn *turns, size_t count,
			 int *errs);
	int (*turn_list)(struct store *store, store_turn_h *each, void *arg); /* oldest first */
	/* Oldest first.  A reader that goes on after the last seq that was shown sees every turn
	 * once. */
	int (*turn_page)(struct store *store, const struct store_turn_filter *filter,
			 int64_t after_seq, int64_t limit, store_paged_turn_h *each, void *arg);
	/* by: enum store_usage_by.  Sorted by what they are summed up by, in that order;
	 * nothing is shown where there are no turns. */
	int (*usage_sum)(struct store *store, const struct store_turn_filter *filter, unsigned by,
			 store_usage_h *each, void *arg);
	/* Sums that the rows do not bear out, of accounts and keys: 0 when all is well.
	 * Each is logged. */
	int (*audit)(struct store *store, int64_t *wrong);

	/* Limits across the servers that share a store; NULL: it has one server alone.
	 * All are taken, or none: EDQUOT with which one there was not enough of, and in
	 * how long there may be (0: nobody knows).  Characters may go below zero: who
	 * comes next waits.  What a server holds lapses when it has not been heard of
	 * for STORE_SHARE_LAPSE_MS.  ESTALE: the store was away and may have forgotten
	 * all; it is so until share_return, after which all must be taken again. */
	int (*share_take)(struct store *store, const char *server, const struct store_share *shares,
			  size_t count, size_t *short_of, int64_t *wait_ms);
	int (*share_beat)(struct store *store, const char *server);
	int (*share_return)(struct store *store, const char *server);

	/* Dictionaries of a project; one of another is as none.  Each change is whole
	 * and durable when it returns.  Lists are oldest first. */
	int (*dictionary_list)(struct store *store, int64_t project_id, store_dictionary_h *each,
			       void *arg);
	int (*dictionary_get)(struct store *store, int64_t project_id, int64_t id,
			      store_dictionary_h *each, void *arg); /* ENOENT */
	/* With `count` entries, of which no two have the same word.  created_ms is the time of
	 * all, id and revision are the store's.  EEXIST for the name, EDQUOT when there are too
	 * many dictionaries, E2BIG for too many entries, ENOENT for the project. */
	int (*dictionary_add)(struct store *store, int64_t *id,
			      const struct store_dictionary *dictionary,
			      const struct dictionary_entry *entries, size_t count);
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

	/* Adds or changes these by their words, of which none comes twice, and leaves all others
	 * as they are; one that stays as it was keeps its times.  EDQUOT, ENOENT. */
	int (*entry_put)(struct store *store, int64_t dictionary_id,
			 const struct dictionary_entry *entries, size_t count, int64_t at_ms);
	/* Removes those that have the words of these; words that no entry has are ignored.
	 * ENOENT for the dictionary. */
	int (*entry_remove_words)(struct store *store, int64_t dictionary_id,
				  const struct dictionary_entry *entries, size_t count);

	/* Derived voices, of all projects: oldest first. */
	int (*voice_list)(struct store *store, store_voice_h *each, void *arg);
	/* created_ms is the time of both, id and revision are the store's.  EDQUOT when
	 * there are too many, ENOENT for the project. */
	int (*voice_add)(struct store *store, int64_t *id, const struct store_voice *voice);
	/* The named fields of `to`, and its updated_ms.  ENOENT. */
	int (*voice_change)(struct store *store, int64_t project_id, int64_t id, unsigned fields,
			    const struct store_voice *to);
	int (*voice_remove)(struct store *store, int64_t project_id, int64_t id); /* ENOENT */

	/* A number that is greater when keys, accounts, projects, dictionaries or voices
	 * have changed, by whomever, this handle included; turns, top-ups, tokens, leases
	 * and last uses do not count. */
	int (*version)(struct store *store, int64_t *version);
	/* The projects whose dictionaries or voices have changed since this version, in no
	 * particular order.  A caller that reads the version before calling this misses
	 * nothing. */
	int (*changes)(struct store *store, int64_t since_version, store_change_h *each, void *arg);

	/* Moving to another store, see store/migrate.h; NULL in one that forgets.
	 *
	 * Begins to fill a store that has nothing but its default account and project,
	 * which go; ENOTEMPTY.  Rows come in the order of their kinds, turns in the order of
	 * seq.  After import_settle the sums are those of the rows, and what is there can
	 * be looked at; import_end keeps it all when err is 0, else nothing, and returns
	 * what came of it. */
	int (*import_begin)(struct store *store);
	int (*import_row)(struct store *store, const struct store_row *row);
	int (*import_settle)(struct store *store, const struct store_last_ids *ids);
	int (*import_end)(struct store *store, int err);
	int (*last_ids)(struct store *store, struct store_last_ids *ids);
	/* Until snapshot_end all that is read is of one moment, whatever others write, and
	 * nothing can be written; NULL: there is none. */
	int (*snapshot_begin)(struct store *store);
	void (*snapshot_end)(struct store *store);
	/* How many other connections of this program there are; NULL: they cannot be counted. */
	int (*others)(struct store *store, int64_t *count);
};

struct store {
	const struct store_ops *ops;
	/* Projects and keys may be added beyond the limits: by the operator, who has access
	 * to the store itself, and for the server's own key.  Set by the code that opened
	 * the store. */
	bool is_unlimited;
	bool is_volatile; /* in memory: it does not survive the process */
};

/* Opens by address: "sqlite:PATH", "postgresql://..." or "memory:".  Creates and
 * migrates what is missing.  mem_deref closes.  EPROTONOSUPPORT for an address of no backend;
 * what went wrong with a real one is logged. */
#define STORE_ADDRESSES "sqlite:PATH, postgresql://USER:PASSWORD@HOST/DATABASE or memory:"
int store_open(struct store **storep, const char *address);

/* Whether store_open would open a store that is there, without creating or migrating
 * anything: 0; ENOENT when there is none yet, which store_open would create; else the errno
 * of store_open.  A store in memory is never there. */
int store_look(const char *address);

/* Opens as store_open does, but a database that cannot be reached now (*is_away) is not an error: the verbs
 * fail with EIO until it can be reached, and then it is migrated.  A failure that waiting
 * cannot fix is an error, both here and, for a database that was never reached, of the verbs
 * (see store_is_hopeless). */
int store_open_patiently(struct store **storep, bool *is_away, const char *address);

/* Whether the error is one that an operator must fix: an invalid address (EINVAL), a database
 * that refuses the role, its password or the name of the database (EACCES), or one of a newer
 * release or an unknown kind (ENOTSUP, EPROTONOSUPPORT). */
bool store_is_hopeless(int err);

/* The path in "sqlite:PATH"; NULL for an address of another backend. */
const char *store_sqlite_path(const char *address);

/* The address as it may be shown, without a password. */
#define STORE_ADDRESS_SHOWN 256
void store_show_address(char shown[STORE_ADDRESS_SHOWN], const char *address);

/* The backends, by what follows the colon. */
int store_open_sqlite(struct store **storep, const char *path);
int store_open_memory(struct store **storep);
int store_open_postgres(struct store **storep, const char *address); /* the whole URI */
int store_open_postgres_patiently(struct store **storep, bool *is_away, const char *address);
int store_look_sqlite(const char *path);
int store_look_postgres(const char *address);

#endif
