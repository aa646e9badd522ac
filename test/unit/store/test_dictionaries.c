/* What every store guarantees of dictionaries and their entries. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/mem.h"
#include "rows.h"

#define PROJECT STORE_PROJECT_DEFAULT
#define NOW 1790000000123
#define LATER 1790000005678

static struct store *store; /* under test */

static int take_store(void **state)
{
	store = rows_store(state);
	return 0;
}

/* Rows as they were shown, with strings of their own. */
struct seen {
	size_t count;
	size_t enough; /* 0: all */
	struct store_dictionary dictionaries[8];
	struct store_entry entries[8];
	char texts[8][3][64];
};

static const char *keep(char text[64], const char *string)
{
	if (!string)
		return NULL;
	snprintf(text, 64, "%s", string);
	return text;
}

static bool see_dictionary(const struct store_dictionary *row, void *arg)
{
	struct seen *seen = arg;
	struct store_dictionary *kept = &seen->dictionaries[seen->count];

	*kept = *row;
	kept->name = keep(seen->texts[seen->count][0], row->name);
	kept->description = keep(seen->texts[seen->count][1], row->description);
	kept->language = keep(seen->texts[seen->count][2], row->language);
	return ++seen->count != seen->enough;
}

static bool see_entry(const struct store_entry *row, void *arg)
{
	struct seen *seen = arg;
	struct store_entry *kept = &seen->entries[seen->count];

	*kept = *row;
	kept->said.word = keep(seen->texts[seen->count][0], row->said.word);
	kept->said.replacement = keep(seen->texts[seen->count][1], row->said.replacement);
	kept->said.ipa = keep(seen->texts[seen->count][2], row->said.ipa);
	return ++seen->count != seen->enough;
}

static int add_dictionary(int64_t *id, const char *name)
{
	const struct store_dictionary dictionary = {
		.project_id = PROJECT, .name = name, .is_active = true, .created_ms = NOW};

	return store->ops->dictionary_add(store, id, &dictionary, NULL, 0);
}

static int64_t dictionary_of(const char *name)
{
	int64_t id;

	assert_int_equal(add_dictionary(&id, name), 0);
	return id;
}

static struct store_dictionary *get_dictionary(struct seen *seen, int64_t id)
{
	*seen = (struct seen){0};
	assert_int_equal(store->ops->dictionary_get(store, PROJECT, id, see_dictionary, seen), 0);
	assert_int_equal(seen->count, 1);
	return &seen->dictionaries[0];
}

static int64_t revision_of(int64_t id)
{
	struct seen seen;

	return get_dictionary(&seen, id)->revision;
}

static int add_entry(int64_t *id, int64_t dictionary_id, const char *word, const char *replacement)
{
	const struct dictionary_entry entry = {.word = word, .replacement = replacement};

	return store->ops->entry_add(store, id, dictionary_id, &entry, NOW);
}

static int64_t entry_of(int64_t dictionary_id, const char *word)
{
	int64_t id;

	assert_int_equal(add_entry(&id, dictionary_id, word, "said"), 0);
	return id;
}

static void list(struct seen *seen, int64_t dictionary_id, const char *search, int64_t limit,
		 int64_t offset)
{
	const struct store_page page = {search, limit, offset};

	*seen = (struct seen){0};
	assert_int_equal(store->ops->entry_list(store, dictionary_id, &page, see_entry, seen), 0);
}

static int64_t count(int64_t dictionary_id, const char *search)
{
	int64_t number = -1;

	assert_int_equal(store->ops->entry_count(store, &number, dictionary_id, search), 0);
	return number;
}

/* The words that a search finds, in order, each followed by a blank. */
static const char *found(int64_t dictionary_id, const char *search)
{
	static char words[512];
	struct seen seen;

	list(&seen, dictionary_id, search, -1, 0);
	words[0] = '\0';
	for (size_t i = 0; i < seen.count; ++i) {
		size_t len = strlen(words);

		snprintf(words + len, sizeof(words) - len, "%s ", seen.entries[i].said.word);
	}
	assert_int_equal(count(dictionary_id, search), seen.count);
	return words;
}

static void test_a_dictionary_is_found_as_it_was_added(void **state)
{
	const struct store_dictionary full = {.project_id = PROJECT,
					      .name = "Städte",
					      .description = "of \"Europe\"",
					      .language = "de-AT",
					      .created_ms = NOW};
	struct seen seen;
	struct store_dictionary *row;
	int64_t id;

	(void)state;
	assert_int_equal(store->ops->dictionary_add(store, &id, &full, NULL, 0), 0);
	row = get_dictionary(&seen, id);
	assert_int_equal(row->id, id);
	assert_int_equal(row->project_id, PROJECT);
	assert_string_equal(row->name, full.name);
	assert_string_equal(row->description, full.description);
	assert_string_equal(row->language, full.language);
	assert_false(row->is_active);
	assert_int_equal(row->created_ms, NOW);
	assert_int_equal(row->updated_ms, NOW);
	row = get_dictionary(&seen, dictionary_of("bare"));
	assert_null(row->description);
	assert_null(row->language);
	assert_true(row->is_active);
	assert_true(row->id > id);
}

static void test_dictionaries_are_listed_in_order_for_their_project_alone(void **state)
{
	struct seen seen = {0};

	(void)state;
	dictionary_of("z");
	dictionary_of("a");
	dictionary_of("m");
	assert_int_equal(store->ops->dictionary_list(store, PROJECT, see_dictionary, &seen), 0);
	assert_int_equal(seen.count, 3);
	assert_string_equal(seen.dictionaries[0].name, "z");
	assert_string_equal(seen.dictionaries[2].name, "m");
	seen = (struct seen){.enough = 1};
	assert_int_equal(store->ops->dictionary_list(store, PROJECT, see_dictionary, &seen), 0);
	assert_int_equal(seen.count, 1);
	seen = (struct seen){0};
	assert_int_equal(store->ops->dictionary_list(store, 2, see_dictionary, &seen), 0);
	assert_int_equal(seen.count, 0);
}

static void test_a_dictionary_of_another_project_is_as_none(void **state)
{
	const struct store_dictionary to = {.name = "x", .updated_ms = LATER};
	int64_t id = dictionary_of("mine");
	struct seen seen = {0};

	(void)state;
	assert_int_equal(store->ops->dictionary_get(store, 2, id, see_dictionary, &seen), ENOENT);
	assert_int_equal(store->ops->dictionary_change(store, 2, id, STORE_DICTIONARY_NAME, &to),
			 ENOENT);
	assert_int_equal(store->ops->dictionary_remove(store, 2, id), ENOENT);
	assert_string_equal(get_dictionary(&seen, id)->name, "mine");
}

static void test_dictionaries_of_no_project_are_refused(void **state)
{
	const struct store_dictionary homeless = {.project_id = 2, .name = "x", .created_ms = NOW};
	int64_t id = -1;

	(void)state;
	assert_int_equal(store->ops->dictionary_add(store, &id, &homeless, NULL, 0), ENOENT);
	assert_int_equal(id, -1);
}

static void test_a_name_is_unique_in_its_project(void **state)
{
	const struct store_dictionary to = {.name = "one", .updated_ms = LATER};
	int64_t one = dictionary_of("one");
	int64_t two = dictionary_of("two");
	int64_t id = -1;
	struct seen seen;

	(void)state;
	assert_int_equal(add_dictionary(&id, "one"), EEXIST);
	assert_int_equal(id, -1);
	assert_int_equal(
		store->ops->dictionary_change(store, PROJECT, two, STORE_DICTIONARY_NAME, &to),
		EEXIST);
	assert_string_equal(get_dictionary(&seen, two)->name, "two");
	assert_int_equal(get_dictionary(&seen, two)->updated_ms, NOW);
	assert_int_equal(
		store->ops->dictionary_change(store, PROJECT, one, STORE_DICTIONARY_NAME, &to), 0);
	assert_int_equal(store->ops->dictionary_remove(store, PROJECT, one), 0);
	assert_int_equal(add_dictionary(&id, "one"), 0);
}

static void test_only_the_named_fields_of_a_dictionary_change(void **state)
{
	const struct store_dictionary first = {.name = "new",
					       .description = "text",
					       .language = "fr",
					       .is_active = false,
					       .updated_ms = LATER};
	const struct store_dictionary none = {.updated_ms = LATER};
	int64_t id = dictionary_of("old");
	struct seen seen;
	struct store_dictionary *row;

	(void)state;
	assert_int_equal(store->ops->dictionary_change(
				 store, PROJECT, id,
				 STORE_DICTIONARY_DESCRIPTION | STORE_DICTIONARY_LANGUAGE, &first),
			 0);
	row = get_dictionary(&seen, id);
	assert_string_equal(row->name, "old");
	assert_string_equal(row->description, "text");
	assert_string_equal(row->language, "fr");
	assert_true(row->is_active);
	assert_int_equal(row->created_ms, NOW);
	assert_int_equal(row->updated_ms, LATER);
	assert_int_equal(store->ops->dictionary_change(
				 store, PROJECT, id,
				 STORE_DICTIONARY_NAME | STORE_DICTIONARY_ACTIVE, &first),
			 0);
	assert_int_equal(store->ops->dictionary_change(store, PROJECT, id,
						       STORE_DICTIONARY_DESCRIPTION, &none),
			 0);
	row = get_dictionary(&seen, id);
	assert_string_equal(row->name, "new");
	assert_null(row->description);
	assert_string_equal(row->language, "fr");
	assert_false(row->is_active);
	assert_int_equal(store->ops->dictionary_change(store, PROJECT, 99, 0, &none), ENOENT);
}

static void test_a_dictionary_takes_its_entries_with_it(void **state)
{
	int64_t id = dictionary_of("doomed");
	int64_t entry = entry_of(id, "word");
	struct seen seen = {0};
	int64_t other;

	(void)state;
	assert_int_equal(store->ops->dictionary_remove(store, PROJECT, id), 0);
	assert_int_equal(store->ops->dictionary_remove(store, PROJECT, id), ENOENT);
	assert_int_equal(store->ops->dictionary_get(store, PROJECT, id, see_dictionary, &seen),
			 ENOENT);
	assert_int_equal(store->ops->entry_get(store, id, entry, see_entry, &seen), ENOENT);
	assert_int_equal(count(id, NULL), 0);
	assert_int_equal(add_entry(&other, id, "word", "said"), ENOENT);
	/* A client may still name the old ids: they are nobody else's. */
	assert_true(dictionary_of("next") > id);
	assert_true(entry_of(id + 1, "word") > entry);
}

static void test_a_project_has_100_dictionaries(void **state)
{
	char name[16];
	int64_t id;

	(void)state;
	for (int i = 0; i < STORE_DICTIONARIES_MAX; ++i) {
		snprintf(name, sizeof(name), "d%d", i);
		assert_int_equal(add_dictionary(&id, name), 0);
	}
	assert_int_equal(add_dictionary(&id, "one more"), EDQUOT);
	assert_int_equal(store->ops->dictionary_remove(store, PROJECT, id), 0);
	assert_int_equal(add_dictionary(&id, "one more"), 0);
}

static void test_an_entry_is_found_as_it_was_added(void **state)
{
	const struct dictionary_entry said = {.word = "Köln",
					      .replacement = "Cologne's \"o\"",
					      .ipa = "kœln",
					      .case_sensitive = true};
	int64_t dictionary = dictionary_of("cities");
	struct seen seen = {0};
	struct store_entry *row = &seen.entries[0];
	int64_t id;

	(void)state;
	assert_int_equal(store->ops->entry_add(store, &id, dictionary, &said, NOW), 0);
	assert_int_equal(store->ops->entry_get(store, dictionary, id, see_entry, &seen), 0);
	assert_int_equal(row->id, id);
	assert_int_equal(row->dictionary_id, dictionary);
	assert_string_equal(row->said.word, said.word);
	assert_string_equal(row->said.replacement, said.replacement);
	assert_string_equal(row->said.ipa, said.ipa);
	assert_true(row->said.case_sensitive);
	assert_int_equal(row->created_ms, NOW);
	assert_int_equal(row->updated_ms, NOW);
	assert_int_equal(store->ops->entry_get(store, dictionary, id + 1, see_entry, &seen),
			 ENOENT);
	assert_int_equal(store->ops->entry_get(store, dictionary_of("other"), id, see_entry, &seen),
			 ENOENT);
}

static void test_a_word_is_unique_to_the_letter(void **state)
{
	int64_t dictionary = dictionary_of("d");
	int64_t id = entry_of(dictionary, "API");
	int64_t other = entry_of(dictionary, "api");
	const struct dictionary_entry to = {.word = "API"};

	(void)state;
	assert_int_equal(add_entry(&id, dictionary, "API", "x"), EEXIST);
	assert_int_equal(
		store->ops->entry_change(store, dictionary, other, STORE_ENTRY_WORD, &to, LATER),
		EEXIST);
	assert_string_equal(found(dictionary, NULL), "API api ");
	assert_int_equal(add_entry(&id, dictionary_of("e"), "API", "x"), 0);
}

static void test_only_the_named_fields_of_an_entry_change(void **state)
{
	const struct dictionary_entry to = {
		.word = "Straße", .replacement = "street", .ipa = "striːt", .case_sensitive = true};
	const struct dictionary_entry none = {0};
	int64_t dictionary = dictionary_of("d");
	int64_t id = entry_of(dictionary, "old");
	struct seen seen;

	(void)state;
	assert_int_equal(store->ops->entry_change(store, dictionary, id,
						  STORE_ENTRY_IPA | STORE_ENTRY_CASE, &to, LATER),
			 0);
	list(&seen, dictionary, NULL, -1, 0);
	assert_string_equal(seen.entries[0].said.word, "old");
	assert_string_equal(seen.entries[0].said.replacement, "said");
	assert_string_equal(seen.entries[0].said.ipa, "striːt");
	assert_true(seen.entries[0].said.case_sensitive);
	assert_int_equal(seen.entries[0].created_ms, NOW);
	assert_int_equal(seen.entries[0].updated_ms, LATER);
	assert_int_equal(store->ops->entry_change(store, dictionary, id,
						  STORE_ENTRY_WORD | STORE_ENTRY_REPLACEMENT, &to,
						  LATER),
			 0);
	assert_int_equal(
		store->ops->entry_change(store, dictionary, id, STORE_ENTRY_IPA, &none, LATER), 0);
	list(&seen, dictionary, "STRASSE", -1, 0);
	assert_int_equal(seen.count, 0);
	list(&seen, dictionary, "STRAẞE", -1, 0); /* the search follows the word */
	assert_int_equal(seen.count, 1);
	assert_string_equal(seen.entries[0].said.replacement, "street");
	assert_null(seen.entries[0].said.ipa);
	assert_int_equal(store->ops->entry_change(store, dictionary, 99, 0, &none, LATER), ENOENT);
	assert_int_equal(store->ops->entry_change(store, dictionary_of("e"), id, 0, &none, LATER),
			 ENOENT);
}

static void test_an_entry_can_be_removed_from_its_own_dictionary(void **state)
{
	int64_t dictionary = dictionary_of("d");
	int64_t first = entry_of(dictionary, "first");

	(void)state;
	entry_of(dictionary, "second");
	assert_int_equal(store->ops->entry_remove(store, dictionary_of("e"), first), ENOENT);
	assert_int_equal(store->ops->entry_remove(store, dictionary, first), 0);
	assert_int_equal(store->ops->entry_remove(store, dictionary, first), ENOENT);
	assert_string_equal(found(dictionary, NULL), "second ");
}

static void test_a_search_finds_parts_of_words_in_any_case_of_any_script(void **state)
{
	static const char *const words[] = {"Kubernetes", "ÄPFEL", "Москва",
					    "ΣΊΣΥΦΟΣ",    "ⴂⴄ",    "100%_done"};
	static const struct {
		const char *search, *expected;
	} cases[] = {
		{NULL, "Kubernetes ÄPFEL Москва ΣΊΣΥΦΟΣ ⴂⴄ 100%_done "},
		{"NETE", "Kubernetes "},
		{"äpf", "ÄPFEL "},
		{"Äpf", "ÄPFEL "},
		{"apf", ""},
		{"МОСК", "Москва "},
		{"сква", "Москва "},
		{"σίσυφος", "ΣΊΣΥΦΟΣ "},
		{"ႢႤ", "ⴂⴄ "},
		{"%", "100%_done "}, /* no wildcards */
		{"e%s", ""},
		{"_", "100%_done "},
		{"' OR 1=1", ""},
		{"e", "Kubernetes ÄPFEL 100%_done "},
	};
	int64_t dictionary = dictionary_of("d");

	(void)state;
	for (size_t i = 0; i < COUNT(words); ++i)
		entry_of(dictionary, words[i]);
	for (size_t i = 0; i < COUNT(cases); ++i)
		assert_string_equal(found(dictionary, cases[i].search), cases[i].expected);
	assert_int_equal(count(dictionary, "ä"), 1);
	/* By the folded letters, of which "Ä" has one: U+00E4, not a and a mark. */
	assert_int_equal(count(dictionary, "a"), 0);
}

static void test_entries_are_listed_in_pages(void **state)
{
	int64_t dictionary = dictionary_of("d");
	char word[16];
	struct seen seen;

	(void)state;
	for (int i = 0; i < 7; ++i) {
		snprintf(word, sizeof(word), "%c%d", i % 2 ? 'o' : 'E', i);
		entry_of(dictionary, word);
	}
	list(&seen, dictionary, NULL, 3, 0);
	assert_int_equal(seen.count, 3);
	assert_string_equal(seen.entries[0].said.word, "E0");
	list(&seen, dictionary, NULL, 3, 6);
	assert_int_equal(seen.count, 1);
	assert_string_equal(seen.entries[0].said.word, "E6");
	list(&seen, dictionary, NULL, 3, 7);
	assert_int_equal(seen.count, 0);
	list(&seen, dictionary, "e", 2, 1);
	assert_int_equal(seen.count, 2);
	assert_string_equal(seen.entries[0].said.word, "E2");
	assert_int_equal(count(dictionary, "e"), 4);
	assert_int_equal(count(dictionary, NULL), 7);
	list(&seen, dictionary, NULL, 0, 0);
	assert_int_equal(seen.count, 0);
}

static void replace(int64_t dictionary, const struct dictionary_entry *entries, size_t length,
		    int64_t deleted)
{
	struct store_replaced replaced;

	assert_int_equal(
		store->ops->entry_replace(store, &replaced, dictionary, entries, length, LATER), 0);
	assert_int_equal(replaced.upserted, length);
	assert_int_equal(replaced.deleted, deleted);
	assert_int_equal(replaced.total, length);
	assert_int_equal(count(dictionary, NULL), length);
}

static void test_all_entries_are_replaced_by_their_words(void **state)
{
	static const struct dictionary_entry next[] = {
		{.word = "new", .replacement = "said"},
		{.word = "changed", .replacement = "otherwise", .ipa = "x", .case_sensitive = true},
		{.word = "same", .replacement = "said"},
	};
	int64_t dictionary = dictionary_of("d");
	int64_t other = dictionary_of("other");
	int64_t same = entry_of(dictionary, "same");
	int64_t changed;
	struct seen seen;

	(void)state;
	entry_of(dictionary, "gone");
	changed = entry_of(dictionary, "changed");
	entry_of(other, "gone");
	replace(dictionary, next, COUNT(next), 1);
	list(&seen, dictionary, NULL, -1, 0);
	assert_string_equal(seen.entries[0].said.word, "same");
	assert_int_equal(seen.entries[0].id, same);
	assert_int_equal(seen.entries[0].updated_ms, NOW);
	assert_int_equal(seen.entries[1].id, changed);
	assert_string_equal(seen.entries[1].said.replacement, "otherwise");
	assert_string_equal(seen.entries[1].said.ipa, "x");
	assert_true(seen.entries[1].said.case_sensitive);
	assert_int_equal(seen.entries[1].created_ms, NOW);
	assert_int_equal(seen.entries[1].updated_ms, LATER);
	assert_string_equal(seen.entries[2].said.word, "new");
	assert_int_equal(seen.entries[2].created_ms, LATER);
	assert_int_equal(count(other, NULL), 1);
	replace(dictionary, next, COUNT(next), 0); /* the same again */
	replace(dictionary, NULL, 0, 3);
	replace(dictionary, next, 1, 0);
	assert_int_equal(entry_of(dictionary, "one more") > 0, 1);
}

static void test_a_dictionary_is_added_with_its_entries_or_not_at_all(void **state)
{
	static const struct dictionary_entry entries[] = {
		{.word = "b", .replacement = "said"},
		{.word = "a", .replacement = "said", .ipa = "x", .case_sensitive = true},
	};
	const struct store_dictionary row = {
		.project_id = PROJECT, .name = "full", .created_ms = NOW};
	struct dictionary_entry *too_many = calloc(STORE_ENTRIES_MAX + 1, sizeof(*too_many));
	struct seen seen;
	int64_t id;

	(void)state;
	assert_int_equal(store->ops->dictionary_add(store, &id, &row, entries, 2), 0);
	assert_string_equal(get_dictionary(&seen, id)->name, "full");
	assert_int_equal(revision_of(id), STORE_REVISION_FIRST);
	list(&seen, id, NULL, -1, 0);
	assert_int_equal(seen.count, 2);
	assert_string_equal(seen.entries[0].said.word, "b");
	assert_null(seen.entries[0].said.ipa);
	assert_string_equal(seen.entries[1].said.ipa, "x");
	assert_true(seen.entries[1].said.case_sensitive);
	assert_int_equal(seen.entries[1].created_ms, NOW);
	assert_string_equal(found(id, "B"), "b ");
	replace(id, entries, 1, 1);
	assert_int_equal(store->ops->dictionary_add(store, &id, &row, entries, 2), EEXIST);
	assert_non_null(too_many);
	assert_int_equal(store->ops->dictionary_add(
				 store, &id,
				 &(struct store_dictionary){.project_id = PROJECT, .name = "x"},
				 too_many, STORE_ENTRIES_MAX + 1),
			 E2BIG);
	seen = (struct seen){0};
	assert_int_equal(store->ops->dictionary_list(store, PROJECT, see_dictionary, &seen), 0);
	assert_int_equal(seen.count, 1);
	free(too_many);
}

static void test_some_entries_are_put_and_removed_by_their_words(void **state)
{
	static const struct dictionary_entry some[] = {
		{.word = "new", .replacement = "said"},
		{.word = "changed", .replacement = "otherwise", .ipa = "x", .case_sensitive = true},
		{.word = "same", .replacement = "said"},
	};
	int64_t dictionary = dictionary_of("d");
	int64_t other = dictionary_of("other");
	int64_t changed = entry_of(dictionary, "changed");
	int64_t revision;
	struct seen seen;

	(void)state;
	entry_of(dictionary, "same");
	entry_of(dictionary, "kept");
	entry_of(other, "new");
	revision = revision_of(dictionary);
	assert_int_equal(store->ops->entry_put(store, dictionary, some, COUNT(some), LATER), 0);
	assert_true(revision_of(dictionary) > revision);
	assert_string_equal(found(dictionary, NULL), "changed same kept new ");
	list(&seen, dictionary, NULL, -1, 0);
	assert_int_equal(seen.entries[0].id, changed);
	assert_string_equal(seen.entries[0].said.replacement, "otherwise");
	assert_string_equal(seen.entries[0].said.ipa, "x");
	assert_int_equal(seen.entries[0].created_ms, NOW);
	assert_int_equal(seen.entries[0].updated_ms, LATER);
	assert_int_equal(seen.entries[1].updated_ms, NOW);
	assert_int_equal(seen.entries[2].updated_ms, NOW);
	assert_int_equal(seen.entries[3].created_ms, LATER);
	revision = revision_of(dictionary);
	assert_int_equal(
		store->ops->entry_remove_words(store, dictionary,
					       (struct dictionary_entry[]){{.word = "same"},
									   {.word = "none"},
									   {.word = "KEPT"},
									   {.word = "new"}},
					       4),
		0);
	assert_true(revision_of(dictionary) > revision);
	assert_string_equal(found(dictionary, NULL), "changed kept ");
	assert_int_equal(count(other, NULL), 1);
	assert_int_equal(store->ops->entry_put(store, dictionary, NULL, 0, LATER), 0);
	assert_int_equal(store->ops->entry_remove_words(store, dictionary, NULL, 0), 0);
	assert_string_equal(found(dictionary, NULL), "changed kept ");
}

static void test_entries_of_no_dictionary_are_refused(void **state)
{
	static const struct dictionary_entry entry = {.word = "w", .replacement = "r"};
	struct store_replaced replaced;
	int64_t id;

	(void)state;
	assert_int_equal(add_entry(&id, 99, "w", "r"), ENOENT);
	assert_int_equal(store->ops->entry_replace(store, &replaced, 99, &entry, 1, NOW), ENOENT);
	assert_int_equal(store->ops->entry_put(store, 99, &entry, 1, NOW), ENOENT);
	assert_int_equal(store->ops->entry_remove_words(store, 99, &entry, 1), ENOENT);
	assert_int_equal(store->ops->entry_remove(store, 99, 1), ENOENT);
	assert_int_equal(count(99, NULL), 0);
}

/* w0, w1, … as entries; freed by the caller. */
static struct dictionary_entry *many(size_t length)
{
	struct dictionary_entry *entries = calloc(length, sizeof(*entries) + 8);
	char *words = (char *)(entries + length);

	assert_non_null(entries);
	for (size_t i = 0; i < length; ++i) {
		snprintf(words + 8 * i, 8, "w%zu", i);
		entries[i] = (struct dictionary_entry){.word = words + 8 * i, .replacement = "r"};
	}
	return entries;
}

static void test_a_dictionary_has_10000_entries(void **state)
{
	struct dictionary_entry *entries = many(STORE_ENTRIES_MAX + 1);
	int64_t dictionary = dictionary_of("d");
	struct store_replaced replaced;
	int64_t id;

	(void)state;
	assert_int_equal(store->ops->entry_replace(store, &replaced, dictionary, entries,
						   STORE_ENTRIES_MAX + 1, LATER),
			 EDQUOT);
	assert_int_equal(count(dictionary, NULL), 0);
	replace(dictionary, entries, STORE_ENTRIES_MAX, 0);
	assert_int_equal(add_entry(&id, dictionary, "one more", "x"), EDQUOT);
	assert_int_equal(
		store->ops->entry_put(store, dictionary, entries + STORE_ENTRIES_MAX, 1, LATER),
		EDQUOT);
	assert_int_equal(count(dictionary, NULL), STORE_ENTRIES_MAX);
	assert_int_equal(store->ops->entry_put(store, dictionary, entries, 2, LATER), 0);
	free(entries);
}

static void test_each_change_is_a_new_revision(void **state)
{
	static const struct dictionary_entry entry = {.word = "w", .replacement = "r"};
	const struct store_dictionary to = {.name = "n", .updated_ms = LATER};
	int64_t dictionary = dictionary_of("d");
	int64_t revision = revision_of(dictionary);
	struct store_replaced replaced;
	int64_t id = entry_of(dictionary, "a");

	(void)state;
	assert_true(revision_of(dictionary) > revision);
	revision = revision_of(dictionary);
	assert_int_equal(
		store->ops->entry_change(store, dictionary, id, STORE_ENTRY_WORD, &entry, LATER),
		0);
	assert_true(revision_of(dictionary) > revision);
	revision = revision_of(dictionary);
	assert_int_equal(store->ops->entry_remove(store, dictionary, id), 0);
	assert_true(revision_of(dictionary) > revision);
	revision = revision_of(dictionary);
	assert_int_equal(store->ops->entry_replace(store, &replaced, dictionary, &entry, 1, NOW),
			 0);
	assert_true(revision_of(dictionary) > revision);
	revision = revision_of(dictionary);
	assert_int_equal(store->ops->dictionary_change(store, PROJECT, dictionary,
						       STORE_DICTIONARY_NAME, &to),
			 0);
	assert_true(revision_of(dictionary) > revision);
	revision = revision_of(dictionary);
	assert_int_equal(add_entry(&id, dictionary, "w", "taken"), EEXIST);
	assert_int_equal(store->ops->entry_remove(store, dictionary, 9999), ENOENT);
	assert_int_equal(revision_of(dictionary), revision);
}

static void test_own_changes_are_news_too(void **state)
{
	int64_t before = -1;
	int64_t after = -2;

	(void)state;
	assert_int_equal(store->ops->version(store, &before), 0);
	dictionary_of("d");
	assert_int_equal(store->ops->version(store, &after), 0);
	assert_int_not_equal(before, after);
}

struct news {
	int64_t versions[STORE_CHANGE_KINDS]; /* of the default project; 0: not shown */
	int others;
};

static bool note_change(const struct store_change *change, void *arg)
{
	struct news *news = arg;

	assert_true(change->kind < STORE_CHANGE_KINDS);
	if (change->project_id == STORE_PROJECT_DEFAULT)
		news->versions[change->kind] = change->version;
	else
		++news->others;
	return true;
}

static struct news news_since(int64_t version)
{
	struct news news = {.others = 0};

	assert_int_equal(store->ops->changes(store, version, note_change, &news), 0);
	return news;
}

static int64_t version_now(void)
{
	int64_t version;

	assert_int_equal(store->ops->version(store, &version), 0);
	return version;
}

static void test_what_has_changed_is_told_by_its_project_and_kind(void **state)
{
	struct store_project project = {.account_id = STORE_ACCOUNT_DEFAULT, .name = "second"};
	struct store_dictionary foreign = {.name = "d", .is_active = true, .created_ms = 1};
	int64_t before = version_now();
	int64_t dictionary = dictionary_of("d");
	struct store_voice voice = {.project_id = STORE_PROJECT_DEFAULT,
				    .base_id = 1,
				    .name = "v",
				    .rate = 1,
				    .created_ms = 1};
	struct news news = news_since(before);
	int64_t id;

	(void)state;
	assert_true(news.versions[STORE_CHANGE_DICTIONARY] > before);
	assert_true(news.versions[STORE_CHANGE_DICTIONARY] <= version_now());
	assert_int_equal(news.versions[STORE_CHANGE_VOICE], 0);
	before = version_now();
	assert_int_equal(add_entry(&id, dictionary, "w", "said"), 0);
	news = news_since(before);
	assert_true(news.versions[STORE_CHANGE_DICTIONARY] > before);
	before = version_now();
	assert_int_equal(store->ops->voice_add(store, &id, &voice), 0);
	news = news_since(before);
	assert_int_equal(news.versions[STORE_CHANGE_DICTIONARY], 0);
	assert_true(news.versions[STORE_CHANGE_VOICE] > before);
	before = version_now();
	assert_int_equal(store->ops->project_add(store, &project), 0);
	news = news_since(before); /* is a change, but of no dictionary */
	assert_true(version_now() > before);
	assert_int_equal(news.versions[STORE_CHANGE_DICTIONARY], 0);
	foreign.project_id = project.id;
	assert_int_equal(store->ops->dictionary_add(store, &id, &foreign, NULL, 0), 0);
	news = news_since(before);
	assert_int_equal(news.versions[STORE_CHANGE_DICTIONARY], 0);
	assert_int_equal(news.others, 1);
	before = version_now();
	assert_int_equal(store->ops->dictionary_remove(store, STORE_PROJECT_DEFAULT, dictionary),
			 0);
	news = news_since(before);
	assert_true(news.versions[STORE_CHANGE_DICTIONARY] > before);
	assert_int_equal(news_since(version_now()).others, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_a_dictionary_is_found_as_it_was_added, take_store),
		cmocka_unit_test_setup(
			test_dictionaries_are_listed_in_order_for_their_project_alone, take_store),
		cmocka_unit_test_setup(test_a_dictionary_of_another_project_is_as_none, take_store),
		cmocka_unit_test_setup(test_dictionaries_of_no_project_are_refused, take_store),
		cmocka_unit_test_setup(test_a_name_is_unique_in_its_project, take_store),
		cmocka_unit_test_setup(test_only_the_named_fields_of_a_dictionary_change,
				       take_store),
		cmocka_unit_test_setup(test_a_dictionary_takes_its_entries_with_it, take_store),
		cmocka_unit_test_setup(test_a_project_has_100_dictionaries, take_store),
		cmocka_unit_test_setup(test_an_entry_is_found_as_it_was_added, take_store),
		cmocka_unit_test_setup(test_a_word_is_unique_to_the_letter, take_store),
		cmocka_unit_test_setup(test_only_the_named_fields_of_an_entry_change, take_store),
		cmocka_unit_test_setup(test_an_entry_can_be_removed_from_its_own_dictionary,
				       take_store),
		cmocka_unit_test_setup(test_a_search_finds_parts_of_words_in_any_case_of_any_script,
				       take_store),
		cmocka_unit_test_setup(test_entries_are_listed_in_pages, take_store),
		cmocka_unit_test_setup(test_all_entries_are_replaced_by_their_words, take_store),
		cmocka_unit_test_setup(test_a_dictionary_is_added_with_its_entries_or_not_at_all,
				       take_store),
		cmocka_unit_test_setup(test_some_entries_are_put_and_removed_by_their_words,
				       take_store),
		cmocka_unit_test_setup(test_entries_of_no_dictionary_are_refused, take_store),
		cmocka_unit_test_setup(test_a_dictionary_has_10000_entries, take_store),
		cmocka_unit_test_setup(test_each_change_is_a_new_revision, take_store),
		cmocka_unit_test_setup(test_own_changes_are_news_too, take_store),
		cmocka_unit_test_setup(test_what_has_changed_is_told_by_its_project_and_kind,
				       take_store),
	};

	return ROWS_RUN(tests);
}
