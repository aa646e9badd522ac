/* Pairs of a name and a voice are read one by one, and mistakes in them are reported. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "server/voice_pairs.h"

static void test_pairs_are_read_in_order(void **state)
{
	const char *at = "a:1071,b:ross c";
	struct voice_pair pair;

	(void)state;
	assert_true(voice_pairs_next(&pair, &at));
	assert_int_equal(pair.id_len, 1);
	assert_int_equal(pair.voice_len, 4);
	assert_memory_equal(pair.voice, "1071", 4);
	assert_true(voice_pairs_next(&pair, &at));
	assert_memory_equal(pair.id, "b", 1);
	assert_memory_equal(pair.voice, "ross", pair.voice_len);
	assert_true(voice_pairs_next(&pair, &at));
	assert_memory_equal(pair.id, "c", 1);
	assert_int_equal(pair.voice_len, 0);
	assert_false(voice_pairs_next(&pair, &at));
}

static void test_a_malformed_map_is_refused(void **state)
{
	static const char *const bad[] = {"x", "x:", ":1071", "a:1, b", "a:1:2"};

	(void)state;
	assert_null(voice_pairs_check(""));
	assert_null(voice_pairs_check("a:1071,b:ross c:2001 ,"));
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); ++i)
		assert_non_null(strstr(voice_pairs_check(bad[i]), "ID:VOICE"));
	assert_string_equal(voice_pairs_check("a:1,b:2,a:3"), "has an id twice");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pairs_are_read_in_order),
		cmocka_unit_test(test_a_malformed_map_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
