/* Scopes are read as they are printed. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "account/scopes.h"
#include "base/count.h"

static void test_every_set_is_read_as_it_is_printed(void **state)
{
	const unsigned all = STORE_SCOPES_USUAL | STORE_SCOPE_ADMIN;
	char text[SCOPES_TEXT_SIZE];

	(void)state;
	for (unsigned scopes = 1; scopes <= all; ++scopes) {
		unsigned read = 0;

		scopes_print(text, scopes);
		assert_int_equal(scopes_parse(&read, text, NULL), 0);
		assert_int_equal(read, scopes);
	}
	assert_string_equal(text, "speak,read,dictionaries,voices,admin");
	scopes_print(text, 0);
	assert_string_equal(text, "none");
}

static void test_an_invalid_list_of_scopes_is_refused_with_the_position(void **state)
{
	static const struct {
		const char *list;
		size_t bad;
	} cases[] = {{"", 0},      {",", 0},      {"speak,", 6},    {"speak,,read", 6},
		     {"Speak", 0}, {"speak ", 0}, {"speakread", 0}, {"read,admins", 5}};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); ++i) {
		unsigned scopes = 77;
		const char *bad = NULL;

		assert_int_equal(scopes_parse(&scopes, cases[i].list, &bad), EINVAL);
		assert_ptr_equal(bad, cases[i].list + cases[i].bad);
		assert_int_equal(scopes, 77);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_set_is_read_as_it_is_printed),
		cmocka_unit_test(test_an_invalid_list_of_scopes_is_refused_with_the_position),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
