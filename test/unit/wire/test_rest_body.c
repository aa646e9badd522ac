/* A request body is read by the table of its keys, and a refusal says why. */
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
	int64_t size;
	int64_t depth;
	struct rest_words words;
};

static const struct rest_field inner[] = {
	{.name = "depth",
	 .kind = REST_FIELD_INTEGER,
	 .bit = 16,
	 .offset = offsetof(struct thing, depth),
	 .max = INT64_MAX},
};

static const struct rest_form inner_form = {REST_FORM(inner)};

static const struct rest_field fields[] = {
	{.name = "name",
	 .kind = REST_FIELD_TEXT,
	 .bit = 1,
	 .offset = offsetof(struct thing, name),
	 .min = 1,
	 .max = 4,
	 .is_required = true},
	{.name = "note",
	 .kind = REST_FIELD_TEXT,
	 .bit = 2,
	 .offset = offsetof(struct thing, note),
	 .max = 3,
	 .is_nullable = true},
	{.name = "on", .kind = REST_FIELD_BOOL, .bit = 4, .offset = offsetof(struct thing, on)},
	{.name = "size",
	 .kind = REST_FIELD_INTEGER,
	 .bit = 8,
	 .offset = offsetof(struct thing, size),
	 .min = -5,
	 .max = 5,
	 .is_nullable = true,
	 .none = -9},
	{.name = "more", .kind = REST_FIELD_OBJECT, .bit = 32, .inner = &inner_form},
	{.name = "words",
	 .kind = REST_FIELD_WORDS,
	 .bit = 64,
	 .offset = offsetof(struct thing, words)},
};

static const struct rest_form form = {REST_FORM(fields)};

static char *bytes; /* the body under test */
static struct thing thing;
static struct stream_fault fault;

static int parse(const char *json, bool is_new)
{
	size_t len = strlen(json);

	free(bytes);
	bytes = malloc(len ? len : 1); /* exact, so that sanitizers find overruns */
	assert_non_null(bytes);
	memcpy(bytes, json, len);
	memset(&fault, 0, sizeof(fault));
	thing = (struct thing){.note = "as it was"};
	return rest_body_parse(&thing.body, &fault, bytes, len, &form, is_new);
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

static void test_numbers_lists_and_objects_are_taken(void **state)
{
	(void)state;
	assert_int_equal(parse("{\"size\":-5,\"more\":{\"depth\":9223372036854775807},"
			       "\"words\":[\"one\",\"two_more\"]}",
			       false),
			 0);
	assert_int_equal(thing.body.fields, 8 | 16 | 32 | 64);
	assert_int_equal(thing.size, -5);
	assert_true(thing.depth == INT64_MAX);
	assert_string_equal(thing.words.text, "one,two_more");
	assert_int_equal(parse("{\"size\":null,\"more\":{\"depth\":null},\"words\":[]}", false), 0);
	assert_int_equal(thing.body.fields, 8 | 32 | 64);
	assert_int_equal(thing.size, -9);
	assert_string_equal(thing.words.text, "");
	assert_int_equal(parse("{\"more\":null,\"words\":null}", false), 0);
	assert_int_equal(thing.body.fields, 0);
}

/* As many names as fit are accepted, and not one more. */
static void test_a_list_of_names_has_an_end(void **state)
{
#define FOUR "\"elevenchars\",\"elevenchars\",\"elevenchars\",\"elevenchars\""
	(void)state;
	assert_int_equal(parse("{\"words\":[" FOUR "," FOUR "]}", false), 0);
	assert_int_equal(strlen(thing.words.text), REST_WORDS_SIZE - 1);
	assert_int_equal(parse("{\"words\":[" FOUR "," FOUR ",\"a\"]}", false), EINVAL);
	assert_string_equal(fault.detail, "words must be a short list of names (got \"a\")");
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
	{"{\"name\":\"a\",\"size\":6}",
	 "size must be a whole number from -5 to 5, or null (got 6)"},
	{"{\"name\":\"a\",\"size\":1.5}",
	 "size must be a whole number from -5 to 5, or null (got 1.5)"},
	{"{\"name\":\"a\",\"size\":\"1\"}",
	 "size must be a whole number from -5 to 5, or null (got \"1\")"},
	{"{\"name\":\"a\",\"more\":7}", "more must be an object (got 7)"},
	{"{\"name\":\"a\",\"more\":{\"width\":7}}",
	 "more: a key must be a known one (got \"width\")"},
	{"{\"name\":\"a\",\"more\":{\"depth\":-1}}",
	 "more: depth must be a whole number from 0 to 9223372036854775807 (got -1)"},
	{"{\"name\":\"a\",\"more\":{\"depth\":1", "malformed JSON at byte 29: unexpected end"},
	{"{\"name\":\"a\",\"words\":\"x\"}", "words must be a list of names (got \"x\")"},
	{"{\"name\":\"a\",\"words\":[\"x\",7]}", "words must be a short list of names (got 7)"},
	{"{\"name\":\"a\",\"words\":[\"x,y\"]}",
	 "words must be a short list of names (got \"x,y\")"},
	{"{\"name\":\"a\",\"words\":[\"\"]}", "words must be a short list of names (got \"\")"},
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
		cmocka_unit_test(test_numbers_lists_and_objects_are_taken),
		cmocka_unit_test(test_a_list_of_names_has_an_end),
		cmocka_unit_test(test_a_refusal_says_what_is_wrong),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	free(bytes);
	return failed;
}
