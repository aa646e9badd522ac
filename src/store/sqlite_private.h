/*
 * sqlite_private.h: what the files of the SQLite store share.
 *
 *   sqlite.c               opening and migrating the file, running statements, transactions
 *   sqlite_schema.c        the tables and their migrations, as SQL
 *   sqlite_statements.c    all statements, as SQL
 *   sqlite_import.c        copying rows from another store
 *   sqlite_keys.c          keys and single-use tokens
 *   sqlite_accounts.c      accounts, projects, top-ups
 *   sqlite_ledger.c        turns, their sums, reports
 *   sqlite_leases.c        credit that is lent to servers
 *   sqlite_dictionaries.c  dictionaries and their entries
 *   sqlite_voices.c        derived voices
 *   sqlite_speech_engines.c  speech engines
 */
#ifndef STORE_SQLITE_PRIVATE_H
#define STORE_SQLITE_PRIVATE_H

#include <sqlite3.h>

#include "store/store.h"

/* The statements that are prepared when the file is opened; the SQL is in sqlite_statements.c. */
#define STATEMENTS(X)                                                                              \
	X(KEY_ADD)                                                                                 \
	X(KEY_COUNT)                                                                               \
	X(KEY_FIND)                                                                                \
	X(KEY_GET)                                                                                 \
	X(KEY_REVOKE)                                                                              \
	X(KEY_CHANGE)                                                                              \
	X(KEY_USED)                                                                                \
	X(KEY_SPENT)                                                                               \
	X(KEY_LIST)                                                                                \
	X(TOKEN_FORGET_OLD)                                                                        \
	X(TOKEN_COUNT)                                                                             \
	X(TOKEN_ADD)                                                                               \
	X(TOKEN_LOOK)                                                                              \
	X(TOKEN_TAKE)                                                                              \
	X(ACCOUNT_ADD)                                                                             \
	X(ACCOUNT_GET)                                                                             \
	X(ACCOUNT_LIST)                                                                            \
	X(ACCOUNT_CHANGE)                                                                          \
	X(ACCOUNT_CREDIT)                                                                          \
	X(ACCOUNT_SPENT)                                                                           \
	X(PROJECT_ADD)                                                                             \
	X(PROJECT_COUNT)                                                                           \
	X(PROJECT_LIST)                                                                            \
	X(TOP_UP_ADD)                                                                              \
	X(TOP_UP_LIST)                                                                             \
	X(LEASE_FORGET_OLD)                                                                        \
	X(LEASE_SUMS)                                                                              \
	X(LEASE_PUT)                                                                               \
	X(LEASE_TAKE_OFF)                                                                          \
	X(LEASE_BOOKED_SINCE)                                                                      \
	X(LEASE_BOOKED_AFTER)                                                                      \
	X(LEASE_RETURN)                                                                            \
	X(BEGIN)                                                                                   \
	X(COMMIT)                                                                                  \
	X(ROLLBACK)                                                                                \
	X(TURN_ADD)                                                                                \
	X(TURN_LIST)                                                                               \
	X(TURN_PAGE)                                                                               \
	X(TURN_PAGE_OF_ACCOUNT)                                                                    \
	X(USAGE)                                                                                   \
	X(USAGE_OF_ACCOUNT)                                                                        \
	X(AUDIT)                                                                                   \
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
	X(ENTRY_UPSERT)                                                                            \
	X(ENTRY_REMOVE_WORD)                                                                       \
	X(ENTRY_REMOVE_OLD)                                                                        \
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
	X(CHANGES)                                                                                 \
	X(VERSION)

enum statement {
#define X(name) STATEMENT_##name,
	STATEMENTS(X)
#undef X
		STATEMENT_COUNT
};

extern const char *const sqlite_statements[];

/* The migrations of the schema: a file at version n has had the first n of them. */
extern const char *const sqlite_schema_migrations[];
extern const int sqlite_schema_version;

/* Later steps, which add columns and tables that a program may ignore.  They are counted in
 * a table of their own (schema_addition), not in user_version: the previous release, which
 * shares the file during an upgrade and may be started again after it, refuses an unknown
 * user_version.  Everything that such a step adds has a default, and rows that the previous
 * release writes must still be right. */
extern const char *const sqlite_schema_additions[];
extern const int sqlite_schema_additions_count;

struct sqlite {
	struct store store; /* must be first */
	sqlite3 *db;
	sqlite3_stmt *statements[STATEMENT_COUNT];
	sqlite3_stmt *imports[STORE_ROW_KINDS]; /* prepared when first needed */
	uint64_t busy_since_us; /* when it began to wait for another process's lock */
};

static inline struct sqlite *sqlite_of(struct store *store)
{
	return (struct sqlite *)(void *)store;
}

/* Logs SQLite's last error and returns its errno. */
int sqlite_failed(const struct sqlite *sqlite, const char *what);
int sqlite_errno(sqlite3 *db); /* of its last error */

/* Changes the owner of a file that root has created to the owner of its directory: a command run by
 * root may create it for a service that runs as another user and must be able to write to it.
 * SQLite itself gives its journals to the owner of the database. */
void sqlite_give_to_owner(int fd, const char *path);
int sqlite_damaged(const char *table); /* EBADMSG */

/* The text is not copied, and must be valid until the statement has run. */
void sqlite_bind_text(sqlite3_stmt *stmt, int at, const char *text); /* NULL is NULL */
/* Binds six parameters, the first of which is `at`. */
void sqlite_bind_limits(sqlite3_stmt *stmt, int at, const struct store_limits *limits);
/* Resets a statement and clears its parameters, so that it can be used again. */
void sqlite_release(sqlite3_stmt *stmt);

/* Copies a text column; returns false if it does not fit or is NULL. */
bool sqlite_column_text(char *out, size_t size, sqlite3_stmt *stmt, int column);
struct store_limits sqlite_column_limits(sqlite3_stmt *stmt, int column);

/* The functions that run a statement also reset it.  This one is for statements without rows.  A
 * violated constraint is not logged: EINVAL, and *constraint receives the extended error code,
 * otherwise 0. */
int sqlite_run(struct sqlite *sqlite, enum statement id, const char *what, int *constraint);

/* Runs a statement that changes a row: ENOENT if there is none to change, EEXIST if a constraint is
 * violated. */
int sqlite_change(struct sqlite *sqlite, enum statement id, const char *what);

/* Runs a statement that returns a number. */
int sqlite_number(struct sqlite *sqlite, enum statement id, const char *what, int64_t *number);

/* Runs a statement that returns rows, and passes each to `row` until that returns an error, or
 * ECANCELED to end without one.  ENOENT if there are no rows. */
typedef int(sqlite_row_h)(sqlite3_stmt *stmt, void *arg);
int sqlite_rows(struct sqlite *sqlite, enum statement id, const char *what, sqlite_row_h *row,
		void *arg);

/* Begins a transaction that may write, so it waits for other writers. */
int sqlite_begin(struct store *store);

/* Ends a transaction: commits if err is 0, otherwise rolls everything back. */
int sqlite_end(struct store *store, int err);

/* sqlite_keys.c: these functions and those of the files below are the store's operations (see
 * struct store_ops). */
int sqlite_key_add(struct store *store, struct store_key *key);
int sqlite_key_find(struct store *store, struct store_key *key, const char *prefix);
int sqlite_key_revoke(struct store *store, const char *prefix, int64_t at_ms);
int sqlite_key_list(struct store *store, store_key_h *each, void *arg);
int sqlite_key_change(struct store *store, const char *prefix, unsigned fields,
		      const struct store_key *to);
int sqlite_key_used(struct store *store, int64_t key_id, int64_t at_ms);
int sqlite_token_add(struct store *store, const struct store_token *token, int64_t now_ms);
int sqlite_token_take(struct store *store, struct store_key *key, const uint8_t *hash,
		      const char *path, int64_t now_ms);
/* Reads a key by its id; used by other files, not an operation.  ENOENT. */
int sqlite_key_get(struct sqlite *sqlite, struct store_key *key, int64_t id);

/* sqlite_accounts.c */
int sqlite_account_add(struct store *store, struct store_account *account);
int sqlite_account_get(struct store *store, struct store_account *account, int64_t id);
int sqlite_account_list(struct store *store, store_account_h *each, void *arg);
int sqlite_account_change(struct store *store, int64_t id, unsigned fields,
			  const struct store_account *to);
int sqlite_project_add(struct store *store, struct store_project *project);
int sqlite_project_list(struct store *store, int64_t account_id, store_project_h *each, void *arg);
int sqlite_top_up_add(struct store *store, const struct store_top_up *top_up);
int sqlite_top_up_list(struct store *store, int64_t account_id, store_top_up_h *each, void *arg);

/* sqlite_leases.c */
int sqlite_lease_take(struct store *store, struct store_lease *lease);
int sqlite_lease_return(struct store *store, const char *server);

/* sqlite_ledger.c */
int sqlite_turns_add(struct store *store, const struct store_turn *turns, size_t count, int *errs);
int sqlite_turn_list(struct store *store, store_turn_h *each, void *arg);
int sqlite_turn_page(struct store *store, const struct store_turn_filter *filter, int64_t after_seq,
		     int64_t limit, store_paged_turn_h *each, void *arg);
int sqlite_usage_sum(struct store *store, const struct store_turn_filter *filter, unsigned by,
		     store_usage_h *each, void *arg);
int sqlite_audit(struct store *store, int64_t *wrong);

/* sqlite_dictionaries.c */
int sqlite_dictionary_list(struct store *store, int64_t project_id, store_dictionary_h *each,
			   void *arg);
int sqlite_dictionary_get(struct store *store, int64_t project_id, int64_t id,
			  store_dictionary_h *each, void *arg);
int sqlite_dictionary_add(struct store *store, int64_t *id,
			  const struct store_dictionary *dictionary,
			  const struct dictionary_entry *entries, size_t count);
int sqlite_dictionary_change(struct store *store, int64_t project_id, int64_t id, unsigned fields,
			     const struct store_dictionary *to);
int sqlite_dictionary_remove(struct store *store, int64_t project_id, int64_t id);
int sqlite_entry_list(struct store *store, int64_t dictionary_id, const struct store_page *page,
		      store_entry_h *each, void *arg);
int sqlite_entry_count(struct store *store, int64_t *count, int64_t dictionary_id,
		       const char *search);
int sqlite_entry_get(struct store *store, int64_t dictionary_id, int64_t id, store_entry_h *each,
		     void *arg);
int sqlite_entry_add(struct store *store, int64_t *id, int64_t dictionary_id,
		     const struct dictionary_entry *entry, int64_t at_ms);
int sqlite_entry_change(struct store *store, int64_t dictionary_id, int64_t id, unsigned fields,
			const struct dictionary_entry *to, int64_t at_ms);
int sqlite_entry_remove(struct store *store, int64_t dictionary_id, int64_t id);
int sqlite_entry_replace(struct store *store, struct store_replaced *replaced,
			 int64_t dictionary_id, const struct dictionary_entry *entries,
			 size_t count, int64_t at_ms);
int sqlite_entry_put(struct store *store, int64_t dictionary_id,
		     const struct dictionary_entry *entries, size_t count, int64_t at_ms);
int sqlite_entry_remove_words(struct store *store, int64_t dictionary_id,
			      const struct dictionary_entry *entries, size_t count);

/* sqlite_voices.c */
int sqlite_voice_list(struct store *store, store_voice_h *each, void *arg);
int sqlite_voice_add(struct store *store, int64_t *id, const struct store_voice *voice);
int sqlite_voice_change(struct store *store, int64_t project_id, int64_t id, unsigned fields,
			const struct store_voice *to);
int sqlite_voice_remove(struct store *store, int64_t project_id, int64_t id);

/* sqlite_speech_engines.c */
int sqlite_speech_engine_list(struct store *store, int64_t project_id,
			      const struct store_speech_engine_page *page,
			      store_speech_engine_h *each, void *arg);
int sqlite_speech_engine_get(struct store *store, int64_t project_id, const char *id,
			     store_speech_engine_h *each, void *arg);
int sqlite_speech_engine_add(struct store *store, const struct store_speech_engine *engine);
int sqlite_speech_engine_change(struct store *store, int64_t project_id, const char *id,
				unsigned fields, const struct store_speech_engine *to);
int sqlite_speech_engine_remove(struct store *store, int64_t project_id, const char *id);

/* sqlite_import.c */
int sqlite_import_begin(struct store *store);
int sqlite_import_row(struct store *store, const struct store_row *row);
int sqlite_import_settle(struct store *store, const struct store_last_ids *ids);
int sqlite_import_end(struct store *store, int err);
int sqlite_last_ids(struct store *store, struct store_last_ids *ids);

#endif
