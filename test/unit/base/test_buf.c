/* Buffers: full means refused whole, never cut and never grown. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_past_the_maximum_nothing_is_appended),
		cmocka_unit_test(test_grows_over_many_appends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
