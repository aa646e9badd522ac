/*
 * postgres_private.h: what the files of the PostgreSQL store share.
 *
 *   postgres.c               opening, the table of operations
 *   postgres_connection.c    connecting and reconnecting
 *   postgres_exchange.c      sending statements and receiving results, with time limits
 *   postgres_ask.c           statements and transactions
 *   postgres_values.c        parameters of statements and columns of results
 *   postgres_schema.c        the tables and their migrations, as SQL
 *   postgres_statements.c    all statements, as SQL
 *   postgres_accounts.c      accounts, projects, top-ups
 *   postgres_keys.c          keys and tokens
 *   postgres_ledger.c        turns, reports, leases
 *   postgres_shares.c        limits that several servers share
 *   postgres_dictionaries.c  dictionaries and their entries
 *   postgres_voices.c        derived voices
 *   postgres_speech_engines.c  speech engines
 *   postgres_import.c        copying rows from another store
 */
#ifndef STORE_POSTGRES_PRIVATE_H
#define STORE_POSTGRES_PRIVATE_H

#include <libpq-fe.h>

#include "base/buf.h"
#include "store/store.h"

#define POSTGRES_STATEMENTS(X)                                                                     \
	X(KEY_ADD)                                                                                 \
	X(KEY_FIND)                                                                                \
	X(KEY_REVOKE)                                                                              \
	X(KEY_LIST)                                                                                \
	X(KEY_CHANGE)                                                                              \
	X(KEY_USED)                                                                                \
	X(ACCOUNT_ADD)                                                                             \
	X(ACCOUNT_GET)                                                                             \
	X(ACCOUNT_LIST)                                                                            \
	X(ACCOUNT_CHANGE)                                                                          \
	X(PROJECT_ADD)                                                                             \
	X(PROJECT_LIST)                                                                            \
	X(TOP_UP_ADD)                                                                              \
	X(TOP_UP_LIST)                                                                             \
	X(LOCK_ACCOUNT)                                                                            \
	X(LOCK_ACCOUNT_OF_PROJECT)                                                                 \
	X(PROJECT_COUNT)                                                                           \
	X(KEY_COUNT)                                                                               \
	X(TOKEN_ADD)                                                                               \
	X(TOKEN_TAKE)                                                                              \
	X(LEASE_TAKE)                                                                              \
	X(LEASE_RETURN)                                                                            \
	X(TURNS_ADD)                                                                               \
	X(TURN_PAGE)                                                                               \
	X(USAGE_SUM)                                                                               \
	X(AUDIT)                                                                                   \
	X(SHARE_TAKE)                                                                              \
	X(SHARE_HEARTBEAT)                                                                         \
	X(SHARE_RETURN)                                                                            \
	X(PROJECT_LOCK)                                                                            \
	X(DICTIONARY_LIST)                                                                         \
	X(DICTIONARY_GET)                                                                          \
	X(DICTIONARY_COUNT)                                                                        \
	X(DICTIONARY_ADD)                                                                          \
	X(DICTIONARY_CHANGE)                                                                       \
	X(DICTIONARY_REMOVE)                                                                       \
	X(DICTIONARY_TOUCH)                                                                        \
	X(ENTRY_LIST)                                                                              \
	X(ENTRY_COUNT)                                                                             \
	X(ENTRY_GET)                                                                               \
	X(ENTRY_ADD)                                                                               \
	X(ENTRY_CHANGE)                                                                            \
	X(ENTRY_REMOVE)                                                                            \
	X(ENTRY_UPSERT_ALL)                                                                        \
	X(ENTRY_REMOVE_WORDS)                                                                      \
	X(ENTRY_REMOVE_OTHERS)                                                                     \
	X(VOICE_LIST)                                                                              \
	X(VOICE_COUNT)                                                                             \
	X(VOICE_ADD)                                                                               \
	X(VOICE_CHANGE)                                                                            \
	X(VOICE_REMOVE)                                                                            \
	X(SPEECH_ENGINE_GET)                                                                       \
	X(SPEECH_ENGINE_COUNT)                                                                     \
	X(SPEECH_ENGINE_ADD)                                                                       \
	X(SPEECH_ENGINE_CHANGE)                                                                    \
	X(SPEECH_ENGINE_REMOVE)                                                                    \
	X(SPEECH_ENGINE_BY_TIME)                                                                   \
	X(SPEECH_ENGINE_BY_TIME_DOWN)                                                              \
	X(SPEECH_ENGINE_BY_NAME)                                                                   \
	X(SPEECH_ENGINE_BY_NAME_DOWN)                                                              \
	X(VERSION)                                                                                 \
	X(CHANGES)                                                                                 \
	X(OTHERS)                                                                                  \
	X(BEGIN)                                                                                   \
	X(COMMIT)                                                                                  \
	X(ROLLBACK)

enum postgres_statement {
#define X(name) POSTGRES_##name,
	POSTGRES_STATEMENTS(X)
#undef X
		POSTGRES_STATEMENT_COUNT
};

struct postgres_statement_row {
	const char *sql;
	/* A report is planned for its actual parameters, because the same statement may select
	 * anything or everything; it may also take longer than others. */
	bool is_report;
};
extern const struct postgres_statement_row postgres_statements[];

/* The migrations of the schema: a database at version n has had the first n of them. */
extern const char *const postgres_schema_migrations[];
extern const int postgres_schema_version;

/* Later steps, which add columns and tables that a program may ignore.  They are counted in
 * a table of their own (schema_addition), not in schema_version: the previous release, which
 * shares the database during an upgrade and may be started again after it, refuses an unknown
 * schema_version.  Everything that such a step adds has a default, and rows that the
 * previous release writes must still be right. */
extern const char *const postgres_schema_additions[];
extern const int postgres_schema_additions_count;

struct postgres {
	struct store store; /* must be first */
	char *address; /* contains the password, so it must not be logged */
	PGconn *db; /* NULL: not connected */
	bool prepared[POSTGRES_STATEMENT_COUNT]; /* on this connection */
	bool in_transaction;
	bool was_connected; /* at least once: from then on every failure is considered temporary */
	/* The database may have lost its shares, because this is not the first connection. */
	bool has_forgotten;
	uint32_t logged_failure; /* hash of the last logged failure to connect; 0: none */
	unsigned pause_ms; /* before the next attempt to connect; 0: the last one succeeded */
	uint64_t retry_us; /* when the next attempt is allowed */
	enum store_row_kind import_kind; /* the kind of rows being copied; STORE_ROW_KINDS: none */
};

static inline struct postgres *postgres_of(struct store *store)
{
	return (struct postgres *)(void *)store;
}

/* postgres_accounts.c: locks an account.  Called in a transaction that counts something of an
 * account and then adds to it.  `id` is what the statement selects by: POSTGRES_LOCK_ACCOUNT or
 * POSTGRES_LOCK_ACCOUNT_OF_PROJECT.  EINVAL if there is no such account. */
int postgres_lock_account(int64_t *account_id, struct postgres *postgres,
			  enum postgres_statement lock, int64_t id);

/* The parameters of a statement, in order.  Text and bytes are not copied, and must be valid until
 * the statement has run. */
#define POSTGRES_VALUES_MAX 24

struct postgres_values {
	int count;
	const char *values[POSTGRES_VALUES_MAX]; /* NULL is NULL */
	int lengths[POSTGRES_VALUES_MAX];
	int formats[POSTGRES_VALUES_MAX]; /* 1: binary */
	char numbers[POSTGRES_VALUES_MAX][32];
};

void postgres_put_number(struct postgres_values *values, int64_t number);
void postgres_put_real(struct postgres_values *values, double number);
void postgres_put_text(struct postgres_values *values, const char *text); /* NULL is NULL */
void postgres_put_bytes(struct postgres_values *values, const void *bytes, size_t len);

/* An array, for statements that take many rows at once, in PostgreSQL's binary format, which needs
 * no quoting.  The first error is kept, and returned by postgres_put_array. */
struct postgres_array {
	struct buf bytes;
	int err;
};
void postgres_array_numbers(struct postgres_array *array, size_t count);
void postgres_array_texts(struct postgres_array *array, size_t count);
void postgres_array_number(struct postgres_array *array, int64_t number);
void postgres_array_text(struct postgres_array *array, const char *text); /* NULL is NULL */
int postgres_put_array(struct postgres_values *values, const struct postgres_array *array);
void postgres_array_reset(struct postgres_array *array);

/* A row of a result; columns count from 0. */
struct postgres_row {
	const PGresult *result;
	int number;
};
int64_t postgres_number_at(const struct postgres_row *row, int column);
double postgres_real_at(const struct postgres_row *row, int column);
bool postgres_is_true_at(const struct postgres_row *row, int column);
const char *postgres_text_at(const struct postgres_row *row, int column); /* NULL for NULL */
/* Copies text; returns false if it does not fit or is NULL. */
bool postgres_copy_text(char *out, size_t size, const struct postgres_row *row, int column);
bool postgres_copy_bytes(uint8_t *out, size_t size, const struct postgres_row *row, int column);

int postgres_damaged(const char *table); /* EBADMSG */

/* Connects for the first time.  Failures are logged. */
int postgres_connect(struct postgres *postgres);
int postgres_snapshot_begin(struct store *store);
void postgres_snapshot_end(struct store *store);
/* Connects, reads the schema's version and disconnects; changes nothing.  ENOENT if there is no
 * schema. */
int postgres_look(struct postgres *postgres);
void postgres_disconnect(struct postgres *postgres);

struct postgres_answer {
	int64_t changed; /* rows */
	int64_t number; /* the first column of the first row, if there is one */
	bool has_row;
};

/* Runs a statement; `values` is NULL if it has no parameters, and `what` is logged with an error
 * ("cannot add a key").  EEXIST for a name or id that is taken, EINVAL for a reference to a row
 * that does not exist; neither is logged.  EAGAIN inside a transaction that must be run again. */
int postgres_run(struct postgres *postgres, enum postgres_statement id,
		 const struct postgres_values *values, const char *what,
		 struct postgres_answer *answer);

/* The same for a statement that changes one row by its id: ENOENT if there is none. */
int postgres_change(struct postgres *postgres, enum postgres_statement id,
		    const struct postgres_values *values, const char *what,
		    struct postgres_answer *answer);

/* Runs a statement that returns a number. */
int postgres_number(struct postgres *postgres, enum postgres_statement id,
		    const struct postgres_values *values, const char *what, int64_t *number);

/* Runs a statement that returns rows, and passes each to `row` until that returns an error, or
 * ECANCELED to end without one.  ENOENT if there are no rows. */
typedef int(postgres_row_h)(const struct postgres_row *row, void *arg);
int postgres_rows(struct postgres *postgres, enum postgres_statement id,
		  const struct postgres_values *values, const char *what, postgres_row_h *row,
		  void *arg);

/* Runs several statements as a transaction.  `unit` is called again if the database requires it
 * (after a deadlock), so it must start from scratch each time. */
typedef int(postgres_unit_h)(struct postgres *postgres, void *arg);
int postgres_transaction(struct postgres *postgres, postgres_unit_h *unit, void *arg);

/* Runs one or more statements without parameters.  `number`, which may be NULL, receives the number
 * that the last one returns, if any. */
int postgres_execute(struct postgres *postgres, const char *sql, const char *what, int64_t *number);

/* COPY ... FROM STDIN, inside a transaction: begin, any number of complete lines, end. */
int postgres_copy_begin(struct postgres *postgres, const char *sql, const char *what);
int postgres_copy_send(struct postgres *postgres, const char *bytes, size_t len, const char *what);
int postgres_copy_end(struct postgres *postgres, const char *what);

/* postgres_accounts.c: these functions and those of the files below are the store's operations (see
 * struct store_ops). */
int postgres_account_add(struct store *store, struct store_account *account);
int postgres_account_get(struct store *store, struct store_account *account, int64_t id);
int postgres_account_list(struct store *store, store_account_h *each, void *arg);
int postgres_account_change(struct store *store, int64_t id, unsigned fields,
			    const struct store_account *to);
int postgres_project_add(struct store *store, struct store_project *project);
int postgres_project_list(struct store *store, int64_t account_id, store_project_h *each,
			  void *arg);
int postgres_top_up_add(struct store *store, const struct store_top_up *top_up);
int postgres_top_up_list(struct store *store, int64_t account_id, store_top_up_h *each, void *arg);

/* For rows with limits: five values, and as many columns from `column` on. */
void postgres_put_limits(struct postgres_values *values, const struct store_limits *limits);
void postgres_limits_at(struct store_limits *limits, const struct postgres_row *row, int column);

/* postgres_keys.c */
int postgres_key_add(struct store *store, struct store_key *key);
int postgres_key_find(struct store *store, struct store_key *key, const char *prefix);
int postgres_key_revoke(struct store *store, const char *prefix, int64_t at_ms);
int postgres_key_list(struct store *store, store_key_h *each, void *arg);
int postgres_key_change(struct store *store, const char *prefix, unsigned fields,
			const struct store_key *to);
int postgres_key_used(struct store *store, int64_t key_id, int64_t at_ms);
int postgres_token_add(struct store *store, const struct store_token *token, int64_t now_ms);
int postgres_token_take(struct store *store, struct store_key *key, const uint8_t *hash,
			const char *path, int64_t now_ms);

/* postgres_ledger.c */
int postgres_lease_take(struct store *store, struct store_lease *lease);
int postgres_lease_return(struct store *store, const char *server);
int postgres_turns_add(struct store *store, const struct store_turn *turns, size_t count,
		       int *errs);
int postgres_turn_page(struct store *store, const struct store_turn_filter *filter,
		       int64_t after_seq, int64_t limit, store_paged_turn_h *each, void *arg);
int postgres_turn_list(struct store *store, store_turn_h *each, void *arg);
int postgres_usage_sum(struct store *store, const struct store_turn_filter *filter, unsigned by,
		       store_usage_h *each, void *arg);
int postgres_audit(struct store *store, int64_t *wrong);

/* postgres_shares.c */
int postgres_share_take(struct store *store, const char *server, const struct store_share *shares,
			size_t count, size_t *short_of, int64_t *wait_ms);
int postgres_share_heartbeat(struct store *store, const char *server);
int postgres_share_return(struct store *store, const char *server);

/* postgres_dictionaries.c */
int postgres_dictionary_list(struct store *store, int64_t project_id, store_dictionary_h *each,
			     void *arg);
int postgres_dictionary_get(struct store *store, int64_t project_id, int64_t id,
			    store_dictionary_h *each, void *arg);
int postgres_dictionary_add(struct store *store, int64_t *id,
			    const struct store_dictionary *dictionary,
			    const struct dictionary_entry *entries, size_t count);
int postgres_dictionary_change(struct store *store, int64_t project_id, int64_t id, unsigned fields,
			       const struct store_dictionary *to);
int postgres_dictionary_remove(struct store *store, int64_t project_id, int64_t id);
int postgres_entry_list(struct store *store, int64_t dictionary_id, const struct store_page *page,
			store_entry_h *each, void *arg);
int postgres_entry_count(struct store *store, int64_t *count, int64_t dictionary_id,
			 const char *search);
int postgres_entry_get(struct store *store, int64_t dictionary_id, int64_t id, store_entry_h *each,
		       void *arg);
int postgres_entry_add(struct store *store, int64_t *id, int64_t dictionary_id,
		       const struct dictionary_entry *entry, int64_t at_ms);
int postgres_entry_change(struct store *store, int64_t dictionary_id, int64_t id, unsigned fields,
			  const struct dictionary_entry *to, int64_t at_ms);
int postgres_entry_remove(struct store *store, int64_t dictionary_id, int64_t id);
int postgres_entry_replace(struct store *store, struct store_replaced *replaced,
			   int64_t dictionary_id, const struct dictionary_entry *entries,
			   size_t count, int64_t at_ms);
int postgres_entry_put(struct store *store, int64_t dictionary_id,
		       const struct dictionary_entry *entries, size_t count, int64_t at_ms);
int postgres_entry_remove_words(struct store *store, int64_t dictionary_id,
				const struct dictionary_entry *entries, size_t count);

/* Locks a project's row, so that no other transaction adds to it meanwhile; ENOENT. */
int postgres_lock_project(struct postgres *postgres, int64_t project_id);

/* postgres_voices.c */
int postgres_voice_list(struct store *store, store_voice_h *each, void *arg);
int postgres_voice_add(struct store *store, int64_t *id, const struct store_voice *voice);
int postgres_voice_change(struct store *store, int64_t project_id, int64_t id, unsigned fields,
			  const struct store_voice *to);
int postgres_voice_remove(struct store *store, int64_t project_id, int64_t id);

/* postgres_speech_engines.c */
int postgres_speech_engine_list(struct store *store, int64_t project_id,
				const struct store_speech_engine_page *page,
				store_speech_engine_h *each, void *arg);
int postgres_speech_engine_get(struct store *store, int64_t project_id, const char *id,
			       store_speech_engine_h *each, void *arg);
int postgres_speech_engine_add(struct store *store, const struct store_speech_engine *engine);
int postgres_speech_engine_change(struct store *store, int64_t project_id, const char *id,
				  unsigned fields, const struct store_speech_engine *to);
int postgres_speech_engine_remove(struct store *store, int64_t project_id, const char *id);

/* postgres_import.c */
int postgres_import_begin(struct store *store);
int postgres_import_row(struct store *store, const struct store_row *row);
int postgres_import_settle(struct store *store, const struct store_last_ids *ids);
int postgres_import_end(struct store *store, int err);
int postgres_last_ids(struct store *store, struct store_last_ids *ids);

#endif
