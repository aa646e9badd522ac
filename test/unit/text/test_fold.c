/* Folding: a letter is the same in every case, and nothing else is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/count.h"
#include "text/fold.h"
#include "text/unicode.h"

static void test_fold_letters_of_many_scripts(void **state)
{
	static const uint32_t rows[][2] = {
		{'A', 'a'},       {'Z', 'z'},       {'z', 'z'},     {'@', '@'},
		{'[', '['},       {'1', '1'},       {0xc4, 0xe4},   {0xd7, 0xd7},
		{0x178, 0xff},    {0x1ea4, 0x1ea5}, {0x386, 0x3ac}, {0x3c2, 0x3c3},
		{0x3a3, 0x3c3},   {0x416, 0x436},   {0x490, 0x491}, {0x531, 0x561},
		{0x1e9e, 0xdf},   {0xdf, 0xdf},     {0x130, 'i'},   {'I', 'i'},
		{0x131, 0x131},   {0x212a, 'k'},    {0x212b, 0xe5}, {0x10400, 0x10428},
		{0x4e2d, 0x4e2d}, {0xac00, 0xac00}, {0x1c5, 0x1c6}, {0x10ffff, 0x10ffff},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); ++i)
		assert_int_equal(fold_letter(rows[i][0]), rows[i][1]);
}

static void test_folding_twice_changes_nothing_more(void **state)
{
	(void)state;
	for (uint32_t c = 0; c < 0x110000; ++c)
		assert_int_equal(fold_letter(fold_letter(c)), fold_letter(c));
}

/* Where words end must not depend on their case. */
static void test_fold_a_letter_stays_a_letter(void **state)
{
	(void)state;
	for (uint32_t c = 0; c < 0x110000; ++c) {
		if (fold_letter(c) == c || c == 0x345) /* a combining iota */
			continue;
		assert_true(unicode_is_letter(unicode_kind(c)) ==
			    unicode_is_letter(unicode_kind(fold_letter(c))));
	}
}

static void test_fold_it_agrees_with_lower_case(void **state)
{
	(void)state;
	for (uint32_t c = 0; c < 0x600; ++c) {
		if (unicode_lower(c) != c && c != 0x3a2) /* a gap in the capitals */
			assert_int_equal(fold_letter(c), unicode_lower(c));
	}
}

static void test_fold_rows_are_sorted_and_apart(void **state)
{
	(void)state;
	for (size_t i = 0; i < fold_rows_len; ++i) {
		assert_true(fold_rows[i].first <= fold_rows[i].last);
		assert_true(fold_rows[i].step == 1 || fold_rows[i].step == 2);
		assert_true(i == 0 || fold_rows[i - 1].last < fold_rows[i].first);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fold_letters_of_many_scripts),
		cmocka_unit_test(test_folding_twice_changes_nothing_more),
		cmocka_unit_test(test_fold_a_letter_stays_a_letter),
		cmocka_unit_test(test_fold_it_agrees_with_lower_case),
		cmocka_unit_test(test_fold_rows_are_sorted_and_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
