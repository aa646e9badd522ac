/* Variables of a call, and texts in which they are inserted. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/count.h"
#include "call/call_settings.h"
#include "call/call_variables.h"

static struct call_variables variables;

static int set(const char *name, const char *value)
{
	return call_variables_set(&variables, name, strlen(name), value, strlen(value));
}

static const char *get(const char *name)
{
	return call_variables_get(&variables, name, strlen(name));
}

static int reset(void **state)
{
	(void)state;
	variables.len = 0;
	memset(variables.bytes, 'x', sizeof(variables.bytes)); /* needs no initialization */
	assert_int_equal(set("name", "Ada"), 0);
	assert_int_equal(set("n", "7"), 0);
	return 0;
}

static void test_a_value_can_be_replaced(void **state)
{
	(void)state;
	assert_string_equal(get("name"), "Ada");
	assert_int_equal(set("name", "Augusta Ada"), 0);
	assert_string_equal(get("name"), "Augusta Ada");
	assert_string_equal(get("n"), "7");
	assert_int_equal(set("name", ""), 0);
	assert_string_equal(get("name"), "");
	assert_string_equal(get("n"), "7");
	assert_null(get("nam"));
	assert_null(get("Ada"));
	assert_null(get(""));
}

static void test_a_name_is_a_short_word(void **state)
{
	static const char too_long[] = "0123456789012345678901234567890123456789"
				       "0123456789012345678901234";
	static const char *const wrong[] = {"", "a b", "a}", "{a", "a\n", too_long};

	(void)state;
	for (size_t i = 0; i < COUNT(wrong); ++i)
		assert_int_equal(set(wrong[i], "x"), EINVAL);
	assert_int_equal(call_variables_set(&variables, "a", 1, "x\0y", 3), EINVAL);
	assert_int_equal(set("system__caller-id.é", "x"), 0);
}

static void test_what_does_not_fit_changes_nothing(void **state)
{
	static char value[CALL_VARIABLES_SIZE];
	size_t room = CALL_VARIABLES_SIZE - variables.len;

	(void)state;
	memset(value, 'v', sizeof(value));
	assert_int_equal(call_variables_set(&variables, "a", 1, value, room - 2), ENOBUFS);
	assert_int_equal(call_variables_set(&variables, "name", 4, value, room + 4), ENOBUFS);
	assert_string_equal(get("name"), "Ada");
	assert_int_equal(call_variables_set(&variables, "name", 4, value, room + 3), 0);
	assert_int_equal(variables.len, CALL_VARIABLES_SIZE);
	assert_string_equal(get("n"), "7");
	assert_int_equal(strlen(get("name")), room + 3);
}

static const char *inserted(enum call_variables_place place, const char *text)
{
	static char result[256];
	struct call_variables_name missing;
	struct buf out;

	buf_init(&out, sizeof(result) - 1);
	assert_int_equal(
		call_variables_insert(&out, &variables, place, &missing, text, strlen(text)), 0);
	if (out.len > 0)
		memcpy(result, out.bytes, out.len);
	result[out.len] = '\0';
	buf_reset(&out);
	return result;
}

static void test_values_are_inserted(void **state)
{
	static const char *const texts[][2] = {
		{"", ""},
		{"Hello.", "Hello."},
		{"{{name}}", "Ada"},
		{"{{ name }}{{n}}!", "Ada7!"},
		{"{name} {{{name}}}", "{name} {Ada}"},
		{"{{name", "{{name"},
		{"{{}} {{ }} {{a b}} }}", "{{}} {{ }} {{a b}} }}"},
		{"{{a {{n}}", "{{a 7"},
		{"{", "{"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(texts); ++i)
		assert_string_equal(inserted(CALL_VARIABLES_IN_TEXT, texts[i][0]), texts[i][1]);
}

static void test_values_are_not_searched_again(void **state)
{
	(void)state;
	assert_int_equal(set("name", "{{n}}"), 0);
	assert_string_equal(inserted(CALL_VARIABLES_IN_TEXT, "{{name}}"), "{{n}}");
}

static void test_a_value_cannot_add_a_header(void **state)
{
	(void)state;
	assert_int_equal(set("name", "Ada\r\nX-Admin: yes\x7f"), 0);
	assert_string_equal(inserted(CALL_VARIABLES_IN_HEADER, "X-Name: {{name}}\r\n"),
			    "X-Name: Ada  X-Admin: yes \r\n");
	assert_string_equal(inserted(CALL_VARIABLES_IN_TEXT, "{{name}}"),
			    "Ada\r\nX-Admin: yes\x7f");
}

static void test_a_missing_variable_is_named(void **state)
{
	static const char text[] = "{{name}} {{ city }}";
	struct call_variables_name missing;
	struct buf out;

	(void)state;
	buf_init(&out, 64);
	assert_int_equal(buf_append_str(&out, "before"), 0);
	assert_int_equal(call_variables_insert(&out, &variables, CALL_VARIABLES_IN_TEXT, &missing,
					       text, strlen(text)),
			 ENOENT);
	assert_int_equal(out.len, 6);
	assert_int_equal(missing.len, 4);
	assert_memory_equal(missing.text, "city", 4);
	buf_reset(&out);
}

static void test_a_first_message_is_set_with_its_variables(void **state)
{
	static struct call_settings settings;
	struct stream_fault fault = {0};

	(void)state;
	settings = call_settings_default;
	strcpy(settings.first_message, "Hello {{name}}.");
	assert_int_equal(
		call_variables_apply(&settings, &fault, &variables, settings.first_message), 0);
	assert_string_equal(settings.first_message, "Hello Ada.");
	assert_string_equal(call_variables_get(&settings.variables, "n", 1), "7");
	/* Also with the settings' own variables. */
	assert_int_equal(call_variables_apply(&settings, &fault, &settings.variables, "{{n}}"), 0);
	assert_string_equal(settings.first_message, "7");
	assert_int_equal(call_variables_apply(&settings, &fault, &variables, "{{x}}"), EINVAL);
	assert_string_equal(settings.first_message, "7");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_a_value_can_be_replaced, reset),
		cmocka_unit_test_setup(test_a_name_is_a_short_word, reset),
		cmocka_unit_test_setup(test_what_does_not_fit_changes_nothing, reset),
		cmocka_unit_test_setup(test_values_are_inserted, reset),
		cmocka_unit_test_setup(test_values_are_not_searched_again, reset),
		cmocka_unit_test_setup(test_a_value_cannot_add_a_header, reset),
		cmocka_unit_test_setup(test_a_missing_variable_is_named, reset),
		cmocka_unit_test_setup(test_a_first_message_is_set_with_its_variables, reset),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
