/* The scanner takes what RFC 8259 allows, exactly, and nothing else. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/count.h"
#include "base/json.h"

/* A copy in memory of exactly its length, so that a sanitizer sees one byte
 * too many read or written. */
static char *copy_of(const char *text, size_t len)
{
	char *copy = malloc(len ? len : 1);

	assert_non_null(copy);
	memcpy(copy, text, len);
	return copy;
}

/* Passes over a whole text: 0 or the error, with the fault's place. */
static int scan(const char *text, size_t len, size_t *fault_at)
{
	char *copy = copy_of(text, len);
	struct json json;
	struct json_value value;
	int err;

	json_open(&json, copy, len);
	if (json_value(&json, &value) == 0)
		json_skip(&json, &value);
	err = json_close(&json);
	assert_true((err == 0) == (json.reason == NULL));
	*fault_at = json.fault_at;
	free(copy);
	return err;
}

static void test_valid_texts_are_taken(void **state)
{
	static const char *const good[] = {
		"{}",
		"[]",
		" \t\r\n{ } \n",
		"null",
		"true",
		"false",
		"0",
		"-0",
		"-0.0e-0",
		"1E+5",
		"123456789012345678901234567890",
		"1e999",
		"\"\"",
		"\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\u20AC\"",
		"\"gr\xc3\xbc\xc3\x9f \xf0\x9f\x98\x80 \x7f\"",
		"\"\\ud83d\\ude00\"",
		"\"\\ud83d\"",
		"\"\\ude00x\"",
		"\"\\ud83d\\ud83d\\ude00\"",
		"\"\\u0000\"",
		"{\"a\":1,\"a\":2}",
		"{\"\":{\"\":[]}}",
		"[1,[2,[3,{\"a\":[4]}]],\"x\"]",
		"{\"a\" : [ 1 , 2 ] , \"b\" : null }",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(good); ++i) {
		size_t at;

		if (scan(good[i], strlen(good[i]), &at) != 0)
			fail_msg("refused at %zu: %s", at, good[i]);
	}
}

static const struct {
	const char *text;
	size_t at;
} invalid_texts[] = {
	{"", 0},
	{"   ", 3},
	{"{", 1},
	{"}", 0},
	{"[1,2", 4},
	{"[1,]", 3},
	{"[,1]", 1},
	{"[1 2]", 3},
	{"[1}", 2},
	{"{\"a\"}", 4},
	{"{\"a\":}", 5},
	{"{\"a\":1,}", 7},
	{"{\"a\":1 \"b\":2}", 7},
	{"{a:1}", 1},
	{"{'a':1}", 1},
	{"{\"a\":1]", 6},
	{"{1:2}", 1},
	{"nul", 0},
	{"nulll", 4},
	{"True", 0},
	{"NaN", 0},
	{"Infinity", 0},
	{"01", 1},
	{"-", 1},
	{"+1", 0},
	{".5", 0},
	{"1.", 2},
	{"1.e5", 2},
	{"1e", 2},
	{"1e+", 3},
	{"0x10", 1},
	{"--1", 1},
	{"\"", 0},
	{"\"abc", 0},
	{"\"a\\", 2},
	{"\"a\\\"", 0},
	{"\"\\x\"", 1},
	{"\"\\u12\"", 1},
	{"\"\\u12g4\"", 1},
	{"\"\\", 1},
	{"\"\\u", 1},
	{"\"a\nb\"", 2},
	{"\"\x01\"", 1},
	{"\"\x1f\"", 1},
	{"\"ab\xff\"", 3},
	{"\"\xc3\"", 1},
	{"\"\xed\xa0\x80\"", 1},
	{"\"\xc0\x80\"", 1},
	{"\"\xf4\x90\x80\x80\"", 1},
	{"{}x", 2},
	{"{} {}", 3},
	{"1 2", 2},
	{"// no\n1", 0},
	{"\xef\xbb\xbf{}", 0},
	{"[\xc3\xa9]", 1},
};

static void test_invalid_texts_are_refused_with_their_place(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(invalid_texts); ++i) {
		size_t at;

		if (scan(invalid_texts[i].text, strlen(invalid_texts[i].text), &at) != EINVAL)
			fail_msg("taken: %s", invalid_texts[i].text);
		if (at != invalid_texts[i].at)
			fail_msg("fault at %zu, expected %zu: %s", at, invalid_texts[i].at,
				 invalid_texts[i].text);
	}
}

static void test_every_cut_of_a_valid_text_is_refused(void **state)
{
	static const char text[] =
		"{\"a\":[1.5e3,true,null,\"\\ud83d\\ude00\xe2\x82\xac\"],\"b\":{\"c\":false}}";
	size_t at;

	(void)state;
	assert_int_equal(scan(text, sizeof(text) - 1, &at), 0);
	for (size_t len = 0; len < sizeof(text) - 1; ++len)
		assert_int_equal(scan(text, len, &at), EINVAL);
}

static void test_depth_is_limited(void **state)
{
	char text[2 * JSON_DEPTH_MAX + 2];
	size_t at;

	(void)state;
	memset(text, '[', JSON_DEPTH_MAX);
	memset(text + JSON_DEPTH_MAX, ']', JSON_DEPTH_MAX);
	assert_int_equal(scan(text, 2 * JSON_DEPTH_MAX, &at), 0);
	memset(text, '[', JSON_DEPTH_MAX + 1);
	memset(text + JSON_DEPTH_MAX + 1, ']', JSON_DEPTH_MAX + 1);
	assert_int_equal(scan(text, sizeof(text), &at), EINVAL);
	assert_int_equal(at, JSON_DEPTH_MAX);
}

static void test_strings_are_decoded(void **state)
{
	static const struct {
		const char *json, *text;
		uint16_t lead_low, tail_high;
	} cases[] = {
		{"\"plain text of some length\"", "plain text of some length", 0, 0},
		{"\"a\\nb\\tc\\\\d\\\"e\\/f\\b\\f\\r\"", "a\nb\tc\\d\"e/f\b\f\r", 0, 0},
		{"\"\\u0041\\u00e9\\u20ac and more\"", "A\xc3\xa9\xe2\x82\xac and more", 0, 0},
		{"\"\\uD83D\\uDE00!\"", "\xf0\x9f\x98\x80!", 0, 0},
		{"\"\\uDBFF\\uDFFF\"", "\xf4\x8f\xbf\xbf", 0, 0},
		{"\"hi \\ud83d\"", "hi \xef\xbf\xbd", 0, 0xd83d},
		{"\"\\ude00 hi\"", "\xef\xbf\xbd hi", 0xde00, 0},
		{"\"\\ude00\"", "\xef\xbf\xbd", 0xde00, 0},
		{"\"\\ude00\\ud83d\"", "\xef\xbf\xbd\xef\xbf\xbd", 0xde00, 0xd83d},
		{"\"a\\ude00\"", "a\xef\xbf\xbd", 0, 0},
		{"\"\\ud83d \"", "\xef\xbf\xbd ", 0, 0},
		{"\"\\ud83d\\ud83d\\ude00\"", "\xef\xbf\xbd\xf0\x9f\x98\x80", 0, 0},
		{"\"\\ud83d\\n\"", "\xef\xbf\xbd\n", 0, 0},
		{"\"a\\u0000b\"",
		 "a\xef\xbf\xbd"
		 "b",
		 0, 0},
		{"\"\\n\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e\"",
		 "\n\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e", 0, 0},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); ++i) {
		size_t len = strlen(cases[i].json);
		char *copy = copy_of(cases[i].json, len);
		struct json json;
		struct json_value value;

		json_open(&json, copy, len);
		assert_int_equal(json_value(&json, &value), 0);
		assert_int_equal(json_close(&json), 0);
		assert_int_equal(value.kind, JSON_KIND_STRING);
		assert_int_equal(value.len, strlen(cases[i].text));
		assert_memory_equal(value.text, cases[i].text, value.len);
		assert_int_equal(value.lead_low, cases[i].lead_low);
		assert_int_equal(value.tail_high, cases[i].tail_high);
		free(copy);
	}
}

static struct json_value number_of(char *text)
{
	struct json json;
	struct json_value value;

	json_open(&json, text, strlen(text));
	assert_int_equal(json_value(&json, &value), 0);
	assert_int_equal(value.kind, JSON_KIND_NUMBER);
	return value;
}

static void test_integers_are_exact(void **state)
{
	static const struct {
		const char *text;
		int err;
		int64_t integer;
	} cases[] = {
		{"0", 0, 0},
		{"-0", 0, 0},
		{"0e999999999999999999999", 0, 0},
		{"0.000", 0, 0},
		{"1071", 0, 1071},
		{"1071.0", 0, 1071},
		{"1071.000000000000000000000000000000", 0, 1071},
		{"107.1e1", 0, 1071},
		{"107100e-2", 0, 1071},
		{"1e3", 0, 1000},
		{"10", 0, 10},
		{"0.001e3", 0, 1},
		{"-12300E-2", 0, -123},
		{"9007199254740993", 0, INT64_C(9007199254740993)},
		{"9223372036854775807", 0, INT64_MAX},
		{"-9223372036854775808", 0, INT64_MIN},
		{"9223372036854775808", ERANGE, 0},
		{"-9223372036854775809", ERANGE, 0},
		{"18446744073709551616", ERANGE, 0},
		{"99999999999999999999999999", ERANGE, 0},
		{"1e19", ERANGE, 0},
		{"1e99999999999999999999", ERANGE, 0},
		{"1e-99999999999999999999", EINVAL, 0},
		{"1.5", EINVAL, 0},
		{"1071.0001", EINVAL, 0},
		{"1e-1", EINVAL, 0},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); ++i) {
		char text[64];
		struct json_value value;
		int64_t integer = 0;

		snprintf(text, sizeof(text), "%s", cases[i].text);
		value = number_of(text);
		if (json_to_integer(&integer, &value) != cases[i].err ||
		    integer != cases[i].integer)
			fail_msg("%s gave %lld", text, (long long)integer);
	}
}

static void assert_double(const char *number, double expected)
{
	char text[128];
	struct json_value value;
	double result = NAN;

	snprintf(text, sizeof(text), "%s", number);
	value = number_of(text);
	assert_int_equal(json_to_double(&result, &value), 0);
	assert_memory_equal(&result, &expected, sizeof(result)); /* to the last bit */
}

static void test_doubles_are_the_nearest(void **state)
{
	(void)state;
	assert_double("0", 0.0);
	assert_double("-0", -0.0);
	assert_double("0.8", 0.8);
	assert_double("1.2", 1.2);
	assert_double("2.5e-3", 2.5e-3);
	assert_double("123456789.125", 123456789.125);
	assert_double("9007199254740993", 9007199254740992.0);
	assert_double("1e22", 1e22);
	assert_double("1e23", 1e23);
	assert_double("4.9406564584124654e-324", 4.9406564584124654e-324);
	assert_double("1.7976931348623157e308", 1.7976931348623157e308);
	assert_double("2.2250738585072011e-308", 2.2250738585072011e-308);
	assert_double("0.1000000000000000055511151231257827021181583404541015625", 0.1);
	assert_double("1e-400", 0.0);
}

static void test_numbers_that_no_double_holds_are_out_of_range(void **state)
{
	char huge[] = "1e309";
	char negative[] = "-1e99999";
	char longest[] = "1.00000000000000000000000000000000000000000000000000000000000000000";
	struct json_value value;
	double result;

	(void)state;
	value = number_of(huge);
	assert_int_equal(json_to_double(&result, &value), ERANGE);
	value = number_of(negative);
	assert_int_equal(json_to_double(&result, &value), ERANGE);
	value = number_of(longest);
	assert_int_equal(json_to_double(&result, &value), ERANGE);
	value.kind = JSON_KIND_STRING;
	assert_int_equal(json_to_double(&result, &value), EINVAL);
}

static void test_members_come_in_order_and_unread_values_can_be_skipped(void **state)
{
	char text[] = "{\"a\":{\"x\":[1,{\"y\":2}]},\"b\":[3,4],\"b\":5,\"c\\u0064\":\"\"}";
	static const char *const keys[] = {"a", "b", "b", "cd"};
	struct json json;
	struct json_value key;
	struct json_value value;
	size_t count = 0;

	(void)state;
	json_open(&json, text, sizeof(text) - 1);
	assert_int_equal(json_value(&json, &value), 0);
	while (json_member(&json, &key)) {
		assert_true(count < COUNT(keys));
		assert_int_equal(key.len, strlen(keys[count]));
		assert_memory_equal(key.text, keys[count], key.len);
		assert_int_equal(json_value(&json, &value), 0);
		assert_int_equal(json_skip(&json, &value), 0);
		++count;
	}
	assert_int_equal(count, COUNT(keys));
	assert_int_equal(json_close(&json), 0);
}

static void test_after_a_fault_nothing_more_is_read(void **state)
{
	char text[] = "{\"a\":1,\"b\" 2,\"c\":3}";
	struct json json;
	struct json_value key;
	struct json_value value;

	(void)state;
	json_open(&json, text, sizeof(text) - 1);
	json_value(&json, &value);
	assert_true(json_member(&json, &key));
	json_value(&json, &value);
	assert_false(json_member(&json, &key));
	assert_false(json_member(&json, &key));
	assert_false(json_element(&json));
	assert_int_equal(json_value(&json, &value), EINVAL);
	assert_int_equal(json_close(&json), EINVAL);
	assert_int_equal(json.fault_at, 11);
	assert_string_equal(json.reason, "expected ':'");
}

static void test_values_are_compared_whole(void **state)
{
	char text[] = "\"audio\"";
	struct json json;
	struct json_value value;

	(void)state;
	json_open(&json, text, strlen(text));
	assert_int_equal(json_value(&json, &value), 0);
	assert_true(json_is(&value, "audio"));
	assert_false(json_is(&value, "audi"));
	assert_false(json_is(&value, "audios"));
	assert_false(json_is(&value, ""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values_are_compared_whole),
		cmocka_unit_test(test_valid_texts_are_taken),
		cmocka_unit_test(test_invalid_texts_are_refused_with_their_place),
		cmocka_unit_test(test_every_cut_of_a_valid_text_is_refused),
		cmocka_unit_test(test_depth_is_limited),
		cmocka_unit_test(test_strings_are_decoded),
		cmocka_unit_test(test_integers_are_exact),
		cmocka_unit_test(test_doubles_are_the_nearest),
		cmocka_unit_test(test_numbers_that_no_double_holds_are_out_of_range),
		cmocka_unit_test(test_members_come_in_order_and_unread_values_can_be_skipped),
		cmocka_unit_test(test_after_a_fault_nothing_more_is_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
