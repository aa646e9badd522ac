/* A voice introduces itself in its own language, and in English if there is no text in it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/utf8.h"
#include "server/sample_text.h"

static void test_languages_have_texts_of_their_own(void **state)
{
	static const char *const codes[] = {"en", "de", "fr", "es", "pl", "uk", "ar", "zh", "yue"};

	(void)state;
	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); ++i) {
		const char *text = sample_text_of(codes[i]);
		struct utf8_state utf8 = {0};

		assert_true(text[0]);
		assert_true(utf8_check(&utf8, text, strlen(text)));
		for (size_t j = 0; j < i; ++j)
			assert_string_not_equal(text, sample_text_of(codes[j]));
	}
	assert_non_null(strstr(sample_text_of("de"), "meine Stimme"));
}

static void test_other_languages_are_introduced_in_english(void **state)
{
	(void)state;
	assert_string_equal(sample_text_of("tlh"), sample_text_of("en"));
	assert_string_equal(sample_text_of(""), sample_text_of("en"));
	assert_non_null(strstr(sample_text_of("en"), "this is my voice"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_languages_have_texts_of_their_own),
		cmocka_unit_test(test_other_languages_are_introduced_in_english),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
