/* The output is valid JSON for every byte, and a buffer that is too small keeps what it had before. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/count.h"
#include "base/json.h"
#include "wire/json_write.h"

static void assert_written(struct buf *out, const char *expected)
{
	assert_int_equal(out->len, strlen(expected));
	assert_memory_equal(out->bytes, expected, out->len);
	buf_reset(out);
}

static void test_decimals_end_in_no_zeros(void **state)
{
	static const struct {
		double number;
		unsigned decimals;
		const char *text;
	} cases[] = {
		{5.4, 9, "{\"n\":5.4}"},
		{0.49, 2, "{\"n\":0.49}"},
		{0, 9, "{\"n\":0}"},
		{-0.0, 9, "{\"n\":0}"},
		{100, 3, "{\"n\":100}"},
		{0.004, 2, "{\"n\":0}"},
		{0.006, 2, "{\"n\":0.01}"},
		{-1.5, 2, "{\"n\":-1.5}"},
		{-0.05, 2, "{\"n\":-0.05}"},
		{7721.0 / 24000, 9, "{\"n\":0.321708333}"},
		{123456789.5, 0, "{\"n\":123456790}"},
		{NAN, 2, "{\"n\":null}"},
		{INFINITY, 2, "{\"n\":null}"},
		{-INFINITY, 2, "{\"n\":null}"},
		{1e18, 2, "{\"n\":null}"},
	};
	struct buf out;

	(void)state;
	buf_init(&out, 100);
	for (size_t i = 0; i < COUNT(cases); ++i) {
		struct json_write json;

		json_write_open(&json, &out);
		json_write_double(&json, "n", cases[i].number, cases[i].decimals);
		assert_int_equal(json_write_close(&json), 0);
		assert_written(&out, cases[i].text);
	}
}

static void test_integers_of_any_size(void **state)
{
	struct json_write json;
	struct buf out;

	(void)state;
	buf_init(&out, 200);
	json_write_open(&json, &out);
	json_write_list(&json, "n");
	json_write_unsigned(&json, NULL, UINT64_MAX);
	json_write_signed(&json, NULL, INT64_MIN);
	json_write_signed(&json, NULL, INT64_MAX);
	json_write_decimal(&json, NULL, INT64_MIN, 2);
	json_write_decimal(&json, NULL, 49, 2);
	json_write_list_end(&json);
	json_write_object(&json, "o");
	json_write_object_end(&json);
	json_write_bool(&json, "f", false);
	assert_int_equal(json_write_close(&json), 0);
	assert_written(&out,
		       "{\"n\":[18446744073709551615,-9223372036854775808,"
		       "9223372036854775807,-92233720368547758.08,0.49],\"o\":{},\"f\":false}");
}

static void test_strings_are_escaped_and_invalid_bytes_replaced(void **state)
{
	static const struct {
		const char *text, *json;
	} cases[] = {
		{"", "{\"s\":\"\"}"},
		{"gr\xc3\xbc\xc3\x9f \xf0\x9f\x98\x80",
		 "{\"s\":\"gr\xc3\xbc\xc3\x9f \xf0\x9f\x98\x80\"}"},
		{"\"\\/", "{\"s\":\"\\\"\\\\/\"}"},
		{"\b\f\n\r\t\x01\x1f\x7f", "{\"s\":\"\\b\\f\\n\\r\\t\\u0001\\u001f\x7f\"}"},
		{"a\xff"
		 "b\xc3",
		 "{\"s\":\"a\xef\xbf\xbd"
		 "b\xef\xbf\xbd\"}"},
	};
	struct buf out;

	(void)state;
	buf_init(&out, 100);
	for (size_t i = 0; i < COUNT(cases); ++i) {
		struct json_write json;

		json_write_open(&json, &out);
		json_write_string(&json, "s", cases[i].text, strlen(cases[i].text));
		assert_int_equal(json_write_close(&json), 0);
		assert_written(&out, cases[i].json);
	}
}

static void test_every_byte_is_read_back(void **state)
{
	struct buf out;

	(void)state;
	buf_init(&out, 100);
	for (int c = 1; c < 0x80; ++c) {
		char text[] = {'a', (char)c, 'b'};
		struct json_write writer;
		struct json json;
		struct json_value value;

		json_write_open(&writer, &out);
		json_write_string(&writer, "s", text, sizeof(text));
		assert_int_equal(json_write_close(&writer), 0);
		json_open(&json, out.bytes, out.len);
		json_value(&json, &value);
		assert_true(json_member(&json, &value));
		assert_int_equal(json_value(&json, &value), 0);
		assert_int_equal(value.len, sizeof(text));
		assert_memory_equal(value.text, text, sizeof(text));
		buf_reset(&out);
	}
}

static void test_a_full_buffer_keeps_what_it_had(void **state)
{
	(void)state;
	for (size_t max = 4; max < 4 + strlen("{\"key\":\"v\\n\"}"); ++max) {
		struct json_write json;
		struct buf out;

		buf_init(&out, max);
		assert_int_equal(buf_append(&out, "kept", 4), 0);
		json_write_open(&json, &out);
		json_write_string(&json, "key", "v\n", 2);
		assert_int_equal(json_write_close(&json), ENOBUFS);
		assert_written(&out, "kept");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_decimals_end_in_no_zeros),
		cmocka_unit_test(test_integers_of_any_size),
		cmocka_unit_test(test_strings_are_escaped_and_invalid_bytes_replaced),
		cmocka_unit_test(test_every_byte_is_read_back),
		cmocka_unit_test(test_a_full_buffer_keeps_what_it_had),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
