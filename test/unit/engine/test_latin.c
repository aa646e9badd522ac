/* Text for engines that read ASCII: every letter keeps its place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "engine/latin.h"

static void test_latin_assert(const char *text, const char *want)
{
	struct latin *latin = NULL;

	assert_int_equal(latin_alloc(&latin, text, strlen(text)), 0);
	assert_string_equal(latin->text, want);
	assert_int_equal(latin->len, strlen(want));
	for (size_t i = 0; i < latin->len; ++i)
		assert_true(latin->origin[i] <= latin->origin[i + 1]);
	assert_int_equal(latin->origin[latin->len], strlen(text));
	mem_deref(latin);
}

static void test_latin_marked_letters_become_plain_ones(void **state)
{
	(void)state;
	test_latin_assert("plain", "plain");
	test_latin_assert("naïve café Ångström Łódź Žižek", "naive cafe Angstrom Lodz Zizek");
	test_latin_assert("Straße œuvre Ærø þing", "Strasse oeuvre Aero thing");
	test_latin_assert("e\xcc\x81tude soft\xc2\xadhyphen", "etude softhyphen");
}

static void test_latin_typographic_signs_become_typewriter_ones(void **state)
{
	(void)state;
	test_latin_assert("“It’s” – well… yes—no", "\"It's\" - well. yes,no");
	test_latin_assert("a\xc2\xa0z", "a z");
}

static void test_latin_other_scripts_become_blanks(void **state)
{
	(void)state;
	test_latin_assert("hi 你好 😀 там", "hi         ");
}

static void test_latin_bytes_know_where_they_came_from(void **state)
{
	static const char text[] = "ä ß x";
	struct latin *latin = NULL;

	(void)state;
	assert_int_equal(latin_alloc(&latin, text, strlen(text)), 0);
	assert_string_equal(latin->text, "a ss x");
	assert_int_equal(latin->origin[0], 0);
	assert_int_equal(latin->origin[1], 2);
	assert_int_equal(latin->origin[2], 3);
	assert_int_equal(latin->origin[3], 3);
	assert_int_equal(latin->origin[4], 5);
	assert_int_equal(latin->origin[5], 6);
	mem_deref(latin);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_latin_marked_letters_become_plain_ones),
		cmocka_unit_test(test_latin_typographic_signs_become_typewriter_ones),
		cmocka_unit_test(test_latin_other_scripts_become_blanks),
		cmocka_unit_test(test_latin_bytes_know_where_they_came_from),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
