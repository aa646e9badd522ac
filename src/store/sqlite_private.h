/*
 * sqlite_private.h: what the files of the SQLite store share.
 *
 *   sqlite.c               the file: opening, migrating, batches; keys and turns
 *   sqlite_schema.c        the tables' history and all statements, as text
 *   sqlite_dictionaries.c  dictionaries and their entries
 *   sqlite_voices.c        derived voices
 */
#ifndef STORE_SQLITE_PRIVATE_H
#define STORE_SQLITE_PRIVATE_H

#include <sqlite3.h>

#include "store/store.h"

/* What is prepared when the file is opened; the SQL is in sqlite_schema.c. */
#define STATEMENTS(X)                                                                              \
	X(KEY_ADD)                                                                                 \
	X(KEY_FIND)                                                                                \
	X(KEY_REVOKE)                                                                              \
	X(KEY_SET_SCOPES)                                                                          \
	X(KEY_LIST)                                                                                \
	X(BEGIN)                                                                                   \
	X(TURN_ADD)                                                                                \
	X(COMMIT)                                                                                  \
	X(ROLLBACK)                                                                                \
	X(TURN_LIST)                                                                               \
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
	X(ENTRY_REMOVE_OLD)                                                                        \
	X(VOICE_LIST)                                                                              \
	X(VOICE_COUNT)                                                                             \
	X(VOICE_ADD)                                                                               \
	X(VOICE_CHANGE)                                                                            \
	X(VOICE_REMOVE)                                                                            \
	X(VERSION)

enum statement {
#define X(name) STATEMENT_##name,
	STATEMENTS(X)
#undef X
		STATEMENT_COUNT
};

extern const char *const sqlite_schema_statements[];

/* The schema's history: a file at version n has had the first n steps. */
extern const char *const sqlite_schema_migrations[];
extern const int sqlite_schema_version;

struct sqlite {
	struct store store; /* first: what callers hold */
	sqlite3 *db;
	sqlite3_stmt *statements[STATEMENT_COUNT];
};

static inline struct sqlite *sqlite_of(struct store *store)
{
	return (struct sqlite *)(void *)store;
}

/* What SQLite says of its last error, once, to the log; and its errno. */
int sqlite_failed(const struct sqlite *sqlite, const char *what);
int sqlite_damaged(const char *table); /* EBADMSG */

/* Bound only until the statement has run: the text may stay where it is. */
void sqlite_bind_text(sqlite3_stmt *stmt, int at, const char *text); /* NULL is NULL */
void sqlite_release(sqlite3_stmt *stmt);

/* The runners release the statement.
 *
 * Runs one that gives no rows.  Constraints are the caller's matter:
 * EINVAL, and *constraint gets the extended code, else 0. */
int sqlite_run(struct sqlite *sqlite, enum statement id, const char *what, int *constraint);

/* Runs one that gives a number. */
int sqlite_number(struct sqlite *sqlite, enum statement id, const char *what, int64_t *number);

/* Runs one that gives rows, each to `row` until that fails or says that it has
 * enough (ECANCELED).  ENOENT when there was none. */
typedef int(sqlite_row_h)(sqlite3_stmt *stmt, void *arg);
int sqlite_rows(struct sqlite *sqlite, enum statement id, const char *what, sqlite_row_h *row,
		void *arg);

int sqlite_begin(struct store *store);
int sqlite_commit(struct store *store);
void sqlite_rollback(struct store *store);
/* Ends a batch that was begun: commits when err is 0. */
int sqlite_end(struct store *store, int err);

/* sqlite_dictionaries.c: its rows of the table of verbs. */
int sqlite_dictionary_list(struct store *store, int64_t project_id, store_dictionary_h *each,
			   void *arg);
int sqlite_dictionary_get(struct store *store, int64_t project_id, int64_t id,
			  store_dictionary_h *each, void *arg);
int sqlite_dictionary_add(struct store *store, int64_t *id,
			  const struct store_dictionary *dictionary);
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

/* sqlite_voices.c: its rows of the table of verbs. */
int sqlite_voice_list(struct store *store, store_voice_h *each, void *arg);
int sqlite_voice_add(struct store *store, int64_t *id, const struct store_voice *voice);
int sqlite_voice_change(struct store *store, int64_t project_id, int64_t id, unsigned fields,
			const struct store_voice *to);
int sqlite_voice_remove(struct store *store, int64_t project_id, int64_t id);

#endif
