/* Languages: the lists are well formed and are found by their codes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/count.h"
#include "text/language.h"

static const char *const codes[] = {"en", "de", "fr", "es", "it", "nl", "pl", "pt", "cs",
				    "da", "el", "fi", "hi", "hu", "no", "ru", "sv", "tr"};

/* A word next to a quote without its blank would never be found. */
static void test_language_check_list(const char *list)
{
	size_t len;

	if (!list)
		return;
	len = strlen(list);
	assert_true(len > 2);
	assert_int_equal(list[0], ' ');
	assert_int_equal(list[len - 1], ' ');
	assert_null(strstr(list, "  "));
	assert_null(strstr(list, ". "));
}

static void test_language_every_list_has_its_blanks(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(codes); ++i) {
		const struct language *language = language_find(codes[i]);

		assert_string_equal(language->code, codes[i]);
		test_language_check_list(language->never);
		test_language_check_list(language->starter);
		test_language_check_list(language->capital);
		test_language_check_list(language->word);
		test_language_check_list(language->starters);
	}
}

static void test_language_codes_have_their_stand_ins(void **state)
{
	(void)state;
	assert_string_equal(language_find("")->code, "en");
	assert_string_equal(language_find("nb")->code, "no");
	assert_string_equal(language_find("xx")->code, "");
	assert_int_equal(language_hold(language_find("xx"), "dr", true), HOLD_NONE);
}

static void test_language_a_capital_entry_needs_its_capital(void **state)
{
	const struct language *en = language_find("en");

	(void)state;
	assert_int_equal(language_hold(en, "gen", true), HOLD_NEVER);
	assert_int_equal(language_hold(en, "gen", false), HOLD_NONE);
	assert_int_equal(language_hold(en, "etc", false), HOLD_CAPITAL);
	assert_int_equal(language_hold(en, "no", true), HOLD_WORD);
	assert_int_equal(language_hold(language_find("de"), "usw", false), HOLD_STARTER);
	assert_true(language_starts(en, "then"));
	assert_false(language_starts(en, "army"));
	assert_false(language_starts(en, ""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_language_every_list_has_its_blanks),
		cmocka_unit_test(test_language_codes_have_their_stand_ins),
		cmocka_unit_test(test_language_a_capital_entry_needs_its_capital),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
