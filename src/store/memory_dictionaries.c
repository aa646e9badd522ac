/*
 * memory_dictionaries.c: dictionaries and their entries in the memory store.
 *
 * A change is made in a copy that then takes the old one's place, so that
 * running out of memory leaves all as it was.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "store/memory_private.h"
#include "store/search.h"

/* Rows only point at strings that they own: these give them back. */
static void drop(const char *string)
{
	free((char *)(uintptr_t)string);
}

static void free_entry(struct memory_entry *entry)
{
	drop(entry->row.said.word);
	drop(entry->row.said.replacement);
	drop(entry->row.said.ipa);
	free(entry->folded);
}

static void free_entries(struct memory_entry *entries, size_t count)
{
	for (size_t i = 0; i < count; ++i)
		free_entry(&entries[i]);
	free(entries);
}

static void free_fields(struct store_dictionary *row)
{
	drop(row->name);
	drop(row->description);
	drop(row->language);
}

static void free_dictionary(struct memory_dictionary *dictionary)
{
	free_fields(&dictionary->row);
	free_entries(dictionary->entries, dictionary->count);
}

void memory_forget_dictionaries(struct memory *memory)
{
	for (size_t i = 0; i < memory->dictionary_count; ++i)
		free_dictionary(&memory->dictionaries[i]);
	free(memory->dictionaries);
}

static int copy_string(const char **out, const char *string)
{
	*out = NULL;
	if (!string)
		return 0;
	*out = strdup(string);
	return *out ? 0 : ENOMEM;
}

/* The row with strings of its own. */
static int copy_fields(struct store_dictionary *out, const struct store_dictionary *row)
{
	int err;

	*out = *row;
	err = copy_string(&out->name, row->name);
	err |= copy_string(&out->description, row->description);
	err |= copy_string(&out->language, row->language);
	if (err)
		free_fields(out);
	return err;
}

static int copy_entry(struct memory_entry *out, const struct store_entry *row)
{
	int err;

	out->row = *row;
	err = copy_string(&out->row.said.word, row->said.word);
	err |= copy_string(&out->row.said.replacement, row->said.replacement);
	err |= copy_string(&out->row.said.ipa, row->said.ipa);
	out->folded = search_fold(row->said.word);
	if (!err && out->folded)
		return 0;
	free_entry(out);
	return ENOMEM;
}

static struct memory_dictionary *find(struct memory *memory, int64_t id)
{
	for (size_t i = 0; i < memory->dictionary_count; ++i) {
		if (memory->dictionaries[i].row.id == id)
			return &memory->dictionaries[i];
	}
	return NULL;
}

static struct memory_dictionary *find_in(struct memory *memory, int64_t project_id, int64_t id)
{
	struct memory_dictionary *dictionary = find(memory, id);

	return dictionary && dictionary->row.project_id == project_id ? dictionary : NULL;
}

static struct memory_entry *find_entry(struct memory_dictionary *dictionary, int64_t id)
{
	for (size_t i = 0; dictionary && i < dictionary->count; ++i) {
		if (dictionary->entries[i].row.id == id)
			return &dictionary->entries[i];
	}
	return NULL;
}

static struct memory_entry *find_word(struct memory_dictionary *dictionary, const char *word)
{
	for (size_t i = 0; i < dictionary->count; ++i) {
		if (strcmp(dictionary->entries[i].row.said.word, word) == 0)
			return &dictionary->entries[i];
	}
	return NULL;
}

/* Another dictionary of the project has the name. */
static bool name_is_taken(const struct memory *memory, const struct store_dictionary *row)
{
	for (size_t i = 0; i < memory->dictionary_count; ++i) {
		const struct store_dictionary *other = &memory->dictionaries[i].row;

		if (other->project_id == row->project_id && other->id != row->id &&
		    strcmp(other->name, row->name) == 0)
			return true;
	}
	return false;
}

int memory_dictionary_list(struct store *store, int64_t project_id, store_dictionary_h *each,
			   void *arg)
{
	struct memory *memory = memory_of(store);

	for (size_t i = 0; i < memory->dictionary_count; ++i) {
		const struct store_dictionary *row = &memory->dictionaries[i].row;

		if (row->project_id == project_id && !each(row, arg))
			break;
	}
	return 0;
}

int memory_dictionary_get(struct store *store, int64_t project_id, int64_t id,
			  store_dictionary_h *each, void *arg)
{
	const struct memory_dictionary *dictionary = find_in(memory_of(store), project_id, id);

	if (!dictionary)
		return ENOENT;
	each(&dictionary->row, arg);
	return 0;
}

static size_t count_of_project(const struct memory *memory, int64_t project_id)
{
	size_t count = 0;

	for (size_t i = 0; i < memory->dictionary_count; ++i)
		count += memory->dictionaries[i].row.project_id == project_id;
	return count;
}

static int append(struct memory *memory, struct memory_dictionary *dictionary,
		  const struct dictionary_entry *said, int64_t at_ms)
{
	const struct store_entry row = {.id = memory->last_entry_id + 1,
					.dictionary_id = dictionary->row.id,
					.said = *said,
					.created_ms = at_ms,
					.updated_ms = at_ms};
	struct memory_entry *rows =
		memory_grow(dictionary->entries, dictionary->count, sizeof(*rows));

	if (!rows)
		return ENOMEM;
	dictionary->entries = rows;
	if (copy_entry(&rows[dictionary->count], &row) != 0)
		return ENOMEM;
	++dictionary->count;
	memory->last_entry_id = row.id;
	return 0;
}

int memory_dictionary_add(struct store *store, int64_t *id,
			  const struct store_dictionary *dictionary,
			  const struct dictionary_entry *entries, size_t count)
{
	struct memory *memory = memory_of(store);
	struct memory_dictionary *rows;
	struct store_dictionary row = *dictionary;

	row.id = memory->last_dictionary_id + 1;
	row.revision = 1;
	row.updated_ms = row.created_ms;
	if (count > STORE_ENTRIES_MAX)
		return E2BIG;
	if (!memory_project(memory, row.project_id))
		return ENOENT;
	if (count_of_project(memory, row.project_id) >= STORE_DICTIONARIES_MAX)
		return EDQUOT;
	if (name_is_taken(memory, &row))
		return EEXIST;
	rows = memory_grow(memory->dictionaries, memory->dictionary_count, sizeof(*rows));
	if (!rows)
		return ENOMEM;
	memory->dictionaries = rows;
	rows += memory->dictionary_count;
	*rows = (struct memory_dictionary){0};
	if (copy_fields(&rows->row, &row) != 0)
		return ENOMEM;
	for (size_t i = 0; i < count; ++i) {
		if (append(memory, rows, &entries[i], row.created_ms) != 0) {
			free_dictionary(rows);
			return ENOMEM;
		}
	}
	++memory->dictionary_count;
	*id = memory->last_dictionary_id = row.id;
	memory_note_news(memory, STORE_CHANGE_DICTIONARY, row.project_id);
	return 0;
}

int memory_dictionary_change(struct store *store, int64_t project_id, int64_t id, unsigned fields,
			     const struct store_dictionary *to)
{
	struct memory_dictionary *dictionary = find_in(memory_of(store), project_id, id);
	struct store_dictionary row;
	struct store_dictionary copy;

	if (!dictionary)
		return ENOENT;
	row = dictionary->row;
	if (fields & STORE_DICTIONARY_NAME)
		row.name = to->name;
	if (fields & STORE_DICTIONARY_DESCRIPTION)
		row.description = to->description;
	if (fields & STORE_DICTIONARY_LANGUAGE)
		row.language = to->language;
	if (fields & STORE_DICTIONARY_ACTIVE)
		row.is_active = to->is_active;
	row.updated_ms = to->updated_ms;
	++row.revision;
	if (name_is_taken(memory_of(store), &row))
		return EEXIST;
	if (copy_fields(&copy, &row) != 0)
		return ENOMEM;
	free_fields(&dictionary->row);
	dictionary->row = copy;
	memory_note_news(memory_of(store), STORE_CHANGE_DICTIONARY, project_id);
	return 0;
}

int memory_dictionary_remove(struct store *store, int64_t project_id, int64_t id)
{
	struct memory *memory = memory_of(store);
	struct memory_dictionary *dictionary = find_in(memory, project_id, id);
	size_t behind;

	if (!dictionary)
		return ENOENT;
	free_dictionary(dictionary);
	behind = (size_t)(memory->dictionaries + memory->dictionary_count - dictionary) - 1;
	memmove(dictionary, dictionary + 1, behind * sizeof(*dictionary));
	--memory->dictionary_count;
	memory_note_news(memory, STORE_CHANGE_DICTIONARY, project_id);
	return 0;
}

static bool fits(const struct memory_entry *entry, const char *folded)
{
	return !folded || strstr(entry->folded, folded);
}

int memory_entry_list(struct store *store, int64_t dictionary_id, const struct store_page *page,
		      store_entry_h *each, void *arg)
{
	const struct memory_dictionary *dictionary = find(memory_of(store), dictionary_id);
	char *folded = page->search ? search_fold(page->search) : NULL;
	int64_t left = page->limit;
	int64_t skip = page->offset;

	if (page->search && !folded)
		return ENOMEM;
	for (size_t i = 0; dictionary && i < dictionary->count && left != 0; ++i) {
		const struct memory_entry *entry = &dictionary->entries[i];

		if (!fits(entry, folded) || skip-- > 0)
			continue;
		--left;
		if (!each(&entry->row, arg))
			break;
	}
	free(folded);
	return 0;
}

int memory_entry_count(struct store *store, int64_t *count, int64_t dictionary_id,
		       const char *search)
{
	const struct memory_dictionary *dictionary = find(memory_of(store), dictionary_id);
	char *folded = search ? search_fold(search) : NULL;

	if (search && !folded)
		return ENOMEM;
	*count = 0;
	for (size_t i = 0; dictionary && i < dictionary->count; ++i)
		*count += fits(&dictionary->entries[i], folded);
	free(folded);
	return 0;
}

int memory_entry_get(struct store *store, int64_t dictionary_id, int64_t id, store_entry_h *each,
		     void *arg)
{
	struct memory_entry *entry = find_entry(find(memory_of(store), dictionary_id), id);

	if (!entry)
		return ENOENT;
	each(&entry->row, arg);
	return 0;
}

int memory_entry_add(struct store *store, int64_t *id, int64_t dictionary_id,
		     const struct dictionary_entry *entry, int64_t at_ms)
{
	struct memory *memory = memory_of(store);
	struct memory_dictionary *dictionary = find(memory, dictionary_id);
	int err;

	if (!dictionary)
		return ENOENT;
	if (dictionary->count >= STORE_ENTRIES_MAX)
		return EDQUOT;
	if (find_word(dictionary, entry->word))
		return EEXIST;
	err = append(memory, dictionary, entry, at_ms);
	if (err)
		return err;
	++dictionary->row.revision;
	memory_note_news(memory, STORE_CHANGE_DICTIONARY, dictionary->row.project_id);
	*id = memory->last_entry_id;
	return 0;
}

int memory_entry_change(struct store *store, int64_t dictionary_id, int64_t id, unsigned fields,
			const struct dictionary_entry *to, int64_t at_ms)
{
	struct memory_dictionary *dictionary = find(memory_of(store), dictionary_id);
	struct memory_entry *entry = find_entry(dictionary, id);
	struct memory_entry *other;
	struct memory_entry copy;
	struct store_entry row;

	if (!entry)
		return ENOENT;
	row = entry->row;
	if (fields & STORE_ENTRY_WORD)
		row.said.word = to->word;
	if (fields & STORE_ENTRY_REPLACEMENT)
		row.said.replacement = to->replacement;
	if (fields & STORE_ENTRY_IPA)
		row.said.ipa = to->ipa;
	if (fields & STORE_ENTRY_CASE)
		row.said.case_sensitive = to->case_sensitive;
	row.updated_ms = at_ms;
	other = find_word(dictionary, row.said.word);
	if (other && other != entry)
		return EEXIST;
	if (copy_entry(&copy, &row) != 0)
		return ENOMEM;
	free_entry(entry);
	*entry = copy;
	++dictionary->row.revision;
	memory_note_news(memory_of(store), STORE_CHANGE_DICTIONARY, dictionary->row.project_id);
	return 0;
}

int memory_entry_remove(struct store *store, int64_t dictionary_id, int64_t id)
{
	struct memory_dictionary *dictionary = find(memory_of(store), dictionary_id);
	struct memory_entry *entry = find_entry(dictionary, id);
	size_t behind;

	if (!entry)
		return ENOENT;
	free_entry(entry);
	behind = (size_t)(dictionary->entries + dictionary->count - entry) - 1;
	memmove(entry, entry + 1, behind * sizeof(*entry));
	--dictionary->count;
	++dictionary->row.revision;
	memory_note_news(memory_of(store), STORE_CHANGE_DICTIONARY, dictionary->row.project_id);
	return 0;
}

static bool says_the_same(const struct dictionary_entry *a, const struct dictionary_entry *b)
{
	return strcmp(a->replacement, b->replacement) == 0 &&
	       (a->ipa && b->ipa ? strcmp(a->ipa, b->ipa) == 0 : a->ipa == b->ipa) &&
	       a->case_sensitive == b->case_sensitive;
}

/* Those that stay, in their order, as they are to be. */
static int keep_old(struct memory_dictionary *next, const struct memory_dictionary *now,
		    const struct dictionary_entry *entries, size_t count, int64_t at_ms)
{
	for (size_t i = 0; i < now->count; ++i) {
		struct store_entry row = now->entries[i].row;
		size_t j = 0;

		while (j < count && strcmp(entries[j].word, row.said.word) != 0)
			++j;
		if (j == count)
			continue;
		if (!says_the_same(&row.said, &entries[j]))
			row.updated_ms = at_ms;
		row.said = entries[j];
		if (copy_entry(&next->entries[next->count], &row) != 0)
			return ENOMEM;
		++next->count;
	}
	return 0;
}

static int add_new(struct memory *memory, struct memory_dictionary *next,
		   struct memory_dictionary *now, const struct dictionary_entry *entries,
		   size_t count, int64_t at_ms)
{
	for (size_t i = 0; i < count; ++i) {
		struct store_entry row = {.id = memory->last_entry_id + 1,
					  .dictionary_id = now->row.id,
					  .said = entries[i],
					  .created_ms = at_ms,
					  .updated_ms = at_ms};

		if (find_word(now, entries[i].word))
			continue;
		if (copy_entry(&next->entries[next->count], &row) != 0)
			return ENOMEM;
		++next->count;
		memory->last_entry_id = row.id;
	}
	return 0;
}

static size_t power_of_two(size_t count)
{
	size_t size = 1;

	while (size < count)
		size *= 2;
	return size;
}

int memory_entry_replace(struct store *store, struct store_replaced *replaced,
			 int64_t dictionary_id, const struct dictionary_entry *entries,
			 size_t count, int64_t at_ms)
{
	struct memory *memory = memory_of(store);
	struct memory_dictionary *now = find(memory, dictionary_id);
	struct memory_dictionary next = {0};
	size_t kept;

	if (count > STORE_ENTRIES_MAX)
		return EDQUOT;
	if (!now)
		return ENOENT;
	next.entries = calloc(power_of_two(count), sizeof(*next.entries)); /* as memory_grow */
	if (!next.entries || keep_old(&next, now, entries, count, at_ms) != 0)
		goto out;
	kept = next.count;
	if (add_new(memory, &next, now, entries, count, at_ms) != 0)
		goto out;
	*replaced = (struct store_replaced){(int64_t)count, (int64_t)(now->count - kept),
					    (int64_t)next.count};
	free_entries(now->entries, now->count);
	now->entries = next.entries;
	now->count = next.count;
	++now->row.revision;
	memory_note_news(memory, STORE_CHANGE_DICTIONARY, now->row.project_id);
	return 0;
out:
	free_entries(next.entries, next.count);
	return ENOMEM;
}

/* All entries that have none of the words, then these themselves unless they are removed. */
static int merge(struct store *store, int64_t dictionary_id, const struct dictionary_entry *entries,
		 size_t count, bool is_removal, int64_t at_ms)
{
	const struct memory_dictionary *now = find(memory_of(store), dictionary_id);
	struct dictionary_entry *all;
	struct store_replaced replaced;
	size_t all_count = 0;
	int err;

	if (!now)
		return ENOENT;
	all = calloc(now->count + count + 1, sizeof(*all));
	if (!all)
		return ENOMEM;
	for (size_t i = 0; i < now->count; ++i) {
		const struct dictionary_entry *said = &now->entries[i].row.said;
		size_t j = 0;

		while (j < count && strcmp(entries[j].word, said->word) != 0)
			++j;
		if (j == count)
			all[all_count++] = *said;
	}
	for (size_t i = 0; i < count && !is_removal; ++i)
		all[all_count++] = entries[i];
	err = memory_entry_replace(store, &replaced, dictionary_id, all, all_count, at_ms);
	free(all);
	return err;
}

int memory_entry_put(struct store *store, int64_t dictionary_id,
		     const struct dictionary_entry *entries, size_t count, int64_t at_ms)
{
	return merge(store, dictionary_id, entries, count, false, at_ms);
}

int memory_entry_remove_words(struct store *store, int64_t dictionary_id,
			      const struct dictionary_entry *entries, size_t count)
{
	return merge(store, dictionary_id, entries, count, true, 0);
}
