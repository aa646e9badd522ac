/* Reference counts: the destructor runs once, at the last reference. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/mem.h"
#include "mem_fail.h"

static int destroyed;

static void count_destroy(void *object)
{
	(void)object;
	++destroyed;
}

static void test_last_reference_destroys_once(void **state)
{
	void *object = mem_zalloc(10, count_destroy);

	(void)state;
	destroyed = 0;
	assert_int_equal(mem_live(), 1);
	assert_ptr_equal(mem_ref(object), object);
	assert_null(mem_deref(object));
	assert_int_equal(destroyed, 0);
	assert_null(mem_deref(object));
	assert_int_equal(destroyed, 1);
	assert_int_equal(mem_live(), 0);
}

static void test_null_is_nobody(void **state)
{
	(void)state;
	assert_null(mem_ref(NULL));
	assert_null(mem_deref(NULL));
}

static void test_the_nth_allocation_fails_when_asked(void **state)
{
	void *first;

	(void)state;
	mem_fail_after(2);
	first = mem_zalloc(1, NULL);
	assert_non_null(first);
	assert_null(mem_zalloc(1, NULL));
	mem_deref(first);
	first = mem_zalloc(1, NULL);
	assert_non_null(first);
	mem_deref(first);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_last_reference_destroys_once),
		cmocka_unit_test(test_null_is_nobody),
		cmocka_unit_test(test_the_nth_allocation_fails_when_asked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
