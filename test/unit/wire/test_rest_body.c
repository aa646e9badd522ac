/* A body is read by the table of its keys, and a refusal says why. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/count.h"
#include "wire/rest_body.h"

struct thing {
	struct rest_body body;
	const char *name;
	const char *note;
	bool on;
};

static const struct rest_field fields[] = {
	{"name", REST_FIELD_TEXT, 1, offsetof(struct thing, name), 1, 4, false, true},
	{"note", REST_FIELD_TEXT, 2, offsetof(struct thing, note), 0, 3, true, false},
	{"on", REST_FIELD_BOOL, 4, offsetof(struct thing, on), 0, 0, false, false},
};

static char *bytes; /* of the body under test */
static struct thing thing;
static struct stream_fault fault;

static int parse(const char *json, bool is_new)
{
	size_t len = strlen(json);

	free(bytes);
	bytes = malloc(len ? len : 1); /* exactly as long, for the sanitizer */
	assert_non_null(bytes);
	memcpy(bytes, json, len);
	memset(&fault, 0, sizeof(fault));
	thing = (struct thing){.note = "as it was"};
	return rest_body_parse(&thing.body, &fault, bytes, len, fields, COUNT(fields), is_new);
}

static void test_fields_are_taken_with_what_was_given(void **state)
{
	(void)state;
	assert_int_equal(
		parse(" {\"name\":\"\\u00e4\\ud83d\\ude00é\",\"note\":null,\"on\":true} ", true),
		0);
	assert_int_equal(thing.body.fields, 7);
	assert_string_equal(thing.name, "ä😀é"); /* three characters, not eight bytes */
	assert_null(thing.note);
	assert_true(thing.on);
	assert_int_equal(parse("{\"name\":\"a\"}", true), 0);
	assert_int_equal(thing.body.fields, 1);
	assert_string_equal(thing.note, "as it was");
}

static void test_a_change_needs_nothing(void **state)
{
	(void)state;
	assert_int_equal(parse("{}", false), 0);
	assert_int_equal(thing.body.fields, 0);
	assert_int_equal(parse("{\"note\":\"\"}", false), 0);
	assert_int_equal(thing.body.fields, 2);
	assert_string_equal(thing.note, "");
}

static void test_null_is_as_absent_where_it_is_no_value(void **state)
{
	(void)state;
	assert_int_equal(parse("{\"name\":null,\"on\":null}", false), 0);
	assert_int_equal(thing.body.fields, 0);
	assert_int_equal(parse("{\"name\":\"a\",\"name\":null}", false), 0);
	assert_int_equal(thing.body.fields, 0);
}

static const struct {
	const char *json, *detail;
} bad[] = {
	{"", "malformed JSON at byte 0: expected a value"},
	{"{\"name\":\"a\"", "malformed JSON at byte 11: unexpected end"},
	{"{\"name\":\"a\"} x", "malformed JSON at byte 13: more after the end"},
	{"[]", "it must be a JSON object (got a list)"},
	{"\"name\"", "it must be a JSON object (got \"name\")"},
	{"{}", "name is required"},
	{"{\"name\":null}", "name is required"},
	{"{\"name\":\"\"}", "name must have 1 to 4 characters (got 0)"},
	{"{\"name\":\"äöüßé\"}", "name must have 1 to 4 characters (got 5)"},
	{"{\"name\":7}", "name must be a string (got 7)"},
	{"{\"name\":[\"a\"]}", "name must be a string (got a list)"},
	{"{\"name\":\"a\",\"note\":false}", "note must be a string or null (got false)"},
	{"{\"name\":\"a\",\"on\":\"yes\"}", "on must be true or false (got \"yes\")"},
	{"{\"name\":\"a\",\"Name\":\"b\"}", "a key must be a known one (got \"Name\")"},
	{"{\"name\":\"a\",\"id\":{\"x\":1}}", "a key must be a known one (got \"id\")"},
};

static void test_a_refusal_says_what_is_wrong(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(bad); ++i) {
		if (parse(bad[i].json, true) != EINVAL)
			fail_msg("taken: %s", bad[i].json);
		assert_string_equal(fault.detail, bad[i].detail);
		assert_int_equal(fault.id, WIRE_ERROR_INVALID_REQUEST);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fields_are_taken_with_what_was_given),
		cmocka_unit_test(test_a_change_needs_nothing),
		cmocka_unit_test(test_null_is_as_absent_where_it_is_no_value),
		cmocka_unit_test(test_a_refusal_says_what_is_wrong),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	free(bytes);
	return failed;
}
