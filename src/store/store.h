/*
 * store.h: everything that must survive the process, as operations of the product.
 *
 * A backend is a table of blocking functions.  Only one thread at a time may use a handle: the
 * threads of account/, which is the asynchronous interface, or a command-line tool.  Several
 * handles may be open on one address.  A store in memory is shared by all handles of the process
 * and is freed with the last of them.  One conformance suite (test/unit/store) runs against every
 * backend.
 */
#ifndef STORE_STORE_H
#define STORE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "text/dictionary.h"

#define STORE_KEY_PREFIX_LEN 8 /* the part of a key that identifies it and is stored in the clear */
#define STORE_KEY_HASH_LEN 32
#define STORE_NAME_MAX 64
#define STORE_TURN_ID_MAX 40
#define STORE_MODEL_SIZE 64 /* longer model names are truncated */
#define STORE_MODEL_OLD_SIZE 24 /* the limit of releases that do not know enum store_kind */
#define STORE_PATH_MAX 127
#define STORE_SERVER_ID_LEN 16 /* identifies a server process; a new id at each start */

/* The project of keys that were added without one; it always exists. */
#define STORE_PROJECT_DEFAULT 1

/* The account of projects that were added without one; it always exists. */
#define STORE_ACCOUNT_DEFAULT 1

/* A project's dictionaries are kept in memory, compiled.  A project at both limits needs about
 * 400 MB (30 full dictionaries were measured at 127 MB), and no project is known to need more.
 * Replacing all entries is one transaction, which delays writes to the ledger. */
#define STORE_DICTIONARIES_MAX 100 /* per project */
#define STORE_ENTRIES_MAX 10000 /* per dictionary */
#define STORE_REVISION_FIRST 1 /* of a new dictionary, whether or not it is added with entries */

/* Some clients receive all voices of a project in one list. */
#define STORE_VOICES_MAX 1000 /* per project */

/* A speech engine is read for each conversation, so its configuration must be small. */
#define STORE_SPEECH_ENGINES_MAX 1000 /* per project */
#define STORE_SPEECH_ENGINE_ID_LEN 28 /* letters and digits */
#define STORE_SPEECH_ENGINE_NAME_MAX 255 /* bytes */
#define STORE_SPEECH_ENGINE_CONFIG_MAX (64 * 1024) /* bytes */

/* An admin key can create projects and keys of its account, and each project can have
 * dictionaries and voices of its own, so their numbers must be limited.  Nobody is known to
 * have dozens of projects; a key for each of a tenant's own customers makes a thousand.
 * Revoked and expired keys stay as rows, because the ledger refers to them: at a few keys a
 * day, it takes years to reach the second limit. */
#define STORE_PROJECTS_MAX 100 /* per account */
#define STORE_KEYS_MAX 1000 /* active keys per account */
#define STORE_KEYS_EVER_MAX 10000 /* keys per account, including revoked and expired ones */

/* Tokens are valid for minutes.  An account with this many either requests them in a faulty loop
 * or is malicious. */
#define STORE_TOKENS_MAX 10000 /* unexpired tokens per account */

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

/* How much an account or a key may use. */
struct store_limits {
	int64_t turns; /* concurrent */
	int64_t connections; /* concurrent */
	int64_t requests_per_minute;
	int64_t characters_per_minute;
	int64_t text_max; /* characters of one text */
	int64_t heard_seconds_per_minute; /* audio that is transcribed */
};
#define STORE_LIMIT_NONE (-1)
#define STORE_LIMIT_PLAN (-2) /* for an account the limit of its plan, for a key no limit */
#define STORE_LIMITS_PLAN                                                                          \
	{                                                                                          \
		STORE_LIMIT_PLAN, STORE_LIMIT_PLAN, STORE_LIMIT_PLAN, STORE_LIMIT_PLAN,            \
			STORE_LIMIT_PLAN, STORE_LIMIT_PLAN                                         \
	}

/* An account pays for its projects, and a project contains keys. */
struct store_account {
	int64_t id;
	char name[STORE_NAME_MAX + 1]; /* unique */
	char plan[STORE_NAME_MAX + 1]; /* a plan in the configuration; "": the default plan */
	bool is_prepaid; /* turns are refused when the credit is used up */
	struct store_limits limits;
	int64_t created_ms;
	int64_t closed_ms; /* 0: not closed */
	/* Sums over the account's rows, updated in the transaction that adds a row. */
	int64_t credit_microcents; /* sum of all top-ups */
	int64_t spent_microcents; /* sum of all turns */
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
	int64_t account_id; /* the account of the project; filled in by key_add */
	unsigned scopes; /* enum store_scope */
	char prefix[STORE_KEY_PREFIX_LEN + 1]; /* the key's first characters */
	uint8_t hash[STORE_KEY_HASH_LEN]; /* SHA-256 of the whole key */
	char name[STORE_NAME_MAX + 1];
	int64_t credit_cents; /* the most it may ever spend; -1: no limit */
	struct store_limits limits;
	int64_t created_ms;
	int64_t revoked_ms; /* 0: not revoked */
	int64_t expires_ms; /* 0: never */
	int64_t used_ms; /* when it was last used, to the minute; 0: never */
	int64_t spent_microcents; /* sum of its turns, updated like an account's */
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

/* Credit that was paid in, or taken back if the amount is negative.  Append-only, idempotent by
 * id. */
struct store_top_up {
	char id[STORE_TURN_ID_MAX + 1];
	int64_t account_id;
	int64_t at_ms;
	int64_t amount_microcents;
	char note[STORE_NAME_MAX + 1];
};

/* A single-use token for one connection or request, for a browser that must not see the key. */
struct store_token {
	uint8_t hash[STORE_KEY_HASH_LEN]; /* SHA-256 of its text */
	int64_t key_id; /* the key that requested it and is charged */
	char path[STORE_PATH_MAX + 1]; /* the only path that accepts it */
	int64_t expires_ms;
};

/* The account or key that a credit or a limit belongs to. */
enum store_holder_kind { STORE_HOLDER_ACCOUNT, STORE_HOLDER_KEY };
struct store_holder {
	enum store_holder_kind kind;
	int64_t id;
};

/* Credit that a server may spend without asking the store; see lease_take. */
struct store_lease {
	/* The request. */
	char server[STORE_SERVER_ID_LEN + 1];
	struct store_holder holder;
	int64_t want_microcents;
	int64_t at_ms, expires_ms;
	/* Selects the rows of the holder, booked by this server, that are summed up in
	 * booked_microcents: those after after_seq (0: all) that were made at since_ms or
	 * later. */
	int64_t after_seq, since_ms;
	/* The answer, all as of the same moment. */
	int64_t granted_microcents; /* in addition to what the server held; at most `want` */
	int64_t held_microcents; /* what the server holds now, less what it has booked */
	int64_t left_microcents; /* neither leased nor spent after the grant; may be negative */
	int64_t elsewhere_microcents; /* held by other servers */
	int64_t booked_microcents; /* sum of the rows that after_seq and since_ms select */
	int64_t last_seq; /* of the last of those rows: the next after_seq */
};

/* A limit that several servers share. */
enum store_meter {
	STORE_METER_TURNS,
	STORE_METER_CONNECTIONS,
	STORE_METER_REQUESTS,
	STORE_METER_CHARACTERS,
	STORE_METER_HEARD /* seconds of audio */
};
struct store_share {
	enum store_meter meter;
	struct store_holder holder;
	int64_t amount; /* requested; a negative amount returns slots */
	int64_t max; /* concurrent slots, or tokens per minute */
};

enum store_turn_status {
	STORE_TURN_FINISHED,
	STORE_TURN_CANCELLED,
	STORE_TURN_FAILED,
	STORE_TURN_LOST, /* its server died: the figures are those of its last durable checkpoint */
};

/* What a row of the ledger charges for. */
enum store_kind {
	STORE_KIND_SPEECH, /* synthesized audio; rows of releases without kinds are speech, too */
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
	int64_t key_id; /* 0: spoken without a server, and so without a key */
	int64_t account_id; /* the key's account; 0 if key_id is 0 */
	char server[STORE_SERVER_ID_LEN + 1]; /* the server that spoke it; "": none */
	int64_t at_ms;
	enum store_turn_status status;
	enum store_kind kind;
	/* How much, in `unit`.  For speech in samples it equals `samples`: writers need not
	 * set it (store_turn_quantity), readers find both. */
	uint64_t quantity;
	enum store_unit unit;
	bool is_estimated; /* the quantity was estimated, not counted */
	uint64_t samples; /* speech only: samples handed to the socket */
	uint32_t sample_rate; /* 0 where the unit is not samples */
	uint64_t characters; /* speech only */
	int64_t voice_id; /* speech only */
	char model_id[STORE_MODEL_SIZE]; /* speech model or language model */
	int64_t amount_microcents;
};

uint64_t store_turn_quantity(const struct store_turn *turn);

/* Selects the turns of a report. */
struct store_turn_filter {
	int64_t account_id; /* 0: all */
	int64_t project_id; /* 0: all */
	int64_t key_id; /* 0: all */
	int64_t from_ms, to_ms; /* from <= at < to; 0: unbounded */
};

/* What a report groups its sums by; days are UTC days. */
enum store_usage_by {
	STORE_USAGE_DAY = 1 << 0,
	STORE_USAGE_KEY = 1 << 1,
	STORE_USAGE_VOICE = 1 << 2,
	STORE_USAGE_MODEL = 1 << 3,
	STORE_USAGE_KIND = 1 << 4,
};
struct store_usage {
	/* The group.  Each of these five is set only if the report groups by it. */
	int64_t day_ms; /* the first millisecond of the day */
	int64_t key_id;
	int64_t voice_id;
	char model_id[STORE_MODEL_SIZE];
	enum store_kind kind;
	/* Speech only. */
	int64_t turns;
	uint64_t audio_us; /* each turn is rounded half up before it is added */
	uint64_t characters;
	/* The other kinds, one field each. */
	uint64_t heard_us;
	int64_t answers; /* of language models */
	uint64_t tokens_in, tokens_out;
	uint64_t tokens_estimated; /* the part of tokens_in + tokens_out that was estimated */
	/* All kinds. */
	int64_t amount_microcents;
};

/* Adds the figures; the fields by which they are grouped stay unchanged. */
void store_usage_add(struct store_usage *sum, const struct store_usage *usage);

/* The strings of the rows below are valid only during the call of the handler that receives the
 * row. */
struct store_dictionary {
	int64_t id; /* never reused */
	int64_t project_id;
	const char *name; /* unique in the project */
	const char *description; /* NULL: none */
	const char *language; /* NULL: all languages */
	bool is_active;
	int64_t revision; /* incremented by each change to the dictionary or its entries */
	int64_t created_ms, updated_ms; /* changes to entries do not count */
};

struct store_entry {
	int64_t id; /* never reused */
	int64_t dictionary_id;
	struct dictionary_entry said; /* its word is unique in the dictionary */
	int64_t created_ms, updated_ms;
};

/* The members that a change sets. */
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

/* A voice derived from another one by changing its parameters.  A string that is NULL is taken
 * from the base voice, if that has one. */
struct store_voice {
	int64_t id; /* STORE_VOICE_FIRST or greater, never reused */
	int64_t project_id;
	int64_t base_id; /* a voice of the catalogue, which the store cannot check */
	const char *name;
	double pitch; /* semitones */
	double rate; /* a factor applied to the base's pace */
	const char *variant;
	const char *description, *generative_description, *sample_text;
	const char *sex, *age, *category, *quality;
	const char *languages; /* "de,en" */
	bool is_public;
	int64_t sampled_ms; /* when its sample was made; 0: it has none */
	int64_t revision; /* incremented by each change */
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

/* A speech engine of a project: whom it asks what to say, and how it listens and speaks. */
struct store_speech_engine {
	/* STORE_SPEECH_ENGINE_ID_LEN random characters, chosen by the caller; unique in the store.
	 * An API may show a prefix before it. */
	const char *id;
	int64_t project_id;
	const char *name; /* need not be unique */
	int64_t key_id; /* the key that signs its tokens */
	const char *key_prefix; /* of that key; filled in by the store */
	const char *config; /* a JSON object, which the store does not read */
	int64_t revision; /* incremented by each change */
	int64_t created_ms, updated_ms;
};

enum store_speech_engine_field {
	STORE_SPEECH_ENGINE_NAME = 1 << 0,
	STORE_SPEECH_ENGINE_KEY = 1 << 1,
	STORE_SPEECH_ENGINE_CONFIG = 1 << 2,
};

/* Selects and sorts the speech engines of a list.  Those with the same name or time are sorted by
 * their id. */
enum store_speech_engine_order { STORE_SPEECH_ENGINE_BY_TIME, STORE_SPEECH_ENGINE_BY_NAME };
struct store_speech_engine_page {
	const char *search; /* part of the name, case-insensitive; NULL: all speech engines */
	enum store_speech_engine_order order; /* names are compared case-insensitively */
	bool descends;
	int64_t limit; /* -1: no limit */
	/* The list begins after a row with these values, whether it still exists or not; an after_id
	 * of NULL means at the beginning. */
	int64_t after_ms; /* created_ms, in a list by time */
	const char *after_name; /* in a list by name */
	const char *after_id;
};

/* Selects the entries of a list. */
struct store_page {
	const char *search; /* part of the word, case-insensitive; NULL: all entries */
	int64_t limit; /* -1: no limit */
	int64_t offset;
};

/* What a server holds of shared limits expires after this time without a heartbeat. */
#define STORE_SHARE_LAPSE_MS 30000

struct store_replaced {
	int64_t upserted, deleted, total;
};

/* A complete row, including its id; see import_row. */
enum store_row_kind {
	STORE_ROW_ACCOUNT,
	STORE_ROW_PROJECT,
	STORE_ROW_KEY,
	STORE_ROW_TOP_UP,
	STORE_ROW_TURN,
	STORE_ROW_DICTIONARY,
	STORE_ROW_ENTRY,
	STORE_ROW_VOICE,
	STORE_ROW_SPEECH_ENGINE,
	STORE_ROW_KINDS
};
struct store_row {
	enum store_row_kind kind;
	int64_t seq; /* for STORE_ROW_TURN only */
	union {
		const struct store_account *account;
		const struct store_project *project;
		const struct store_key *key;
		const struct store_top_up *top_up;
		const struct store_turn *turn;
		const struct store_dictionary *dictionary;
		const struct store_entry *entry;
		const struct store_voice *voice;
		const struct store_speech_engine *speech_engine;
	};
};

/* The kind and the project of the rows that have changed. */
enum store_change_kind { STORE_CHANGE_DICTIONARY, STORE_CHANGE_VOICE, STORE_CHANGE_KINDS };
struct store_change {
	enum store_change_kind kind;
	int64_t project_id;
	int64_t version; /* the store's version at the last such change */
};

/* The last ids that were assigned, including those of rows that were removed since. */
struct store_last_ids {
	int64_t dictionary, entry, voice;
};

struct store;

/* Handlers that receive one row each, which is valid during the call.  Returning false ends the
 * list.  A handler must not call operations of the same handle, which has only one list open at a
 * time. */
typedef bool(store_key_h)(const struct store_key *key, void *arg);
typedef bool(store_turn_h)(const struct store_turn *turn, void *arg);
typedef bool(store_account_h)(const struct store_account *account, void *arg);
typedef bool(store_project_h)(const struct store_project *project, void *arg);
typedef bool(store_top_up_h)(const struct store_top_up *top_up, void *arg);
typedef bool(store_usage_h)(const struct store_usage *usage, void *arg);
typedef bool(store_paged_turn_h)(int64_t seq, const struct store_turn *turn, void *arg);
typedef bool(store_dictionary_h)(const struct store_dictionary *dictionary, void *arg);
typedef bool(store_entry_h)(const struct store_entry *entry, void *arg);
typedef bool(store_voice_h)(const struct store_voice *voice, void *arg);
typedef bool(store_speech_engine_h)(const struct store_speech_engine *engine, void *arg);
typedef bool(store_change_h)(const struct store_change *change, void *arg);

/* All operations return 0 or an errno: EBUSY if another process locks the store for too long,
 * EROFS, ENOSPC, EBADMSG if the stored data is damaged, ENOMEM, otherwise EIO.  These are logged.
 * The errors named at an operation are not: they are answers to its caller.  Lists are sorted from
 * the oldest row to the newest. */
struct store_ops {
	/* Fills in the id and the account.  EEXIST if the prefix is taken, EINVAL if the project
	 * does not exist, EDQUOT if the account has too many keys. */
	int (*key_add)(struct store *store, struct store_key *key);
	int (*key_find)(struct store *store, struct store_key *key,
			const char *prefix); /* ENOENT */
	/* A key that is revoked again keeps the time of the first revocation.  ENOENT. */
	int (*key_revoke)(struct store *store, const char *prefix, int64_t at_ms);
	int (*key_list)(struct store *store, store_key_h *each, void *arg);

	/* Sets the named fields to those of `to`.  ENOENT. */
	int (*key_change)(struct store *store, const char *prefix, unsigned fields,
			  const struct store_key *to);
	/* Records when a key was last used; an earlier time than the recorded one is ignored.
	 * Does not count as a change (see version).  ENOENT. */
	int (*key_used)(struct store *store, int64_t key_id, int64_t at_ms);

	/* Accounts and projects.  Adding one fills in its id. */
	int (*account_add)(struct store *store, struct store_account *account); /* EEXIST */
	int (*account_get)(struct store *store, struct store_account *account,
			   int64_t id); /* ENOENT */
	int (*account_list)(struct store *store, store_account_h *each, void *arg);
	int (*account_change)(struct store *store, int64_t id, unsigned fields,
			      const struct store_account *to); /* ENOENT, EEXIST for the name */
	/* EEXIST for the name, EINVAL if the account does not exist, EDQUOT if it has too many
	 * projects. */
	int (*project_add)(struct store *store, struct store_project *project);
	/* account_id 0 lists the projects of all accounts. */
	int (*project_list)(struct store *store, int64_t account_id, store_project_h *each,
			    void *arg);

	/* A top-up whose id exists already is ignored.  EINVAL if the account does not exist,
	 * EOVERFLOW if the sum exceeds 64 bits. */
	int (*top_up_add)(struct store *store, const struct store_top_up *top_up);
	/* Lists the top-ups of one account. */
	int (*top_up_list)(struct store *store, int64_t account_id, store_top_up_h *each,
			   void *arg);

	/* EINVAL if the key does not exist, EEXIST for the hash, EDQUOT if the key's account has
	 * too many unexpired tokens. */
	int (*token_add)(struct store *store, const struct store_token *token, int64_t now_ms);
	/* Removes a token, so that only one of several concurrent callers gets it, and reads its
	 * key, which the caller must check for validity.  ENOENT if the token does not exist, is
	 * expired, or is for another path (then it is not removed). */
	int (*token_take)(struct store *store, struct store_key *key, const uint8_t *hash,
			  const char *path, int64_t now_ms);

	/* Leases credit to a server, from a prepaid account or from a key with a spending limit.
	 * Grants what the server wants, up to what is left: the amount paid in (or the key's
	 * credit_cents), less what was spent and what servers hold in unexpired leases.  Booking
	 * a turn deducts its amount from its server's lease.  Wanting 0 extends the lease that
	 * the server holds.  An expired lease is void, so that the server then holds only what is
	 * granted.  An account that is not prepaid and a key without a limit are granted what is
	 * wanted, and booked_microcents is 0.
	 *
	 * A server may book a row on one thread while it asks on another, so it cannot know which
	 * of its rows were already deducted from what it holds: booked_microcents says so.
	 * ENOENT if the account or key does not exist. */
	int (*lease_take)(struct store *store, struct store_lease *lease);
	/* Returns everything that a server holds, when it ends or is known to be dead. */
	int (*lease_return)(struct store *store, const char *server);

	/* Adds turns, all or none; they are durable when it returns 0.  A turn whose id exists
	 * already is ignored, even if it differs, and is not added to any sum again.  An invalid
	 * turn is left out without affecting the others, and its errs[i] is EINVAL: its key or
	 * account does not exist, it has one without the other, or its amount is negative. */
	int (*turns_add)(struct store *store, const struct store_turn *turns, size_t count,
			 int *errs);
	int (*turn_list)(struct store *store, store_turn_h *each, void *arg);
	/* Lists turns with a greater seq than after_seq, at most `limit` (-1: no limit).  A reader
	 * that passes the last seq it has received sees every turn exactly once. */
	int (*turn_page)(struct store *store, const struct store_turn_filter *filter,
			 int64_t after_seq, int64_t limit, store_paged_turn_h *each, void *arg);
	/* Sums up turns by the fields of `by` (enum store_usage_by), and sorts the groups by the
	 * same fields in the order of the enum.  Groups without turns are left out. */
	int (*usage_sum)(struct store *store, const struct store_turn_filter *filter, unsigned by,
			 store_usage_h *each, void *arg);
	/* Counts the sums of accounts and keys that do not match their rows, and logs each. */
	int (*audit)(struct store *store, int64_t *wrong);

	/* Limits across the servers that share a store; NULL if only one server can use the
	 * store.
	 *
	 * share_take takes all of the shares or none: EDQUOT, and then shares[*short_of] is the
	 * one that does not have enough, and *wait_ms is the time until it may have (0: unknown).
	 * The balance of characters may become negative, which delays later requests.  What a
	 * server holds expires if it sends no heartbeat for STORE_SHARE_LAPSE_MS.  ESTALE means
	 * that the store was unreachable and may have lost all shares; it is returned until the
	 * server calls share_return, after which it must take everything again. */
	int (*share_take)(struct store *store, const char *server, const struct store_share *shares,
			  size_t count, size_t *short_of, int64_t *wait_ms);
	int (*share_heartbeat)(struct store *store, const char *server);
	int (*share_return)(struct store *store, const char *server);

	/* Dictionaries of a project.  A dictionary of another project is treated as if it did not
	 * exist.  Each change is atomic, and durable when the call returns. */
	int (*dictionary_list)(struct store *store, int64_t project_id, store_dictionary_h *each,
			       void *arg);
	int (*dictionary_get)(struct store *store, int64_t project_id, int64_t id,
			      store_dictionary_h *each, void *arg); /* ENOENT */
	/* Adds a dictionary with `count` entries, no two of which may have the same word.  Its
	 * created_ms is used for all times; the store chooses the id and the revision.  EEXIST for
	 * the name, EDQUOT for too many dictionaries, E2BIG for too many entries, ENOENT for the
	 * project. */
	int (*dictionary_add)(struct store *store, int64_t *id,
			      const struct store_dictionary *dictionary,
			      const struct dictionary_entry *entries, size_t count);
	/* Sets the named fields and updated_ms to those of `to`.  ENOENT, EEXIST for the name. */
	int (*dictionary_change)(struct store *store, int64_t project_id, int64_t id,
				 unsigned fields, const struct store_dictionary *to);
	int (*dictionary_remove)(struct store *store, int64_t project_id, int64_t id); /* ENOENT */

	/* Entries of a dictionary.  The caller must have checked that the dictionary belongs to
	 * its project. */
	int (*entry_list)(struct store *store, int64_t dictionary_id, const struct store_page *page,
			  store_entry_h *each, void *arg);
	/* Counts the entries whose word contains `search`; NULL: all entries. */
	int (*entry_count)(struct store *store, int64_t *count, int64_t dictionary_id,
			   const char *search);
	int (*entry_get)(struct store *store, int64_t dictionary_id, int64_t id,
			 store_entry_h *each, void *arg); /* ENOENT */
	/* EEXIST for the word, EDQUOT for too many entries, ENOENT for the dictionary. */
	int (*entry_add)(struct store *store, int64_t *id, int64_t dictionary_id,
			 const struct dictionary_entry *entry, int64_t at_ms);
	int (*entry_change)(struct store *store, int64_t dictionary_id, int64_t id, unsigned fields,
			    const struct dictionary_entry *to, int64_t at_ms); /* ENOENT, EEXIST */
	int (*entry_remove)(struct store *store, int64_t dictionary_id, int64_t id); /* ENOENT */
	/* Makes these the only entries of the dictionary, matching existing ones by word; no two
	 * may have the same word.  An entry that does not change keeps its times.  EDQUOT,
	 * ENOENT. */
	int (*entry_replace)(struct store *store, struct store_replaced *replaced,
			     int64_t dictionary_id, const struct dictionary_entry *entries,
			     size_t count, int64_t at_ms);

	/* The same, but keeps the dictionary's other entries.  EDQUOT, ENOENT. */
	int (*entry_put)(struct store *store, int64_t dictionary_id,
			 const struct dictionary_entry *entries, size_t count, int64_t at_ms);
	/* Removes the entries that have these words; words without an entry are ignored.  ENOENT
	 * for the dictionary. */
	int (*entry_remove_words)(struct store *store, int64_t dictionary_id,
				  const struct dictionary_entry *entries, size_t count);

	/* Derived voices, of all projects. */
	int (*voice_list)(struct store *store, store_voice_h *each, void *arg);
	/* created_ms is used for updated_ms too; the store chooses the id and the revision.
	 * EDQUOT for too many voices, ENOENT for the project. */
	int (*voice_add)(struct store *store, int64_t *id, const struct store_voice *voice);
	/* Sets the named fields and updated_ms to those of `to`.  ENOENT. */
	int (*voice_change)(struct store *store, int64_t project_id, int64_t id, unsigned fields,
			    const struct store_voice *to);
	int (*voice_remove)(struct store *store, int64_t project_id, int64_t id); /* ENOENT */

	/* Speech engines of a project. */
	int (*speech_engine_list)(struct store *store, int64_t project_id,
				  const struct store_speech_engine_page *page,
				  store_speech_engine_h *each, void *arg);
	/* project_id 0: of any project.  ENOENT. */
	int (*speech_engine_get)(struct store *store, int64_t project_id, const char *id,
				 store_speech_engine_h *each, void *arg);
	/* created_ms is used for updated_ms too; the store chooses the revision.  EEXIST for the id,
	 * EDQUOT for too many speech engines, ENOENT for the project or the key. */
	int (*speech_engine_add)(struct store *store, const struct store_speech_engine *engine);
	/* Sets the named fields and updated_ms to those of `to`, if the row has the revision of `to`
	 * (0: any revision), so that concurrent changes are not lost.  ENOENT if it does not exist
	 * or has another revision, or for the key. */
	int (*speech_engine_change)(struct store *store, int64_t project_id, const char *id,
				    unsigned fields, const struct store_speech_engine *to);
	int (*speech_engine_remove)(struct store *store, int64_t project_id,
				    const char *id); /* ENOENT */

	/* A number that increases whenever any handle, this one included, changes keys, accounts,
	 * projects, dictionaries or voices.  Turns, top-ups, tokens, leases, speech engines and
	 * the times at which keys were last used do not count. */
	int (*version)(struct store *store, int64_t *version);
	/* The projects whose dictionaries or voices have changed since this version, in no
	 * particular order.  A caller that reads the version before calling this misses
	 * nothing. */
	int (*changes)(struct store *store, int64_t since_version, store_change_h *each, void *arg);

	/* Moving to another store (see store/migrate.h); NULL for a store in memory.
	 *
	 * import_begin prepares a store that contains only its default account and project, and
	 * removes these; ENOTEMPTY if there is more.  Rows must be imported in the order of their
	 * kinds, and turns in the order of seq.  import_settle computes the sums from the rows,
	 * after which everything can be read.  import_end commits if err is 0, otherwise rolls
	 * everything back; it returns err, or the error of the commit. */
	int (*import_begin)(struct store *store);
	int (*import_row)(struct store *store, const struct store_row *row);
	int (*import_settle)(struct store *store, const struct store_last_ids *ids);
	int (*import_end)(struct store *store, int err);
	int (*last_ids)(struct store *store, struct store_last_ids *ids);
	/* Between the two calls everything is read as of one moment, whatever others write, and
	 * nothing can be written through this handle.  NULL if the backend has no snapshots. */
	int (*snapshot_begin)(struct store *store);
	void (*snapshot_end)(struct store *store);
	/* Counts the other connections of this program; NULL if the backend cannot do that. */
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

/* Opens the store at an address (see STORE_ADDRESSES); creates it if it does not exist, and
 * migrates its schema.  mem_deref closes it.  EPROTONOSUPPORT, which is not logged, if no backend
 * has addresses of this form; other errors are logged. */
#define STORE_ADDRESSES "sqlite:PATH, postgresql://USER:PASSWORD@HOST/DATABASE or memory:"
int store_open(struct store **storep, const char *address);

/* Checks a store without creating or migrating anything.  Returns 0 if it exists and store_open
 * would open it, ENOENT if store_open would create it, otherwise the errno of store_open.  A store
 * in memory never exists. */
int store_look(const char *address);

/* Opens like store_open, but a database that cannot be reached at present (*is_away) is not an
 * error: the operations fail with EIO until it can be reached, and then its schema is migrated.  A
 * failure that waiting cannot fix (see store_is_permanent_error) is an error here, and is returned
 * by the operations if the database has never been reached. */
int store_open_patiently(struct store **storep, bool *is_away, const char *address);

/* Whether the error is one that an operator must fix: an invalid address (EINVAL), a database
 * that refuses the role, its password or the name of the database (EACCES), or one of a newer
 * release or an unknown kind (ENOTSUP, EPROTONOSUPPORT). */
bool store_is_permanent_error(int err);

/* The path in "sqlite:PATH"; NULL for an address of another backend. */
const char *store_sqlite_path(const char *address);

/* The address as it may be shown, without a password. */
#define STORE_ADDRESS_SHOWN 256
void store_show_address(char shown[STORE_ADDRESS_SHOWN], const char *address);

/* The backends.  They receive what follows the colon of the address. */
int store_open_sqlite(struct store **storep, const char *path);
int store_open_memory(struct store **storep);
int store_open_postgres(struct store **storep, const char *address); /* the whole URI */
int store_open_postgres_patiently(struct store **storep, bool *is_away, const char *address);
int store_look_sqlite(const char *path);
int store_look_postgres(const char *address);

#endif
