/* Composition: a letter is the same letter, however its marks were typed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/count.h"
#include "base/utf8.h"
#include "text/compose.h"

static void test_compose_letters_of_many_scripts_take_their_marks(void **state)
{
	static const uint32_t rows[][3] = {
		{'e', 0x301, 0xe9},         {'A', 0x30a, 0xc5},       {'s', 0x327, 0x15f},
		{'z', 0x307, 0x17c},        {'n', 0x303, 0xf1},       {0x3b1, 0x301, 0x3ac},
		{0x3b9, 0x308, 0x3ca},      {0x3ca, 0x301, 0x390},    {0x438, 0x306, 0x439},
		{0x418, 0x306, 0x419},      {0x456, 0x308, 0x457},    {0x627, 0x653, 0x622},
		{0x304b, 0x3099, 0x304c},   {0x1eb9, 0x302, 0x1ec7},  {'I', 0x307, 0x130},
		{0x1f00, 0x301, 0x1f04},    {0x9c7, 0x9be, 0x9cb},    {0x1100, 0x1161, 0xac00},
		{0xac00, 0x11a8, 0xac01},   {0x1112, 0x1175, 0xd788}, {0xd788, 0x11c2, 0xd7a3},
		{0x11099, 0x110ba, 0x1109a}};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); ++i)
		assert_int_equal(compose_pair(rows[i][0], rows[i][1]), rows[i][2]);
}

static void test_compose_a_mark_finds_its_place_among_others(void **state)
{
	(void)state;
	assert_int_equal(compose_pair(0xea, 0x323), 0x1ec7); /* ê, dot below */
	assert_int_equal(compose_pair(0xf3, 0x31b), 0x1edb); /* ó, horn */
	assert_int_equal(compose_pair(0x1e9, 0x327), 0); /* nothing has both */
}

static void test_compose_what_does_not_join_stays_apart(void **state)
{
	static const uint32_t rows[][2] = {
		{'e', 'e'},          {'q', 0x301},      {0, 0x301},       {'e', 0},
		{0x301, 0x301},      {0x4e2d, 0x301},   {0x1100, 0x1100}, {0xac00, 0x11a7},
		{0xac01, 0x11a8},    {0xac00, 0x11c3},  {0x1113, 0x1161}, {0x1100, 0x1176},
		{0xd7a4, 0x11a8},    {0x915, 0x93c}, /* excluded by the standard */
		{UINT32_MAX, 0x301}, {'e', UINT32_MAX},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); ++i)
		assert_int_equal(compose_pair(rows[i][0], rows[i][1]), 0);
}

static void test_compose_every_row_is_found(void **state)
{
	(void)state;
	for (size_t i = 0; i < compose_rows_len; ++i) {
		const struct compose_row *row = &compose_rows[i];
		const struct compose_row *before = i > 0 ? row - 1 : NULL;

		assert_true(!before || before->base < row->base ||
			    (before->base == row->base && before->mark < row->mark));
		assert_true(row->mark >= 0x300);
		assert_int_equal(compose_pair(row->base, row->mark), row->whole);
	}
}

static void test_compose_expect(const char *text, uint32_t wanted, size_t wanted_len)
{
	size_t len = strlen(text);
	char *copy = malloc(len); /* no byte more: the sanitizer watches */
	uint32_t c = 0;

	assert_non_null(copy);
	memcpy(copy, text, len);
	assert_int_equal(compose_decode(&c, copy, len), wanted_len);
	assert_int_equal(c, wanted);
	free(copy);
}

static void test_compose_decoding_takes_the_marks_that_join(void **state)
{
	(void)state;
	test_compose_expect("a", 'a', 1);
	test_compose_expect("ab", 'a', 1);
	test_compose_expect("e\xcc\x81", 0xe9, 3);
	test_compose_expect("e\xcc\x81t", 0xe9, 3);
	test_compose_expect("\xc3\xa9", 0xe9, 2);
	test_compose_expect("e\xcc\xa3\xcc\x82", 0x1ec7, 5);
	test_compose_expect("e\xcc\x82\xcc\xa3", 0x1ec7, 5);
	test_compose_expect("q\xcc\x81", 'q', 1);
	test_compose_expect("e\xcc\x81\xcc\x81", 0xe9, 3);
	test_compose_expect("\xe1\x84\x92\xe1\x85\xa1\xe1\x86\xab", 0xd55c, 9); /* han */
	test_compose_expect("e\xcc", 'e', 1);
	test_compose_expect("\xff", 0xfffd, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_compose_letters_of_many_scripts_take_their_marks),
		cmocka_unit_test(test_compose_a_mark_finds_its_place_among_others),
		cmocka_unit_test(test_compose_what_does_not_join_stays_apart),
		cmocka_unit_test(test_compose_every_row_is_found),
		cmocka_unit_test(test_compose_decoding_takes_the_marks_that_join),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
