/* The wire format: damage is reported, and written messages can be read. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/count.h"
#include "engine/neural/protobuf.h"

static int test_protobuf_first(struct protobuf_field *field, const char *bytes, size_t len)
{
	struct protobuf_reader reader =
		protobuf_reader((struct onnx_str){.bytes = bytes, .len = len});

	return protobuf_next(&reader, field);
}

#define FIRST(field, literal) test_protobuf_first(field, literal, sizeof(literal) - 1)

static void test_protobuf_every_kind_of_field_is_read(void **state)
{
	struct protobuf_field field;

	(void)state;
	assert_int_equal(FIRST(&field, "\x08\x96\x01"), 0);
	assert_int_equal(field.number, 1);
	assert_int_equal(field.value, 150);
	assert_int_equal(FIRST(&field, "\x15\x01\x02\x03\x04"), 0);
	assert_int_equal(field.kind, PROTOBUF_FIXED_32);
	assert_int_equal(field.value, 0x04030201);
	assert_int_equal(FIRST(&field, "\x11\x01\x02\x03\x04\x05\x06\x07\x08"), 0);
	assert_true(field.value == UINT64_C(0x0807060504030201));
	assert_int_equal(FIRST(&field, "\x1a\x03"
				       "abcd"),
			 0);
	assert_int_equal(field.number, 3);
	assert_true(onnx_str_is(field.bytes, "abc"));
	assert_int_equal(field.whole.len, 5);
	assert_int_equal(FIRST(&field, "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"), 0);
	assert_true(field.value == UINT64_MAX);
}

static void test_protobuf_damage_is_told(void **state)
{
	static const struct {
		const char *bytes;
		size_t len;
	} cases[] = {
		{"\x80", 1}, /* a number that does not end */
		{"\x08", 1}, /* nothing after the key */
		{"\x08\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", 12}, /* too long a number */
		{"\x00\x01", 2}, /* field 0 */
		{"\x80\x80\x80\x80\x20\x01", 6}, /* a field's number of 30 bits */
		{"\x0b", 1}, /* a group */
		{"\x0e\x01", 2}, /* a kind that does not exist */
		{"\x0a\x05"
		 "abcd",
		 6}, /* longer than what is left */
		{"\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11},
		{"\x15\x01\x02\x03", 4},
		{"\x11\x01\x02\x03\x04\x05\x06\x07", 8},
	};
	struct protobuf_field field;

	(void)state;
	for (size_t i = 0; i < COUNT(cases); ++i)
		assert_int_equal(test_protobuf_first(&field, cases[i].bytes, cases[i].len), EINVAL);
	assert_int_equal(test_protobuf_first(&field, "", 0), ENODATA);
	assert_int_equal(test_protobuf_first(&field, NULL, 0), ENODATA);
}

static void test_protobuf_write_inner(struct protobuf_writer *writer, const void *arg)
{
	protobuf_write_number(writer, 1, *(const uint64_t *)arg);
	protobuf_write_bytes(writer, 2, (struct onnx_str){.bytes = "xyz", .len = 3});
}

static void test_protobuf_write_outer(struct protobuf_writer *writer, const void *arg)
{
	protobuf_write_message(writer, 4000, test_protobuf_write_inner, arg);
	protobuf_write_message(writer, 1, test_protobuf_write_inner, arg);
}

static void test_protobuf_what_is_counted_is_what_is_written(void **state)
{
	static const uint64_t values[] = {0, 127, 128, UINT32_MAX, UINT64_MAX};

	(void)state;
	for (size_t i = 0; i < COUNT(values); ++i) {
		char bytes[128];
		struct protobuf_writer count = {0};
		struct protobuf_writer writer = {.bytes = bytes};
		struct protobuf_field field;

		protobuf_write_message(&count, 7, test_protobuf_write_outer, &values[i]);
		assert_true(count.len <= sizeof(bytes));
		protobuf_write_message(&writer, 7, test_protobuf_write_outer, &values[i]);
		assert_int_equal(writer.len, count.len);
		assert_int_equal(test_protobuf_first(&field, bytes, writer.len), 0);
		assert_int_equal(field.whole.len, writer.len);
		assert_int_equal(test_protobuf_first(&field, field.bytes.bytes, field.bytes.len),
				 0);
		assert_int_equal(field.number, 4000);
		assert_int_equal(test_protobuf_first(&field, field.bytes.bytes, field.bytes.len),
				 0);
		assert_true(field.value == values[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_protobuf_every_kind_of_field_is_read),
		cmocka_unit_test(test_protobuf_damage_is_told),
		cmocka_unit_test(test_protobuf_what_is_counted_is_what_is_written),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
