/* Unicode: kinds of characters do not depend on the locale. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/count.h"
#include "text/punctuation.h"
#include "text/unicode.h"

static void test_unicode_kinds_of_many_scripts(void **state)
{
	static const struct {
		uint32_t c;
		enum unicode_kind kind;
	} rows[] = {
		{'A', UNICODE_UPPER},       {'z', UNICODE_LOWER},      {'7', UNICODE_DIGIT},
		{' ', UNICODE_BLANK},       {'\n', UNICODE_NEWLINE},   {'%', UNICODE_SIGN},
		{'<', UNICODE_OTHER},       {0x00c4, UNICODE_UPPER},   {0x00df, UNICODE_LOWER},
		{0x0141, UNICODE_UPPER},    {0x0142, UNICODE_LOWER},   {0x0178, UNICODE_UPPER},
		{0x0394, UNICODE_UPPER},    {0x03b4, UNICODE_LOWER},   {0x0416, UNICODE_UPPER},
		{0x0436, UNICODE_LOWER},    {0x0531, UNICODE_UPPER},   {0x10d0, UNICODE_LETTER},
		{0x05d0, UNICODE_LETTER},   {0x0645, UNICODE_LETTER},  {0x0939, UNICODE_LETTER},
		{0x0966, UNICODE_DIGIT},    {0x4e2d, UNICODE_LETTER},  {0xac00, UNICODE_LETTER},
		{0x0301, UNICODE_MARK},     {0x20ac, UNICODE_SIGN},    {0x00bd, UNICODE_NUMBER},
		{0x1f389, UNICODE_PICTURE}, {0x200d, UNICODE_FORMAT},  {0x3000, UNICODE_BLANK},
		{0x00a0, UNICODE_BLANK},    {0x2029, UNICODE_NEWLINE}, {0x10ffff, UNICODE_OTHER},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); ++i)
		assert_int_equal(unicode_kind(rows[i].c), rows[i].kind);
}

static void test_unicode_ranges_are_sorted_and_apart(void **state)
{
	(void)state;
	for (size_t i = 0; i < unicode_ranges_len; ++i) {
		assert_true(unicode_ranges[i].first <= unicode_ranges[i].last);
		assert_true(i == 0 || unicode_ranges[i - 1].last < unicode_ranges[i].first);
	}
}

static void test_unicode_lower_case_is_a_lower_case_letter(void **state)
{
	static const uint32_t pairs[][2] = {
		{'Q', 'q'},       {0x00c4, 0x00e4}, {0x0141, 0x0142}, {0x0160, 0x0161},
		{0x0394, 0x03b4}, {0x0416, 0x0436}, {0x0401, 0x0451}, {0x0130, 'i'},
		{'q', 'q'},       {0x4e2d, 0x4e2d}, {0x00d7, 0x00d7},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(pairs); ++i)
		assert_int_equal(unicode_lower(pairs[i][0]), pairs[i][1]);
	for (uint32_t c = 0; c < 0x600; ++c) {
		if (unicode_lower(c) != c) {
			assert_int_equal(unicode_kind(c), UNICODE_UPPER);
			assert_int_equal(unicode_kind(unicode_lower(c)), UNICODE_LOWER);
		}
	}
}

static void test_unicode_stops_of_many_scripts(void **state)
{
	static const uint32_t full[] = {0x3002, 0xff01, 0xff1f, 0xff61, 0x0964, 0x0965, 0x061f,
					0x06d4, 0x0589, 0x1362, 0x1367, 0x17d4, 0x104b};

	(void)state;
	for (size_t i = 0; i < COUNT(full); ++i)
		assert_int_equal(punctuation_of(full[i]), PUNCTUATION_FULL);
	assert_int_equal(punctuation_of('.'), PUNCTUATION_DOT);
	assert_int_equal(punctuation_of('?'), PUNCTUATION_STRONG);
	assert_int_equal(punctuation_of(0x037e), PUNCTUATION_STRONG);
	assert_int_equal(punctuation_of(0x2026), PUNCTUATION_ELLIPSIS);
	assert_int_equal(punctuation_of(0x3001), PUNCTUATION_PAUSE);
	assert_int_equal(punctuation_of(0x300d), PUNCTUATION_CLOSE);
	assert_int_equal(punctuation_of(0x300c), PUNCTUATION_OPEN);
	assert_int_equal(punctuation_of('x'), PUNCTUATION_NONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_unicode_kinds_of_many_scripts),
		cmocka_unit_test(test_unicode_ranges_are_sorted_and_apart),
		cmocka_unit_test(test_unicode_lower_case_is_a_lower_case_letter),
		cmocka_unit_test(test_unicode_stops_of_many_scripts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
