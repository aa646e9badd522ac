/* Buffers: full means refused whole, never cut and never grown. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"

static void test_past_the_maximum_nothing_is_appended(void **state)
{
	struct buf buf;

	(void)state;
	buf_init(&buf, 8);
	assert_int_equal(buf_append(&buf, "12345", 5), 0);
	assert_int_equal(buf_append(&buf, "6789", 4), ENOBUFS);
	assert_int_equal(buf.len, 5);
	assert_int_equal(buf_append(&buf, "678", 3), 0);
	assert_memory_equal(buf.bytes, "12345678", 8);
	buf_reset(&buf);
	assert_int_equal(buf.max, 8);
}

static void test_grows_over_many_appends(void **state)
{
	struct buf buf;

	(void)state;
	buf_init(&buf, 100000);
	for (int i = 0; i < 10000; ++i)
		assert_int_equal(buf_printf(&buf, "%04d,", i), 0);
	assert_int_equal(buf.len, 50000);
	assert_memory_equal(buf.bytes + 5 * 1234, "1234,", 5);
	buf_consume(&buf, 5 * 9999);
	assert_int_equal(buf.len, 5);
	assert_memory_equal(buf.bytes, "9999,", 5);
	buf_reset(&buf);
}

/* Whoever takes the memory over writes before and after the content. */
static void test_room_around_the_content_stays_with_it(void **state)
{
	struct buf buf;

	(void)state;
	buf_init_with_room(&buf, 4096, 24, 2);
	for (int i = 0; i < 4096; ++i)
		assert_int_equal(buf_append(&buf, "x", 1), 0);
	assert_int_equal(buf_append(&buf, "x", 1), ENOBUFS);
	memset(buf.bytes - 24, 'a', 24);
	memset(buf.bytes + buf.len, 'z', 2);
	buf_trim(&buf);
	assert_int_equal(buf.bytes[-24], 'a');
	assert_int_equal(buf.bytes[0], 'x');
	assert_int_equal(buf.bytes[4095], 'x');
	buf_reset(&buf);
	assert_null(buf.bytes);
}

static void test_the_first_room_is_as_large_as_asked_for(void **state)
{
	struct buf buf;

	(void)state;
	buf_init(&buf, 65536);
	assert_int_equal(buf_reserve(&buf, 12345), 0);
	assert_int_equal(buf.size, 12345);
	buf_reset(&buf);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_past_the_maximum_nothing_is_appended),
		cmocka_unit_test(test_grows_over_many_appends),
		cmocka_unit_test(test_room_around_the_content_stays_with_it),
		cmocka_unit_test(test_the_first_room_is_as_large_as_asked_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
