/*
 * sqlite_dictionaries.c: dictionaries and their entries in the SQLite store.
 *
 * Each change is a transaction of its own and increments the revision of the dictionary, by which
 * servers that have it in memory see that it has changed.
 */
#include <errno.h>
#include <stdlib.h>

#include "store/search.h"
#include "store/sqlite_private.h"

/* Returns NULL for NULL; otherwise the text is valid until the statement's next step. */
static const char *sqlite_dictionaries_text_at(sqlite3_stmt *stmt, int column)
{
	return (const char *)sqlite3_column_text(stmt, column);
}

static int sqlite_dictionaries_read_dictionary(struct store_dictionary *dictionary,
					       sqlite3_stmt *stmt)
{
	*dictionary = (struct store_dictionary){
		.id = sqlite3_column_int64(stmt, 0),
		.project_id = sqlite3_column_int64(stmt, 1),
		.name = sqlite_dictionaries_text_at(stmt, 2),
		.description = sqlite_dictionaries_text_at(stmt, 3),
		.language = sqlite_dictionaries_text_at(stmt, 4),
		.is_active = sqlite3_column_int(stmt, 5) != 0,
		.revision = sqlite3_column_int64(stmt, 6),
		.created_ms = sqlite3_column_int64(stmt, 7),
		.updated_ms = sqlite3_column_int64(stmt, 8),
	};
	return dictionary->name ? 0 : sqlite_damaged("dictionary");
}

static int sqlite_dictionaries_read_entry(struct store_entry *entry, sqlite3_stmt *stmt)
{
	*entry = (struct store_entry){
		.id = sqlite3_column_int64(stmt, 0),
		.dictionary_id = sqlite3_column_int64(stmt, 1),
		.said = {.word = sqlite_dictionaries_text_at(stmt, 2),
			 .replacement = sqlite_dictionaries_text_at(stmt, 3),
			 .ipa = sqlite_dictionaries_text_at(stmt, 4),
			 .case_sensitive = sqlite3_column_int(stmt, 5) != 0},
		.created_ms = sqlite3_column_int64(stmt, 6),
		.updated_ms = sqlite3_column_int64(stmt, 7),
	};
	return entry->said.word && entry->said.replacement ? 0 : sqlite_damaged("entry");
}

struct sqlite_dictionary_viewer {
	store_dictionary_h *each;
	void *arg;
};

static int sqlite_dictionaries_show_dictionary(sqlite3_stmt *stmt, void *arg)
{
	const struct sqlite_dictionary_viewer *viewer = arg;
	struct store_dictionary dictionary;
	int err = sqlite_dictionaries_read_dictionary(&dictionary, stmt);

	if (err)
		return err;
	return viewer->each(&dictionary, viewer->arg) ? 0 : ECANCELED;
}

struct sqlite_entry_viewer {
	store_entry_h *each;
	void *arg;
};

static int sqlite_dictionaries_show_entry(sqlite3_stmt *stmt, void *arg)
{
	const struct sqlite_entry_viewer *viewer = arg;
	struct store_entry entry;
	int err = sqlite_dictionaries_read_entry(&entry, stmt);

	if (err)
		return err;
	return viewer->each(&entry, viewer->arg) ? 0 : ECANCELED;
}

int sqlite_dictionary_list(struct store *store, int64_t project_id, store_dictionary_h *each,
			   void *arg)
{
	struct sqlite *sqlite = sqlite_of(store);
	struct sqlite_dictionary_viewer viewer = {each, arg};
	int err;

	sqlite3_bind_int64(sqlite->statements[STATEMENT_DICTIONARY_LIST], 1, project_id);
	err = sqlite_rows(sqlite, STATEMENT_DICTIONARY_LIST, "cannot list the dictionaries",
			  sqlite_dictionaries_show_dictionary, &viewer);
	return err == ENOENT ? 0 : err;
}

int sqlite_dictionary_get(struct store *store, int64_t project_id, int64_t id,
			  store_dictionary_h *each, void *arg)
{
	struct sqlite *sqlite = sqlite_of(store);
	sqlite3_stmt *stmt = sqlite->statements[STATEMENT_DICTIONARY_GET];
	struct sqlite_dictionary_viewer viewer = {each, arg};

	sqlite3_bind_int64(stmt, 1, id);
	sqlite3_bind_int64(stmt, 2, project_id);
	return sqlite_rows(sqlite, STATEMENT_DICTIONARY_GET, "cannot look up a dictionary",
			   sqlite_dictionaries_show_dictionary, &viewer);
}

/* Returns the errno for a name or word that is taken, or for an owner that does not exist. */
static int sqlite_dictionaries_constraint_errno(int constraint)
{
	return constraint == SQLITE_CONSTRAINT_FOREIGNKEY ? ENOENT : EEXIST;
}

static int sqlite_dictionaries_check_dictionary_room(struct sqlite *sqlite, int64_t project_id)
{
	int64_t count;
	int err;

	sqlite3_bind_int64(sqlite->statements[STATEMENT_DICTIONARY_COUNT], 1, project_id);
	err = sqlite_number(sqlite, STATEMENT_DICTIONARY_COUNT, "cannot count dictionaries",
			    &count);
	if (err)
		return err;
	return count < STORE_DICTIONARIES_MAX ? 0 : EDQUOT;
}

static int sqlite_dictionaries_insert_dictionary(struct sqlite *sqlite,
						 const struct store_dictionary *dictionary)
{
	sqlite3_stmt *stmt = sqlite->statements[STATEMENT_DICTIONARY_ADD];
	int constraint;
	int err;

	sqlite3_bind_int64(stmt, 1, dictionary->project_id);
	sqlite_bind_text(stmt, 2, dictionary->name);
	sqlite_bind_text(stmt, 3, dictionary->description);
	sqlite_bind_text(stmt, 4, dictionary->language);
	sqlite3_bind_int(stmt, 5, dictionary->is_active);
	sqlite3_bind_int64(stmt, 6, dictionary->created_ms);
	err = sqlite_run(sqlite, STATEMENT_DICTIONARY_ADD, "cannot add a dictionary", &constraint);
	return constraint ? sqlite_dictionaries_constraint_errno(constraint) : err;
}

/* Runs ENTRY_ADD or ENTRY_UPSERT, which have the same parameters. */
static int sqlite_dictionaries_write_entry(struct sqlite *sqlite, enum statement id,
					   int64_t dictionary_id,
					   const struct dictionary_entry *entry, int64_t at_ms)
{
	sqlite3_stmt *stmt = sqlite->statements[id];
	char *folded = search_fold(entry->word);
	int constraint;
	int err;

	if (!folded)
		return ENOMEM;
	sqlite3_bind_int64(stmt, 1, dictionary_id);
	sqlite_bind_text(stmt, 2, entry->word);
	sqlite_bind_text(stmt, 3, folded);
	sqlite_bind_text(stmt, 4, entry->replacement);
	sqlite_bind_text(stmt, 5, entry->ipa);
	sqlite3_bind_int(stmt, 6, entry->case_sensitive);
	sqlite3_bind_int64(stmt, 7, at_ms);
	err = sqlite_run(sqlite, id, "cannot write an entry", &constraint);
	free(folded);
	return constraint ? sqlite_dictionaries_constraint_errno(constraint) : err;
}

static int sqlite_dictionaries_write_entries(struct sqlite *sqlite, int64_t dictionary_id,
					     const struct dictionary_entry *entries, size_t count,
					     int64_t at_ms)
{
	int err = 0;

	for (size_t i = 0; !err && i < count; ++i)
		err = sqlite_dictionaries_write_entry(sqlite, STATEMENT_ENTRY_UPSERT, dictionary_id,
						      &entries[i], at_ms);
	return err;
}

int sqlite_dictionary_add(struct store *store, int64_t *id,
			  const struct store_dictionary *dictionary,
			  const struct dictionary_entry *entries, size_t count)
{
	struct sqlite *sqlite = sqlite_of(store);
	int64_t added = 0;
	int err = count > STORE_ENTRIES_MAX ? E2BIG : sqlite_begin(store);

	if (err)
		return err;
	err = sqlite_dictionaries_check_dictionary_room(sqlite, dictionary->project_id);
	if (!err)
		err = sqlite_dictionaries_insert_dictionary(sqlite, dictionary);
	if (!err)
		added = sqlite3_last_insert_rowid(sqlite->db);
	if (!err)
		err = sqlite_dictionaries_write_entries(sqlite, added, entries, count,
							dictionary->created_ms);
	err = sqlite_end(store, err);
	if (!err)
		*id = added;
	return err;
}

/* Returns the errno of a statement that changes one row by its id. */
static int sqlite_dictionaries_changed_one(struct sqlite *sqlite, int err, int constraint)
{
	if (constraint)
		return sqlite_dictionaries_constraint_errno(constraint);
	return err || sqlite3_changes(sqlite->db) > 0 ? err : ENOENT;
}

int sqlite_dictionary_change(struct store *store, int64_t project_id, int64_t id, unsigned fields,
			     const struct store_dictionary *to)
{
	struct sqlite *sqlite = sqlite_of(store);
	sqlite3_stmt *stmt = sqlite->statements[STATEMENT_DICTIONARY_CHANGE];
	int constraint;
	int err;

	sqlite3_bind_int64(stmt, 1, id);
	sqlite3_bind_int64(stmt, 2, project_id);
	sqlite3_bind_int64(stmt, 3, fields);
	sqlite_bind_text(stmt, 4, to->name);
	sqlite_bind_text(stmt, 5, to->description);
	sqlite_bind_text(stmt, 6, to->language);
	sqlite3_bind_int(stmt, 7, to->is_active);
	sqlite3_bind_int64(stmt, 8, to->updated_ms);
	err = sqlite_run(sqlite, STATEMENT_DICTIONARY_CHANGE, "cannot change a dictionary",
			 &constraint);
	return sqlite_dictionaries_changed_one(sqlite, err, constraint);
}

int sqlite_dictionary_remove(struct store *store, int64_t project_id, int64_t id)
{
	struct sqlite *sqlite = sqlite_of(store);
	sqlite3_stmt *stmt = sqlite->statements[STATEMENT_DICTIONARY_REMOVE];
	int constraint;
	int err;

	sqlite3_bind_int64(stmt, 1, id);
	sqlite3_bind_int64(stmt, 2, project_id);
	err = sqlite_run(sqlite, STATEMENT_DICTIONARY_REMOVE, "cannot remove a dictionary",
			 &constraint);
	return sqlite_dictionaries_changed_one(sqlite, err, constraint);
}

/* Binds the search text; *folded must be freed after the statement has run. */
static int sqlite_dictionaries_bind_search(sqlite3_stmt *stmt, int at, const char *search,
					   char **folded)
{
	*folded = NULL;
	if (search && !(*folded = search_fold(search)))
		return ENOMEM;
	sqlite_bind_text(stmt, at, *folded);
	return 0;
}

int sqlite_entry_list(struct store *store, int64_t dictionary_id, const struct store_page *page,
		      store_entry_h *each, void *arg)
{
	struct sqlite *sqlite = sqlite_of(store);
	sqlite3_stmt *stmt = sqlite->statements[STATEMENT_ENTRY_LIST];
	struct sqlite_entry_viewer viewer = {each, arg};
	char *folded;
	int err = sqlite_dictionaries_bind_search(stmt, 2, page->search, &folded);

	if (err)
		return err;
	sqlite3_bind_int64(stmt, 1, dictionary_id);
	sqlite3_bind_int64(stmt, 3, page->limit);
	sqlite3_bind_int64(stmt, 4, page->offset);
	err = sqlite_rows(sqlite, STATEMENT_ENTRY_LIST, "cannot list entries",
			  sqlite_dictionaries_show_entry, &viewer);
	free(folded);
	return err == ENOENT ? 0 : err;
}

int sqlite_entry_count(struct store *store, int64_t *count, int64_t dictionary_id,
		       const char *search)
{
	struct sqlite *sqlite = sqlite_of(store);
	sqlite3_stmt *stmt = sqlite->statements[STATEMENT_ENTRY_COUNT];
	char *folded;
	int err = sqlite_dictionaries_bind_search(stmt, 2, search, &folded);

	if (err)
		return err;
	sqlite3_bind_int64(stmt, 1, dictionary_id);
	err = sqlite_number(sqlite, STATEMENT_ENTRY_COUNT, "cannot count entries", count);
	free(folded);
	return err;
}

int sqlite_entry_get(struct store *store, int64_t dictionary_id, int64_t id, store_entry_h *each,
		     void *arg)
{
	struct sqlite *sqlite = sqlite_of(store);
	sqlite3_stmt *stmt = sqlite->statements[STATEMENT_ENTRY_GET];
	struct sqlite_entry_viewer viewer = {each, arg};

	sqlite3_bind_int64(stmt, 1, id);
	sqlite3_bind_int64(stmt, 2, dictionary_id);
	return sqlite_rows(sqlite, STATEMENT_ENTRY_GET, "cannot look up an entry",
			   sqlite_dictionaries_show_entry, &viewer);
}

/* Increments the revision of the dictionary; ENOENT if it does not exist. */
static int sqlite_dictionaries_touch(struct sqlite *sqlite, int64_t dictionary_id)
{
	int constraint;
	int err;

	sqlite3_bind_int64(sqlite->statements[STATEMENT_DICTIONARY_TOUCH], 1, dictionary_id);
	err = sqlite_run(sqlite, STATEMENT_DICTIONARY_TOUCH, "cannot change a dictionary",
			 &constraint);
	return sqlite_dictionaries_changed_one(sqlite, err, constraint);
}

static int sqlite_dictionaries_begin_change(struct store *store, int64_t dictionary_id)
{
	int err = sqlite_begin(store);

	if (err)
		return err;
	err = sqlite_dictionaries_touch(sqlite_of(store), dictionary_id);
	return err ? sqlite_end(store, err) : 0;
}

/* EDQUOT if the dictionary has more than `max` entries. */
static int sqlite_dictionaries_check_entry_room(struct store *store, int64_t dictionary_id,
						int64_t max)
{
	int64_t count;
	int err = sqlite_entry_count(store, &count, dictionary_id, NULL);

	if (err)
		return err;
	return count <= max ? 0 : EDQUOT;
}

int sqlite_entry_add(struct store *store, int64_t *id, int64_t dictionary_id,
		     const struct dictionary_entry *entry, int64_t at_ms)
{
	struct sqlite *sqlite = sqlite_of(store);
	int64_t added = 0;
	int err = sqlite_dictionaries_begin_change(store, dictionary_id);

	if (err)
		return err;
	err = sqlite_dictionaries_check_entry_room(store, dictionary_id, STORE_ENTRIES_MAX - 1);
	if (!err)
		err = sqlite_dictionaries_write_entry(sqlite, STATEMENT_ENTRY_ADD, dictionary_id,
						      entry, at_ms);
	if (!err)
		added = sqlite3_last_insert_rowid(sqlite->db);
	err = sqlite_end(store, err);
	if (!err)
		*id = added;
	return err;
}

static int sqlite_dictionaries_update_entry(struct sqlite *sqlite, int64_t dictionary_id,
					    int64_t id, unsigned fields,
					    const struct dictionary_entry *to, int64_t at_ms)
{
	sqlite3_stmt *stmt = sqlite->statements[STATEMENT_ENTRY_CHANGE];
	char *folded;
	int constraint;
	int err = sqlite_dictionaries_bind_search(
		stmt, 5, fields & STORE_ENTRY_WORD ? to->word : NULL, &folded);

	if (err)
		return err;
	sqlite3_bind_int64(stmt, 1, id);
	sqlite3_bind_int64(stmt, 2, dictionary_id);
	sqlite3_bind_int64(stmt, 3, fields);
	sqlite_bind_text(stmt, 4, to->word);
	sqlite_bind_text(stmt, 6, to->replacement);
	sqlite_bind_text(stmt, 7, to->ipa);
	sqlite3_bind_int(stmt, 8, to->case_sensitive);
	sqlite3_bind_int64(stmt, 9, at_ms);
	err = sqlite_run(sqlite, STATEMENT_ENTRY_CHANGE, "cannot change an entry", &constraint);
	free(folded);
	return sqlite_dictionaries_changed_one(sqlite, err, constraint);
}

int sqlite_entry_change(struct store *store, int64_t dictionary_id, int64_t id, unsigned fields,
			const struct dictionary_entry *to, int64_t at_ms)
{
	int err = sqlite_dictionaries_begin_change(store, dictionary_id);

	if (err)
		return err;
	err = sqlite_dictionaries_update_entry(sqlite_of(store), dictionary_id, id, fields, to,
					       at_ms);
	return sqlite_end(store, err);
}

static int sqlite_dictionaries_delete_entry(struct sqlite *sqlite, int64_t dictionary_id,
					    int64_t id)
{
	sqlite3_stmt *stmt = sqlite->statements[STATEMENT_ENTRY_REMOVE];
	int constraint;
	int err;

	sqlite3_bind_int64(stmt, 1, id);
	sqlite3_bind_int64(stmt, 2, dictionary_id);
	err = sqlite_run(sqlite, STATEMENT_ENTRY_REMOVE, "cannot remove an entry", &constraint);
	return sqlite_dictionaries_changed_one(sqlite, err, constraint);
}

int sqlite_entry_remove(struct store *store, int64_t dictionary_id, int64_t id)
{
	int err = sqlite_dictionaries_begin_change(store, dictionary_id);

	if (err)
		return err;
	return sqlite_end(store,
			  sqlite_dictionaries_delete_entry(sqlite_of(store), dictionary_id, id));
}

/* Deletes the entries that this revision has not written. */
static int sqlite_dictionaries_delete_the_others(struct sqlite *sqlite, int64_t dictionary_id,
						 int64_t *deleted)
{
	int constraint;
	int err;

	sqlite3_bind_int64(sqlite->statements[STATEMENT_ENTRY_REMOVE_OLD], 1, dictionary_id);
	err = sqlite_run(sqlite, STATEMENT_ENTRY_REMOVE_OLD, "cannot remove entries", &constraint);
	*deleted = sqlite3_changes64(sqlite->db);
	return err;
}

int sqlite_entry_replace(struct store *store, struct store_replaced *replaced,
			 int64_t dictionary_id, const struct dictionary_entry *entries,
			 size_t count, int64_t at_ms)
{
	struct sqlite *sqlite = sqlite_of(store);
	int64_t deleted = 0;
	int err;

	if (count > STORE_ENTRIES_MAX)
		return EDQUOT;
	err = sqlite_dictionaries_begin_change(store, dictionary_id);
	if (err)
		return err;
	err = sqlite_dictionaries_write_entries(sqlite, dictionary_id, entries, count, at_ms);
	if (!err)
		err = sqlite_dictionaries_delete_the_others(sqlite, dictionary_id, &deleted);
	err = sqlite_end(store, err);
	if (!err)
		*replaced = (struct store_replaced){(int64_t)count, deleted, (int64_t)count};
	return err;
}

int sqlite_entry_put(struct store *store, int64_t dictionary_id,
		     const struct dictionary_entry *entries, size_t count, int64_t at_ms)
{
	int err = sqlite_dictionaries_begin_change(store, dictionary_id);

	if (err)
		return err;
	err = sqlite_dictionaries_write_entries(sqlite_of(store), dictionary_id, entries, count,
						at_ms);
	if (!err)
		err = sqlite_dictionaries_check_entry_room(store, dictionary_id, STORE_ENTRIES_MAX);
	return sqlite_end(store, err);
}

int sqlite_entry_remove_words(struct store *store, int64_t dictionary_id,
			      const struct dictionary_entry *entries, size_t count)
{
	struct sqlite *sqlite = sqlite_of(store);
	sqlite3_stmt *stmt = sqlite->statements[STATEMENT_ENTRY_REMOVE_WORD];
	int constraint;
	int err = sqlite_dictionaries_begin_change(store, dictionary_id);

	if (err)
		return err;
	for (size_t i = 0; !err && i < count; ++i) {
		sqlite3_bind_int64(stmt, 1, dictionary_id);
		sqlite_bind_text(stmt, 2, entries[i].word);
		err = sqlite_run(sqlite, STATEMENT_ENTRY_REMOVE_WORD, "cannot remove an entry",
				 &constraint);
	}
	return sqlite_end(store, err);
}
