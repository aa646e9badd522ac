/* Dictionaries: whole words, the longest first, in linear time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>

#include "base/count.h"
#include "base/mem.h"
#include "dictionary_model.h"
#include "lexicon_find.h"
#include "mem_fail.h"
#include "text/cost.h"
#include "text/dictionary.h"

static struct dictionary *test_dictionary_make(const struct dictionary_entry *entries, size_t count)
{
	struct dictionary *dictionary = NULL;

	assert_int_equal(dictionary_alloc(&dictionary, entries, count), 0);
	return dictionary;
}

/* A lexicon of one dictionary, or of more; takes them over. */
static struct lexicon *test_dictionary_bind(struct dictionary *const *dictionaries, size_t count)
{
	struct lexicon *lexicon = NULL;

	assert_int_equal(lexicon_alloc(&lexicon, dictionaries, count), 0);
	for (size_t i = 0; i < count; ++i)
		mem_deref(dictionaries[i]);
	return lexicon;
}

static struct lexicon *test_dictionary_make_lexicon(const struct dictionary_entry *entries,
						    size_t count)
{
	struct dictionary *dictionary = test_dictionary_make(entries, count);

	return test_dictionary_bind(&dictionary, 1);
}

/* The text with hits replaced, in brackets. */
static void test_dictionary_apply(char *out, size_t size, const struct lexicon *lexicon,
				  const char *text)
{
	struct lexicon_search *search = NULL;
	struct lexicon_hit hit;
	size_t len = strlen(text);
	size_t at = 0;
	size_t n = 0;

	assert_int_equal(lexicon_search(&search, lexicon, text, len), 0);
	while (lexicon_next(search, &hit, at)) {
		assert_true(hit.begin >= at && hit.end > hit.begin && hit.end <= len);
		n += (size_t)snprintf(out + n, size - n, "%.*s[%s]", (int)(hit.begin - at),
				      text + at, hit.replacement);
		at = hit.end;
	}
	snprintf(out + n, size - n, "%s", text + at);
	mem_deref(search);
}

static void test_dictionary_expect(const struct lexicon *lexicon, const char *text,
				   const char *wanted)
{
	char found[1024];

	test_dictionary_apply(found, sizeof(found), lexicon, text);
	assert_string_equal(found, wanted);
}

/* One entry, said as X. */
static void test_dictionary_expect_one(const char *word, bool case_sensitive, const char *text,
				       const char *wanted)
{
	const struct dictionary_entry entry = {word, "X", NULL, case_sensitive};
	struct lexicon *lexicon = test_dictionary_make_lexicon(&entry, 1);

	test_dictionary_expect(lexicon, text, wanted);
	mem_deref(lexicon);
}

struct row {
	const char *word, *text, *wanted;
};

static void test_dictionary_expect_rows(const struct row *rows, size_t count)
{
	for (size_t i = 0; i < count; ++i)
		test_dictionary_expect_one(rows[i].word, false, rows[i].text, rows[i].wanted);
}

static void test_dictionary_only_whole_words_are_taken(void **state)
{
	static const struct row rows[] = {
		{"API", "API", "[X]"},
		{"API", "The API, an API's and l'API.", "The [X], an [X]'s and l'[X]."},
		{"API", "APIs rAPId APIary 2API API2 API\u00b2",
		 "APIs rAPId APIary 2API API2 API\u00b2"},
		{"API", "(API)/API-API_API", "([X])/[X]-[X]_[X]"},
		{"API", "API\u0332 API", "API\u0332 [X]"},
		{"cafe", "cafe\u0301 cafe", "cafe\u0301 [X]"},
		{"5", "5 3.5 5.3 1,5 5. 5, 5.x", "[X] 3.5 5.3 1,5 [X]. [X], [X].x"},
		{"GPT-4", "GPT-4 GPT-4.5 GPT-4. So", "[X] GPT-4.5 [X]. So"},
		{"x", "", ""},
	};

	(void)state;
	test_dictionary_expect_rows(rows, COUNT(rows));
}

static void test_dictionary_entries_may_hold_anything(void **state)
{
	static const struct row rows[] = {
		{"Dr. No", "Dr. No met Dr. Nobody.", "[X] met Dr. Nobody."},
		{"C++", "C++ and C++17, not AC++ or C+", "[X] and [X]17, not AC++ or C+"},
		{"@home", "@home @homes", "[X] @homes"},
		{"/", "and/or", "and[X]or"},
		{".NET", "ASP.NET .net", "ASP[X] [X]"},
		{"e.V.", "Ein e.V. ist e.V.", "Ein [X] ist [X]"},
		{"\u2764", "I \u2764\ufe0f it", "I [X] it"},
		{" New   York ", "New York, new\n\tyork, New\u00a0York, NewYork",
		 "[X], [X], [X], NewYork"},
		{"v2.0", "v2.0 v2.01", "[X] v2.01"},
	};

	(void)state;
	test_dictionary_expect_rows(rows, COUNT(rows));
}

static void test_dictionary_letters_of_any_case_and_script(void **state)
{
	static const struct row rows[] = {
		{"postgres", "Postgres POSTGRES pOSTGRES", "[X] [X] [X]"},
		{"\u00dcBER", "\u00fcber U\u0308ber u\u0308ber", "[X] [X] [X]"},
		{"e\u0301te\u0301", "\u00e9t\u00e9 \u00c9T\u00c9", "[X] [X]"},
		{"Vi\u1ec7t", "Vie\u0323\u0302t Vie\u0302\u0323t VI\u1ec6T", "[X] [X] [X]"},
		{"\u03a3\u039f\u03a6\u039f\u03a3", "\u03c3\u03bf\u03c6\u03bf\u03c2", "[X]"},
		{"Stra\u00dfe", "STRA\u1e9eE stra\u00dfe strasse", "[X] [X] strasse"},
		{"Istanbul", "\u0130stanbul istanbul \u0131stanbul", "[X] [X] \u0131stanbul"},
		{"\u041a\u0438\u0457\u0432",
		 "\u041a\u0418\u0407\u0412 \u043a\u0438\u0456\u0308\u0432", "[X] [X]"},
		{"don't", "Don\u2019t DON'T don t", "[X] [X] don t"},
		{"\ud55c\uad6d", "\u1112\u1161\u11ab\uad6d", "[X]"},
		{"Postgres", "Post\u00adgres \u200ePostgres\u200f", "[X] \u200e[X]"},
	};

	(void)state;
	test_dictionary_expect_rows(rows, COUNT(rows));
}

static void test_dictionary_scripts_without_blanks_have_no_word_ends(void **state)
{
	static const struct row rows[] = {
		{"\u6771\u4eac", "\u5927\u6771\u4eac\u90fd", "\u5927[X]\u90fd"},
		{"AI", "\u6700\u65b0AI\u6280\u8853", "\u6700\u65b0[X]\u6280\u8853"},
		{"\u30b5\u30fc\u30d0", "\u30b5\u30fc\u30d0\u30fc \u30b5\u30fc\u30d0",
		 "\u30b5\u30fc\u30d0\u30fc [X]"},
		{"\u0e01\u0e32", "\u0e01\u0e32\u0e01\u0e31\u0e32 \u0e01\u0e32\u0e31",
		 "[X]\u0e01\u0e31\u0e32 \u0e01\u0e32\u0e31"},
		{"5\u6708", "5\u670815\u6708", "[X]15\u6708"},
		{"\u4eba", "\u4eba\u3005\u4eba", "\u4eba\u3005[X]"},
	};

	(void)state;
	test_dictionary_expect_rows(rows, COUNT(rows));
}

static void test_dictionary_case_counts_when_the_entry_says_so(void **state)
{
	(void)state;
	test_dictionary_expect_one("US", true, "US us Us U\u0332S", "[X] us Us U\u0332S");
	test_dictionary_expect_one("\u00c9", true, "\u00c9 E\u0301 \u00e9", "[X] [X] \u00e9");
	test_dictionary_expect_one("it's", true, "it\u2019s It's", "[X] It's");
}

static void test_dictionary_the_longest_is_taken(void **state)
{
	static const struct dictionary_entry entries[] = {
		{"New", "1", NULL, false},
		{"New York", "2", NULL, false},
		{"New York City", "3", NULL, false},
		{"York", "4", NULL, true},
		{"City of Angels", "5", NULL, false},
	};
	struct lexicon *lexicon = test_dictionary_make_lexicon(entries, COUNT(entries));

	(void)state;
	test_dictionary_expect(lexicon, "New New York new york city of Angels",
			       "[1] [2] [3] of Angels");
	test_dictionary_expect(lexicon, "New York City of Angels", "[3] of Angels");
	test_dictionary_expect(lexicon, "Old York, york, City of Angels", "Old [4], york, [5]");
	mem_deref(lexicon);
}

static void test_dictionary_of_equal_ones_the_case_sensitive_then_the_first(void **state)
{
	static const struct dictionary_entry entries[] = {
		{"us", "any", NULL, false},    {"US", "second", NULL, false},
		{"US", "country", NULL, true}, {"US", "never", NULL, true},
		{"Us", "title", NULL, true},
	};
	struct lexicon *lexicon = test_dictionary_make_lexicon(entries, COUNT(entries));

	(void)state;
	test_dictionary_expect(lexicon, "us US Us uS", "[any] [country] [title] [any]");
	mem_deref(lexicon);
}

static void test_dictionary_the_first_dictionary_wins_unless_another_has_more(void **state)
{
	static const struct dictionary_entry first[] = {{"New York", "1", NULL, false},
							{"api", "2", NULL, false}};
	static const struct dictionary_entry second[] = {{"New York City", "3", NULL, false},
							 {"API", "4", NULL, true},
							 {"York", "5", NULL, false}};
	struct dictionary *dictionaries[] = {test_dictionary_make(first, COUNT(first)),
					     test_dictionary_make(second, COUNT(second)),
					     test_dictionary_make(NULL, 0)};
	struct lexicon *lexicon = test_dictionary_bind(dictionaries, COUNT(dictionaries));

	(void)state;
	test_dictionary_expect(lexicon, "New York City, New York, York, API", "[3], [1], [5], [2]");
	mem_deref(lexicon);
}

static void test_dictionary_entries_without_anything_to_match_are_left_out(void **state)
{
	static const struct dictionary_entry entries[] = {
		{"", "a", NULL, false}, {" \n ", "b", NULL, false}, {"\u200d", "c", NULL, true}};
	struct lexicon *lexicon = test_dictionary_make_lexicon(entries, COUNT(entries));

	(void)state;
	test_dictionary_expect(lexicon, " \u200d x", " \u200d x");
	mem_deref(lexicon);
	lexicon = test_dictionary_make_lexicon(NULL, 0);
	test_dictionary_expect(lexicon, "nothing", "nothing");
	mem_deref(lexicon);
}

static void test_dictionary_strings_are_copied_and_pronunciations_come_along(void **state)
{
	char word[] = "Nginx";
	char replacement[] = "engine x";
	char ipa[] = "\u02c8\u025bnd\u0292\u026an";
	struct dictionary_entry entry = {word, replacement, ipa, false};
	struct lexicon *lexicon = test_dictionary_make_lexicon(&entry, 1);
	struct lexicon_hit hit;

	(void)state;
	memset(word, 0, sizeof(word));
	memset(replacement, 0, sizeof(replacement));
	ipa[0] = '\0';
	assert_true(lexicon_find(lexicon, &hit, "an nginx", 8, 0));
	assert_int_equal(hit.begin, 3);
	assert_int_equal(hit.end, 8);
	assert_string_equal(hit.replacement, "engine x");
	assert_string_equal(hit.ipa, "\u02c8\u025bnd\u0292\u026an");
	mem_deref(lexicon);
}

static void test_dictionary_a_lexicon_outlives_who_made_its_dictionaries(void **state)
{
	static const struct dictionary_entry entry = {"a", "b", NULL, false};
	struct dictionary *dictionary = test_dictionary_make(&entry, 1);
	struct lexicon *one = NULL;
	struct lexicon *two = NULL;
	size_t live = mem_live();

	(void)state;
	assert_int_equal(lexicon_alloc(&one, &dictionary, 1), 0);
	assert_int_equal(lexicon_alloc(&two, &dictionary, 1), 0);
	mem_deref(dictionary);
	mem_deref(one);
	test_dictionary_expect(two, "a", "[b]");
	mem_deref(two);
	assert_true(mem_live() < live);
}

/* Wherever a search begins, it does not take the rest of a word for a word. */
static void test_dictionary_a_search_may_begin_anywhere(void **state)
{
	static const struct dictionary_entry entries[] = {
		{"b", "X", NULL, false}, {"5", "X", NULL, false}, {"\u0301b", "X", NULL, false}};
	static const struct {
		const char *text;
		size_t from, begin; /* begin 0: nothing is found */
	} rows[] = {
		{"ab", 1, 0},
		{"a b", 1, 2},
		{"a b", 2, 2},
		{"a b", 3, 0},
		{"3.5 5", 1, 4},
		{"3.5 5", 2, 4},
		{"x.5", 2, 2},
		{"a\u0301b", 1, 0},
		{"a\u0301b", 3, 0},
		{"a\u00adb", 3, 0},
		{"+\u0301b", 3, 3},
		{" \u0301b b", 3, 5},
		{" \u0301b b", 1, 1},
		{"\xff\x80"
		 "b",
		 2, 2},
		{"\u4e2db", 3, 3},
	};
	struct lexicon *lexicon = test_dictionary_make_lexicon(entries, COUNT(entries));

	(void)state;
	for (size_t i = 0; i < COUNT(rows); ++i) {
		struct lexicon_hit hit = {0};
		bool is_found = lexicon_find(lexicon, &hit, rows[i].text, strlen(rows[i].text),
					     rows[i].from);

		assert_int_equal(is_found, rows[i].begin > 0);
		assert_int_equal(hit.begin, rows[i].begin);
	}
	mem_deref(lexicon);
}

/* Against the model: random dictionaries, random text. */

#define WORDS 6
#define WORD_UNITS 5
#define TEXT_UNITS 40

struct random_dictionary {
	struct dictionary_entry entries[WORDS];
	char words[WORDS][WORD_UNITS * 8 + 1];
	size_t count;
};

static unsigned test_dictionary_random_below(unsigned n, unsigned *seed)
{
	return (unsigned)rand_r(seed) / 7 % n;
}

/* Few different characters, so that words occur. */
static void test_dictionary_random_units(unsigned char *units, size_t count, unsigned *seed)
{
	unsigned char few[5];

	for (size_t i = 0; i < sizeof(few); ++i)
		few[i] = (unsigned char)test_dictionary_random_below(256, seed);
	for (size_t i = 0; i < count; ++i)
		units[i] = few[test_dictionary_random_below(sizeof(few), seed)];
}

/* Words that are pieces of the text, but for a character now and then. */
static void test_dictionary_random_entries(struct random_dictionary *dictionary,
					   const unsigned char *units, unsigned *seed)
{
	dictionary->count = test_dictionary_random_below(WORDS + 1, seed);
	for (size_t i = 0; i < dictionary->count; ++i) {
		unsigned n = test_dictionary_random_below(WORD_UNITS + 1, seed);
		unsigned char word[WORD_UNITS];

		memcpy(word, units + test_dictionary_random_below(TEXT_UNITS - WORD_UNITS, seed),
		       sizeof(word));
		if (test_dictionary_random_below(4, seed) == 0)
			word[test_dictionary_random_below(WORD_UNITS, seed)] =
				(unsigned char)rand_r(seed);
		dictionary_model_spell(dictionary->words[i], word, n);
		dictionary->entries[i] =
			(struct dictionary_entry){dictionary->words[i], dictionary->words[i], NULL,
						  test_dictionary_random_below(3, seed) == 0};
	}
}

static void test_dictionary_compare_with_model(unsigned *seed)
{
	static struct random_dictionary random[2];
	struct dictionary_model models[2];
	struct dictionary *dictionaries[2];
	struct lexicon *lexicon;
	struct lexicon_search *search = NULL;
	unsigned char units[TEXT_UNITS];
	char text[TEXT_UNITS * 8 + 1];
	size_t len;

	test_dictionary_random_units(units, TEXT_UNITS, seed);
	len = dictionary_model_spell(text, units, test_dictionary_random_below(TEXT_UNITS, seed));
	for (size_t i = 0; i < 2; ++i) {
		test_dictionary_random_entries(&random[i], units, seed);
		models[i] = (struct dictionary_model){random[i].entries, random[i].count};
		dictionaries[i] = test_dictionary_make(random[i].entries, random[i].count);
	}
	lexicon = test_dictionary_bind(dictionaries, 2);
	assert_int_equal(lexicon_search(&search, lexicon, text, len), 0);
	for (size_t from = 0; from <= len; ++from) {
		struct lexicon_hit wanted, found = {0};

		assert_int_equal(lexicon_next(search, &found, from),
				 dictionary_model_find(&wanted, models, 2, text, from));
		assert_int_equal(found.begin, wanted.begin);
		assert_int_equal(found.end, wanted.end);
		if (found.end > 0)
			assert_string_equal(found.replacement, wanted.replacement);
	}
	mem_deref(search);
	mem_deref(lexicon);
}

static void test_dictionary_it_finds_what_the_plainest_search_finds(void **state)
{
	unsigned seed = 1;

	(void)state;
	for (int i = 0; i < 2000; ++i)
		test_dictionary_compare_with_model(&seed);
}

/* Linear cost */

static size_t test_dictionary_count_steps(const struct lexicon *lexicon, const char *text,
					  size_t len)
{
	struct lexicon_search *search = NULL;

	cost_steps = 0;
	assert_int_equal(lexicon_search(&search, lexicon, text, len), 0);
	mem_deref(search);
	return cost_steps;
}

static char *test_dictionary_repeat(const char *piece, size_t len)
{
	char *text = malloc(len + 1);
	size_t piece_len = strlen(piece);

	assert_non_null(text);
	for (size_t i = 0; i < len; ++i)
		text[i] = piece[i % piece_len];
	text[len] = '\0';
	return text;
}

/* Entries of 1 to count times the piece. */
static struct lexicon *test_dictionary_make_growing(const char *piece, size_t count)
{
	struct dictionary_entry *entries = calloc(count, sizeof(*entries));
	struct lexicon *lexicon;

	assert_non_null(entries);
	for (size_t i = 0; i < count; ++i)
		entries[i] = (struct dictionary_entry){
			test_dictionary_repeat(piece, (i + 1) * strlen(piece)), "x", NULL,
			i % 3 == 2};
	lexicon = test_dictionary_make_lexicon(entries, count);
	for (size_t i = 0; i < count; ++i)
		free((void *)(uintptr_t)entries[i].word);
	free(entries);
	return lexicon;
}

static void test_dictionary_the_cost_is_linear_whatever_the_entries(void **state)
{
	static const struct {
		const char *piece; /* of the entries */
		const char *text; /* repeated */
		size_t entries;
	} rows[] = {
		{"a", "a", 10000},       {"a", "a ", 200},
		{"a", "A.", 200},        {"a ", "a ", 200}, /* every word begins all entries */
		{"a ", "a a a b ", 200}, /* and few go on */
		{"a ", "a    ", 200},    {"\u4e2d", "\u4e2d\u4e2d\u4e2d\u6587", 200},
		{"a'", "a\u2019b", 100},
	};
	const size_t len = 256 * 1024;

	(void)state;
	for (size_t i = 0; i < COUNT(rows); ++i) {
		struct lexicon *lexicon =
			test_dictionary_make_growing(rows[i].piece, rows[i].entries);
		char *text = test_dictionary_repeat(rows[i].text, len);

		/* a look at the character, and in each of two books one or two at
		 * what its lexeme is, and as many for each step on and back */
		assert_true(test_dictionary_count_steps(lexicon, text, len) <= 12 * len);
		mem_deref(lexicon);
		free(text);
	}
}

static void test_dictionary_other_words_cost_a_look(void **state)
{
	struct dictionary_entry *entries = calloc(10000, sizeof(*entries));
	char(*words)[16] = calloc(10000, sizeof(*words));
	struct lexicon *lexicon;
	char *text = test_dictionary_repeat("The quick brown fox jumps over the lazy dog. ", 65536);

	(void)state;
	assert_true(entries && words);
	for (size_t i = 0; i < 10000; ++i) {
		snprintf(words[i], sizeof(words[i]), "word%zu", i);
		entries[i] = (struct dictionary_entry){words[i], "x", NULL, false};
	}
	lexicon = test_dictionary_make_lexicon(entries, 10000);
	assert_true(test_dictionary_count_steps(lexicon, text, 65536) < 65536 * 3 / 2);
	mem_deref(lexicon);
	free(text);
	free(words);
	free(entries);
}

static void test_dictionary_failing_allocations_leak_nothing(void **state)
{
	static const struct dictionary_entry entries[] = {{"a b", "x", "y", false},
							  {"C", "x", NULL, true}};
	size_t live = mem_live();
	size_t n = 0;
	int err = ENOMEM;

	(void)state;
	while (err) {
		struct dictionary *dictionary = NULL;
		struct lexicon *lexicon = NULL;
		struct lexicon_search *search = NULL;

		mem_fail_after(++n);
		err = dictionary_alloc(&dictionary, entries, COUNT(entries));
		if (!err)
			err = lexicon_alloc(&lexicon, &dictionary, 1);
		if (!err) /* more lexemes than were reckoned with */
			err = lexicon_search(&search, lexicon, "................", 16);
		mem_fail_after(0);
		mem_deref(search);
		mem_deref(dictionary);
		mem_deref(lexicon);
		assert_true(err == 0 || err == ENOMEM);
		assert_int_equal(mem_live(), live);
	}
	assert_true(n > 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_dictionary_only_whole_words_are_taken),
		cmocka_unit_test(test_dictionary_entries_may_hold_anything),
		cmocka_unit_test(test_dictionary_letters_of_any_case_and_script),
		cmocka_unit_test(test_dictionary_scripts_without_blanks_have_no_word_ends),
		cmocka_unit_test(test_dictionary_case_counts_when_the_entry_says_so),
		cmocka_unit_test(test_dictionary_the_longest_is_taken),
		cmocka_unit_test(test_dictionary_of_equal_ones_the_case_sensitive_then_the_first),
		cmocka_unit_test(test_dictionary_the_first_dictionary_wins_unless_another_has_more),
		cmocka_unit_test(test_dictionary_entries_without_anything_to_match_are_left_out),
		cmocka_unit_test(test_dictionary_strings_are_copied_and_pronunciations_come_along),
		cmocka_unit_test(test_dictionary_a_lexicon_outlives_who_made_its_dictionaries),
		cmocka_unit_test(test_dictionary_a_search_may_begin_anywhere),
		cmocka_unit_test(test_dictionary_it_finds_what_the_plainest_search_finds),
		cmocka_unit_test(test_dictionary_the_cost_is_linear_whatever_the_entries),
		cmocka_unit_test(test_dictionary_other_words_cost_a_look),
		cmocka_unit_test(test_dictionary_failing_allocations_leak_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
