/* Which word was meant. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/count.h"
#include "base/similar.h"

static void test_edits_are_counted(void **state)
{
	static const struct {
		const char *a, *b;
		size_t edits;
	} cases[] = {
		{"", "", 0},       {"say", "say", 0},        {"", "say", 3},
		{"sya", "say", 1}, {"voics", "voices", 1},   {"voicess", "voices", 1},
		{"sax", "say", 1}, {"kitten", "sitting", 3}, {"SAY", "say", 0},
		{"ab", "ba", 1},   {"abcd", "wxyz", 4},      {"lisetn", "listen", 1},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); ++i) {
		assert_int_equal(similar_edits(cases[i].a, cases[i].b), cases[i].edits);
		assert_int_equal(similar_edits(cases[i].b, cases[i].a), cases[i].edits);
	}
}

static void test_long_words_are_compared_up_to_a_limit(void **state)
{
	char a[3 * SIMILAR_MAX];
	char b[3 * SIMILAR_MAX];

	(void)state;
	memset(a, 'a', sizeof(a));
	memset(b, 'a', sizeof(b));
	a[sizeof(a) - 1] = b[sizeof(b) - 1] = '\0';
	b[sizeof(b) - 2] = 'b';
	assert_int_equal(similar_edits(a, b), 0);
	b[0] = 'b';
	assert_int_equal(similar_edits(a, b), 1);
}

static void test_a_third_of_a_word_may_differ(void **state)
{
	(void)state;
	assert_true(similar_is_near("say", 1));
	assert_false(similar_is_near("say", 2));
	assert_true(similar_is_near("voices", 2));
	assert_false(similar_is_near("x", 1));
}

static void test_the_first_of_the_nearest_words_is_meant(void **state)
{
	static const char *const words[] = {"create", "change", "changes", "list", NULL};

	(void)state;
	assert_string_equal(similar_nearest(words, "creat"), "create");
	assert_string_equal(similar_nearest(words, "chnage"), "change");
	assert_string_equal(similar_nearest(words, "changex"), "change");
	assert_null(similar_nearest(words, "x"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_edits_are_counted),
		cmocka_unit_test(test_long_words_are_compared_up_to_a_limit),
		cmocka_unit_test(test_a_third_of_a_word_may_differ),
		cmocka_unit_test(test_the_first_of_the_nearest_words_is_meant),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
