/*
 * The environment file of a service is read as systemd reads it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "cli/environment_file.h"

static char found[1024];

static void note(const char *name, const char *value, void *arg)
{
	size_t len = strlen(found);

	(void)arg;
	snprintf(found + len, sizeof(found) - len, "%s=<%s>", name, value);
}

static void expect(const char *text, const char *variables)
{
	char copy[1024];

	snprintf(copy, sizeof(copy), "%s", text);
	found[0] = '\0';
	environment_file_parse(copy, note, NULL);
	assert_string_equal(found, variables);
}

static void a_line_is_a_variable(void **state)
{
	(void)state;
	expect("", "");
	expect("A=1", "A=<1>");
	expect("A=1\nB_2=two words\n", "A=<1>B_2=<two words>");
	expect(" A = 1 \t\r\nB=\n", "A=<1>B=<>");
	expect("URL=postgresql://u:p@h/d?x=y\n", "URL=<postgresql://u:p@h/d?x=y>");
	expect("A=1 # no comment\n", "A=<1 # no comment>");
}

static void comments_and_other_lines_are_skipped(void **state)
{
	(void)state;
	expect("# A=1\n ; B=2\n\n\nC=3\n", "C=<3>");
	expect("export\nA=1\n", "A=<1>");
	expect("export B=2\n2C=3\n=4\nD-E=5\nF=6", "F=<6>");
}

static void quotes_and_backslashes_keep_what_they_protect(void **state)
{
	(void)state;
	expect("A=\" b \"\nB=' c '\n", "A=< b >B=< c >");
	expect("A=\"b\" 'c'\n", "A=<bc>");
	expect("A=\"b\"c d\n", "A=<bc d>");
	expect("A=\"\\\"\\\\\\$\\n\"\n", "A=<\"\\$\\n>");
	expect("A='\\n'\n", "A=<\\n>");
	expect("A=b\\\nc\nD=\\ e\\ \n", "A=<bc>D=< e >");
	expect("A=\"b\nc\"\nD=1\n", "A=<b\nc>D=<1>");
	expect("A=\"b\\\nc\"\n", "A=<bc>");
	expect("A=it's\n", "A=<it's>");
	expect("A=\"b\nc", "A=<b\nc>");
	expect("A=b\\", "A=<b\\>");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_line_is_a_variable),
		cmocka_unit_test(comments_and_other_lines_are_skipped),
		cmocka_unit_test(quotes_and_backslashes_keep_what_they_protect),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
