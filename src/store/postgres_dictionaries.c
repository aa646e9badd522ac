/*
 * postgres_dictionaries.c: dictionaries and their entries in the PostgreSQL store.
 *
 * Each change is a transaction of its own and increments the revision of the dictionary, by which
 * servers that have it in memory see that it has changed.
 */
#include <errno.h>
#include <stdlib.h>

#include "store/postgres_private.h"
#include "store/search.h"

static int postgres_dictionaries_read_dictionary(struct store_dictionary *dictionary,
						 const struct postgres_row *row)
{
	*dictionary = (struct store_dictionary){
		.id = postgres_number_at(row, 0),
		.project_id = postgres_number_at(row, 1),
		.name = postgres_text_at(row, 2),
		.description = postgres_text_at(row, 3),
		.language = postgres_text_at(row, 4),
		.is_active = postgres_is_true_at(row, 5),
		.revision = postgres_number_at(row, 6),
		.created_ms = postgres_number_at(row, 7),
		.updated_ms = postgres_number_at(row, 8),
	};
	return dictionary->name ? 0 : postgres_damaged("dictionary");
}

static int postgres_dictionaries_read_entry(struct store_entry *entry,
					    const struct postgres_row *row)
{
	*entry = (struct store_entry){
		.id = postgres_number_at(row, 0),
		.dictionary_id = postgres_number_at(row, 1),
		.said = {.word = postgres_text_at(row, 2),
			 .replacement = postgres_text_at(row, 3),
			 .ipa = postgres_text_at(row, 4),
			 .case_sensitive = postgres_is_true_at(row, 5)},
		.created_ms = postgres_number_at(row, 6),
		.updated_ms = postgres_number_at(row, 7),
	};
	return entry->said.word && entry->said.replacement ? 0 : postgres_damaged("entry");
}

struct postgres_dictionary_viewer {
	store_dictionary_h *each;
	void *arg;
};

static int postgres_dictionaries_show_dictionary(const struct postgres_row *row, void *arg)
{
	const struct postgres_dictionary_viewer *viewer = arg;
	struct store_dictionary dictionary;
	int err = postgres_dictionaries_read_dictionary(&dictionary, row);

	if (err)
		return err;
	return viewer->each(&dictionary, viewer->arg) ? 0 : ECANCELED;
}

struct postgres_entry_viewer {
	store_entry_h *each;
	void *arg;
};

static int postgres_dictionaries_show_entry(const struct postgres_row *row, void *arg)
{
	const struct postgres_entry_viewer *viewer = arg;
	struct store_entry entry;
	int err = postgres_dictionaries_read_entry(&entry, row);

	if (err)
		return err;
	return viewer->each(&entry, viewer->arg) ? 0 : ECANCELED;
}

int postgres_dictionary_list(struct store *store, int64_t project_id, store_dictionary_h *each,
			     void *arg)
{
	struct postgres_values values = {.count = 0};
	struct postgres_dictionary_viewer viewer = {each, arg};
	int err;

	postgres_put_number(&values, project_id);
	err = postgres_rows(postgres_of(store), POSTGRES_DICTIONARY_LIST, &values,
			    "cannot list the dictionaries", postgres_dictionaries_show_dictionary,
			    &viewer);
	return err == ENOENT ? 0 : err;
}

/* For statements that select a row by its id and its owner's. */
static void postgres_dictionaries_put_ids(struct postgres_values *values, int64_t id,
					  int64_t owner_id)
{
	postgres_put_number(values, id);
	postgres_put_number(values, owner_id);
}

int postgres_dictionary_get(struct store *store, int64_t project_id, int64_t id,
			    store_dictionary_h *each, void *arg)
{
	struct postgres_values values = {.count = 0};
	struct postgres_dictionary_viewer viewer = {each, arg};

	postgres_dictionaries_put_ids(&values, id, project_id);
	return postgres_rows(postgres_of(store), POSTGRES_DICTIONARY_GET, &values,
			     "cannot look up a dictionary", postgres_dictionaries_show_dictionary,
			     &viewer);
}

int postgres_lock_project(struct postgres *postgres, int64_t project_id)
{
	struct postgres_values values = {.count = 0};
	int64_t id;

	postgres_put_number(&values, project_id);
	return postgres_number(postgres, POSTGRES_PROJECT_LOCK, &values, "cannot look up a project",
			       &id);
}

static int postgres_dictionaries_check_room(struct postgres *postgres, int64_t project_id)
{
	struct postgres_values values = {.count = 0};
	int64_t count;
	int err;

	postgres_put_number(&values, project_id);
	err = postgres_number(postgres, POSTGRES_DICTIONARY_COUNT, &values,
			      "cannot count dictionaries", &count);
	if (err)
		return err;
	return count < STORE_DICTIONARIES_MAX ? 0 : EDQUOT;
}

int postgres_dictionary_change(struct store *store, int64_t project_id, int64_t id, unsigned fields,
			       const struct store_dictionary *to)
{
	struct postgres_values values = {.count = 0};
	struct postgres_answer answer;

	postgres_dictionaries_put_ids(&values, id, project_id);
	postgres_put_number(&values, fields);
	postgres_put_text(&values, to->name);
	postgres_put_text(&values, to->description);
	postgres_put_text(&values, to->language);
	postgres_put_number(&values, to->is_active);
	postgres_put_number(&values, to->updated_ms);
	return postgres_change(postgres_of(store), POSTGRES_DICTIONARY_CHANGE, &values,
			       "cannot change a dictionary", &answer);
}

int postgres_dictionary_remove(struct store *store, int64_t project_id, int64_t id)
{
	struct postgres_values values = {.count = 0};
	struct postgres_answer answer;

	postgres_dictionaries_put_ids(&values, id, project_id);
	return postgres_change(postgres_of(store), POSTGRES_DICTIONARY_REMOVE, &values,
			       "cannot remove a dictionary", &answer);
}

int postgres_entry_list(struct store *store, int64_t dictionary_id, const struct store_page *page,
			store_entry_h *each, void *arg)
{
	struct postgres_values values = {.count = 0};
	struct postgres_entry_viewer viewer = {each, arg};
	char *folded = page->search ? search_fold(page->search) : NULL;
	int err;

	if (page->search && !folded)
		return ENOMEM;
	postgres_put_number(&values, dictionary_id);
	postgres_put_text(&values, folded);
	postgres_put_number(&values, page->limit);
	postgres_put_number(&values, page->offset);
	err = postgres_rows(postgres_of(store), POSTGRES_ENTRY_LIST, &values, "cannot list entries",
			    postgres_dictionaries_show_entry, &viewer);
	free(folded);
	return err == ENOENT ? 0 : err;
}

int postgres_entry_count(struct store *store, int64_t *count, int64_t dictionary_id,
			 const char *search)
{
	struct postgres_values values = {.count = 0};
	char *folded = search ? search_fold(search) : NULL;
	int err;

	if (search && !folded)
		return ENOMEM;
	postgres_put_number(&values, dictionary_id);
	postgres_put_text(&values, folded);
	err = postgres_number(postgres_of(store), POSTGRES_ENTRY_COUNT, &values,
			      "cannot count entries", count);
	free(folded);
	return err;
}

int postgres_entry_get(struct store *store, int64_t dictionary_id, int64_t id, store_entry_h *each,
		       void *arg)
{
	struct postgres_values values = {.count = 0};
	struct postgres_entry_viewer viewer = {each, arg};

	postgres_dictionaries_put_ids(&values, id, dictionary_id);
	return postgres_rows(postgres_of(store), POSTGRES_ENTRY_GET, &values,
			     "cannot look up an entry", postgres_dictionaries_show_entry, &viewer);
}

/* A change of one entry or of all entries. */
struct postgres_dictionaries_edit {
	int64_t dictionary_id;
	int64_t id;
	unsigned fields;
	const struct dictionary_entry *entries;
	size_t count;
	int64_t at_ms;
	int64_t deleted;
};

/* Increments the revision of the dictionary; ENOENT if it does not exist.  This locks the row,
 * so that changes of its entries are made one after the other. */
static int postgres_dictionaries_touch(struct postgres *postgres, int64_t dictionary_id)
{
	struct postgres_values values = {.count = 0};
	struct postgres_answer answer;

	postgres_put_number(&values, dictionary_id);
	return postgres_change(postgres, POSTGRES_DICTIONARY_TOUCH, &values,
			       "cannot change a dictionary", &answer);
}

static int postgres_dictionaries_insert_entry(struct postgres *postgres,
					      struct postgres_dictionaries_edit *edit,
					      const char *folded)
{
	struct postgres_values values = {.count = 0};

	postgres_put_number(&values, edit->dictionary_id);
	postgres_put_text(&values, edit->entries->word);
	postgres_put_text(&values, folded);
	postgres_put_text(&values, edit->entries->replacement);
	postgres_put_text(&values, edit->entries->ipa);
	postgres_put_number(&values, edit->entries->case_sensitive);
	postgres_put_number(&values, edit->at_ms);
	return postgres_number(postgres, POSTGRES_ENTRY_ADD, &values, "cannot write an entry",
			       &edit->id);
}

static int postgres_dictionaries_add_entry(struct postgres *postgres, void *arg)
{
	struct postgres_dictionaries_edit *edit = arg;
	char *folded = search_fold(edit->entries->word);
	int64_t count = 0;
	int err = folded ? postgres_dictionaries_touch(postgres, edit->dictionary_id) : ENOMEM;

	if (!err)
		err = postgres_entry_count(&postgres->store, &count, edit->dictionary_id, NULL);
	if (!err)
		err = count < STORE_ENTRIES_MAX ? 0 : EDQUOT;
	if (!err)
		err = postgres_dictionaries_insert_entry(postgres, edit, folded);
	free(folded);
	return err;
}

int postgres_entry_add(struct store *store, int64_t *id, int64_t dictionary_id,
		       const struct dictionary_entry *entry, int64_t at_ms)
{
	struct postgres_dictionaries_edit edit = {
		.dictionary_id = dictionary_id, .entries = entry, .at_ms = at_ms};
	int err = postgres_transaction(postgres_of(store), postgres_dictionaries_add_entry, &edit);

	if (!err)
		*id = edit.id;
	return err;
}

static int postgres_dictionaries_update_entry(struct postgres *postgres,
					      const struct postgres_dictionaries_edit *edit,
					      const char *folded)
{
	const struct dictionary_entry *to = edit->entries;
	struct postgres_values values = {.count = 0};
	struct postgres_answer answer;

	postgres_dictionaries_put_ids(&values, edit->id, edit->dictionary_id);
	postgres_put_number(&values, edit->fields);
	postgres_put_text(&values, to->word);
	postgres_put_text(&values, folded);
	postgres_put_text(&values, to->replacement);
	postgres_put_text(&values, to->ipa);
	postgres_put_number(&values, to->case_sensitive);
	postgres_put_number(&values, edit->at_ms);
	return postgres_change(postgres, POSTGRES_ENTRY_CHANGE, &values, "cannot change an entry",
			       &answer);
}

static int postgres_dictionaries_change_entry(struct postgres *postgres, void *arg)
{
	const struct postgres_dictionaries_edit *edit = arg;
	bool has_word = edit->fields & STORE_ENTRY_WORD;
	char *folded = has_word ? search_fold(edit->entries->word) : NULL;
	int err = has_word && !folded ? ENOMEM
				      : postgres_dictionaries_touch(postgres, edit->dictionary_id);

	if (!err)
		err = postgres_dictionaries_update_entry(postgres, edit, folded);
	free(folded);
	return err;
}

int postgres_entry_change(struct store *store, int64_t dictionary_id, int64_t id, unsigned fields,
			  const struct dictionary_entry *to, int64_t at_ms)
{
	struct postgres_dictionaries_edit edit = {.dictionary_id = dictionary_id,
						  .id = id,
						  .fields = fields,
						  .entries = to,
						  .at_ms = at_ms};

	return postgres_transaction(postgres_of(store), postgres_dictionaries_change_entry, &edit);
}

static int postgres_dictionaries_remove_entry(struct postgres *postgres, void *arg)
{
	const struct postgres_dictionaries_edit *edit = arg;
	struct postgres_values values = {.count = 0};
	struct postgres_answer answer;
	int err = postgres_dictionaries_touch(postgres, edit->dictionary_id);

	if (err)
		return err;
	postgres_dictionaries_put_ids(&values, edit->id, edit->dictionary_id);
	return postgres_change(postgres, POSTGRES_ENTRY_REMOVE, &values, "cannot remove an entry",
			       &answer);
}

int postgres_entry_remove(struct store *store, int64_t dictionary_id, int64_t id)
{
	struct postgres_dictionaries_edit edit = {.dictionary_id = dictionary_id, .id = id};

	return postgres_transaction(postgres_of(store), postgres_dictionaries_remove_entry, &edit);
}

/* The columns in which one statement receives all entries. */
enum postgres_dictionaries_column {
	COLUMN_WORD,
	COLUMN_FOLDED,
	COLUMN_REPLACEMENT,
	COLUMN_IPA,
	COLUMN_CASE,
	COLUMN_COUNT
};

static int postgres_dictionaries_put_entry(struct postgres_array columns[COLUMN_COUNT],
					   const struct dictionary_entry *entry)
{
	char *folded = search_fold(entry->word);

	if (!folded)
		return ENOMEM;
	postgres_array_text(&columns[COLUMN_WORD], entry->word);
	postgres_array_text(&columns[COLUMN_FOLDED], folded);
	postgres_array_text(&columns[COLUMN_REPLACEMENT], entry->replacement);
	postgres_array_text(&columns[COLUMN_IPA], entry->ipa);
	postgres_array_number(&columns[COLUMN_CASE], entry->case_sensitive);
	free(folded);
	return 0;
}

static int postgres_dictionaries_upsert_all(struct postgres *postgres,
					    struct postgres_dictionaries_edit *edit,
					    const struct postgres_array columns[COLUMN_COUNT])
{
	struct postgres_values values = {.count = 0};
	struct postgres_answer answer;
	int err = 0;

	postgres_put_number(&values, edit->dictionary_id);
	for (int i = 0; !err && i < COLUMN_COUNT; ++i)
		err = postgres_put_array(&values, &columns[i]);
	postgres_put_number(&values, edit->at_ms);
	return err ? err
		   : postgres_run(postgres, POSTGRES_ENTRY_UPSERT_ALL, &values,
				  "cannot write entries", &answer);
}

/* Removes the entries that have one of these words, or those that have none of them, depending on
 * the statement. */
static int postgres_dictionaries_remove_by_words(struct postgres *postgres,
						 struct postgres_dictionaries_edit *edit,
						 enum postgres_statement statement,
						 const struct postgres_array *words)
{
	struct postgres_values values = {.count = 0};
	struct postgres_answer answer;
	int err;

	postgres_put_number(&values, edit->dictionary_id);
	err = postgres_put_array(&values, words);
	if (err)
		return err;
	err = postgres_run(postgres, statement, &values, "cannot remove entries", &answer);
	edit->deleted = answer.changed;
	return err;
}

static int postgres_dictionaries_replace_all(struct postgres *postgres,
					     struct postgres_dictionaries_edit *edit,
					     const struct postgres_array columns[COLUMN_COUNT])
{
	int err = postgres_dictionaries_remove_by_words(
		postgres, edit, POSTGRES_ENTRY_REMOVE_OTHERS, &columns[COLUMN_WORD]);

	return err ? err : postgres_dictionaries_upsert_all(postgres, edit, columns);
}

static int postgres_dictionaries_put_all(struct postgres *postgres,
					 struct postgres_dictionaries_edit *edit,
					 const struct postgres_array columns[COLUMN_COUNT])
{
	int64_t count = 0;
	int err = postgres_dictionaries_upsert_all(postgres, edit, columns);

	if (!err)
		err = postgres_entry_count(&postgres->store, &count, edit->dictionary_id, NULL);
	return err || count <= STORE_ENTRIES_MAX ? err : EDQUOT;
}

static int postgres_dictionaries_remove_words(struct postgres *postgres,
					      struct postgres_dictionaries_edit *edit,
					      const struct postgres_array columns[COLUMN_COUNT])
{
	return postgres_dictionaries_remove_by_words(postgres, edit, POSTGRES_ENTRY_REMOVE_WORDS,
						     &columns[COLUMN_WORD]);
}

typedef int(columns_h)(struct postgres *postgres, struct postgres_dictionaries_edit *edit,
		       const struct postgres_array columns[COLUMN_COUNT]);

/* Passes the entries to `write` as columns. */
static int postgres_dictionaries_write_columns(struct postgres *postgres,
					       struct postgres_dictionaries_edit *edit,
					       columns_h *write)
{
	struct postgres_array columns[COLUMN_COUNT];
	int err = 0;

	for (int i = COLUMN_WORD; i < COLUMN_CASE; ++i)
		postgres_array_texts(&columns[i], edit->count);
	postgres_array_numbers(&columns[COLUMN_CASE], edit->count);
	for (size_t i = 0; !err && i < edit->count; ++i)
		err = postgres_dictionaries_put_entry(columns, &edit->entries[i]);
	if (!err)
		err = write(postgres, edit, columns);
	for (int i = 0; i < COLUMN_COUNT; ++i)
		postgres_array_reset(&columns[i]);
	return err;
}

struct postgres_dictionaries_addition {
	const struct store_dictionary *dictionary;
	struct postgres_dictionaries_edit edit; /* contains the entries */
};

static int postgres_dictionaries_add_dictionary(struct postgres *postgres, void *arg)
{
	struct postgres_dictionaries_addition *addition = arg;
	const struct store_dictionary *dictionary = addition->dictionary;
	struct postgres_values values = {.count = 0};
	int err = postgres_lock_project(postgres, dictionary->project_id);

	if (!err)
		err = postgres_dictionaries_check_room(postgres, dictionary->project_id);
	if (err)
		return err;
	postgres_put_number(&values, dictionary->project_id);
	postgres_put_text(&values, dictionary->name);
	postgres_put_text(&values, dictionary->description);
	postgres_put_text(&values, dictionary->language);
	postgres_put_number(&values, dictionary->is_active);
	postgres_put_number(&values, dictionary->created_ms);
	err = postgres_number(postgres, POSTGRES_DICTIONARY_ADD, &values, "cannot add a dictionary",
			      &addition->edit.dictionary_id);
	return err || addition->edit.count == 0
		       ? err
		       : postgres_dictionaries_write_columns(postgres, &addition->edit,
							     postgres_dictionaries_upsert_all);
}

int postgres_dictionary_add(struct store *store, int64_t *id,
			    const struct store_dictionary *dictionary,
			    const struct dictionary_entry *entries, size_t count)
{
	struct postgres_dictionaries_addition addition = {
		.dictionary = dictionary,
		.edit = {.entries = entries, .count = count, .at_ms = dictionary->created_ms}};
	int err;

	if (count > STORE_ENTRIES_MAX)
		return E2BIG;
	err = postgres_transaction(postgres_of(store), postgres_dictionaries_add_dictionary,
				   &addition);
	if (!err)
		*id = addition.edit.dictionary_id;
	return err;
}

static int postgres_dictionaries_replace_entries(struct postgres *postgres, void *arg)
{
	struct postgres_dictionaries_edit *edit = arg;
	int err = postgres_dictionaries_touch(postgres, edit->dictionary_id);

	return err ? err
		   : postgres_dictionaries_write_columns(postgres, edit,
							 postgres_dictionaries_replace_all);
}

static int postgres_dictionaries_put_entries(struct postgres *postgres, void *arg)
{
	struct postgres_dictionaries_edit *edit = arg;
	int err = postgres_dictionaries_touch(postgres, edit->dictionary_id);

	return err ? err
		   : postgres_dictionaries_write_columns(postgres, edit,
							 postgres_dictionaries_put_all);
}

static int postgres_dictionaries_remove_entries(struct postgres *postgres, void *arg)
{
	struct postgres_dictionaries_edit *edit = arg;
	int err = postgres_dictionaries_touch(postgres, edit->dictionary_id);

	return err ? err
		   : postgres_dictionaries_write_columns(postgres, edit,
							 postgres_dictionaries_remove_words);
}

int postgres_entry_replace(struct store *store, struct store_replaced *replaced,
			   int64_t dictionary_id, const struct dictionary_entry *entries,
			   size_t count, int64_t at_ms)
{
	struct postgres_dictionaries_edit edit = {
		.dictionary_id = dictionary_id, .entries = entries, .count = count, .at_ms = at_ms};
	int err;

	if (count > STORE_ENTRIES_MAX)
		return EDQUOT;
	err = postgres_transaction(postgres_of(store), postgres_dictionaries_replace_entries,
				   &edit);
	if (!err)
		*replaced = (struct store_replaced){(int64_t)count, edit.deleted, (int64_t)count};
	return err;
}

int postgres_entry_put(struct store *store, int64_t dictionary_id,
		       const struct dictionary_entry *entries, size_t count, int64_t at_ms)
{
	struct postgres_dictionaries_edit edit = {
		.dictionary_id = dictionary_id, .entries = entries, .count = count, .at_ms = at_ms};

	return count > STORE_ENTRIES_MAX
		       ? EDQUOT
		       : postgres_transaction(postgres_of(store), postgres_dictionaries_put_entries,
					      &edit);
}

int postgres_entry_remove_words(struct store *store, int64_t dictionary_id,
				const struct dictionary_entry *entries, size_t count)
{
	struct postgres_dictionaries_edit edit = {
		.dictionary_id = dictionary_id, .entries = entries, .count = count};

	return postgres_transaction(postgres_of(store), postgres_dictionaries_remove_entries,
				    &edit);
}
