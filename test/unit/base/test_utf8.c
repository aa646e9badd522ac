/* UTF-8: what RFC 3629 allows, in any split, and nothing else. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/count.h"
#include "base/utf8.h"

static bool is_valid(const char *bytes, size_t n)
{
	struct utf8_state state = {0};

	return utf8_check(&state, bytes, n) && utf8_is_complete(&state);
}

static void test_every_code_point_survives(void **state)
{
	(void)state;
	for (uint32_t c = 0; c <= 0x10ffff; ++c) {
		char bytes[4];
		uint32_t back;
		size_t n = utf8_encode(bytes, c);

		if (c >= 0xd800 && c <= 0xdfff)
			continue;
		assert_true(is_valid(bytes, n));
		assert_int_equal(utf8_decode(&back, bytes, n), n);
		assert_int_equal(back, c);
	}
}

static void test_invalid_sequences_are_refused(void **state)
{
	static const char *const bad[] = {
		"\x80",
		"\xbf",
		"\xc0\x80",
		"\xc1\xbf",
		"\xe0\x80\x80",
		"\xe0\x9f\xbf",
		"\xed\xa0\x80",
		"\xed\xbf\xbf",
		"\xf0\x80\x80\x80",
		"\xf0\x8f\xbf\xbf",
		"\xf4\x90\x80\x80",
		"\xf5\x80\x80\x80",
		"\xff",
		"\xfe",
		"\xc3(",
		"\xe2\x82(",
		"abcdefgh\xe2\x28\xa1",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(bad); ++i)
		assert_false(is_valid(bad[i], strlen(bad[i])));
}

static void test_splits_do_not_matter(void **state)
{
	static const char text[] =
		"gr\xc3\xbc\xc3\x9f \xe2\x82\xac 1000 \xf0\x9f\x98\x80 end of it";

	(void)state;
	for (size_t cut = 0; cut < sizeof(text); ++cut) {
		struct utf8_state s = {0};

		assert_true(utf8_check(&s, text, cut));
		assert_true(utf8_check(&s, text + cut, sizeof(text) - cut));
		assert_true(utf8_is_complete(&s));
	}
	assert_int_equal(utf8_count(text, sizeof(text) - 1), 23);
}

static void test_a_cut_spares_the_last_character(void **state)
{
	static const char text[] = "a\xc3\xa4\xe2\x82\xac"; /* one, two and three bytes */
	static const size_t expected[] = {0, 1, 1, 3, 3, 3, 6, 6};

	(void)state;
	for (size_t max = 0; max < sizeof(expected) / sizeof(expected[0]); ++max)
		assert_int_equal(utf8_cut(text, sizeof(text) - 1, max), expected[max]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_code_point_survives),
		cmocka_unit_test(test_invalid_sequences_are_refused),
		cmocka_unit_test(test_splits_do_not_matter),
		cmocka_unit_test(test_a_cut_spares_the_last_character),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
