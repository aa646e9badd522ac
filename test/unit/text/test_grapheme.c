/* Graphemes: what a reader takes for one character is never cut. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/count.h"
#include "base/utf8.h"
#include "text/grapheme.h"

static size_t test_grapheme_count(const char *text)
{
	struct grapheme grapheme = {0};
	size_t len = strlen(text);
	size_t borders = 0;

	for (size_t at = 0; at < len;) {
		uint32_t c;

		at += utf8_decode(&c, text + at, len - at);
		borders += grapheme_step(&grapheme, c);
	}
	return borders;
}

static void test_grapheme_clusters_count_as_one(void **state)
{
	static const char *const one[] = {
		"e\xcc\x81", /* combining accent */
		"\xf0\x9f\x87\xa9\xf0\x9f\x87\xaa", /* flag */
		"\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x92\xbb", /* joined emoji */
		"\xf0\x9f\x91\x8d\xf0\x9f\x8f\xbd", /* skin tone */
		"\xe2\x9d\xa4\xef\xb8\x8f", /* variation */
		"\xe1\x84\x92\xe1\x85\xa1\xe1\x86\xab", /* Hangul letters */
		"\r\n",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(one); ++i)
		assert_int_equal(test_grapheme_count(one[i]), 1);
}

static void test_grapheme_neighbours_are_not_joined(void **state)
{
	(void)state;
	assert_int_equal(test_grapheme_count("abc"), 3);
	assert_int_equal(test_grapheme_count("\n\r"), 2);
	assert_int_equal(test_grapheme_count("\xed\x95\x9c\xea\xb8\x80"),
			 2); /* two Hangul syllables */
	assert_int_equal(test_grapheme_count("\xf0\x9f\x87\xa9\xf0\x9f\x87\xaa"
					     "\xf0\x9f\x87\xab\xf0\x9f\x87\xb7"),
			 2); /* two flags */
	assert_int_equal(test_grapheme_count("\xf0\x9f\x98\x80\xf0\x9f\x98\x80"), 2);
}

static void test_grapheme_half_a_character_is_open(void **state)
{
	struct grapheme grapheme = {0};

	(void)state;
	grapheme_step(&grapheme, 'a');
	assert_false(grapheme_is_open(&grapheme));
	grapheme_step(&grapheme, 0x1f1e9);
	assert_true(grapheme_is_open(&grapheme));
	grapheme_step(&grapheme, 0x1f1ea);
	assert_false(grapheme_is_open(&grapheme));
	grapheme_step(&grapheme, 0x200d);
	assert_true(grapheme_is_open(&grapheme));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_grapheme_clusters_count_as_one),
		cmocka_unit_test(test_grapheme_neighbours_are_not_joined),
		cmocka_unit_test(test_grapheme_half_a_character_is_open),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
