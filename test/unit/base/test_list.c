/* Lists: order, counts, and membership that the link itself knows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/list.h"

struct item {
	int value;
	struct link link;
};

static void test_order_is_kept(void **state)
{
	struct item a = {.value = 1}, b = {.value = 2}, c = {.value = 3}, d = {.value = 4};
	struct list list;
	struct link *link;
	int seen = 0;

	(void)state;
	list_init(&list);
	assert_null(list_first(&list));
	list_append(&list, &b.link);
	list_append(&list, &d.link);
	list_prepend(&list, &a.link);
	list_insert_before(&list, &d.link, &c.link);
	for (link = list_first(&list); link; link = list_next(&list, link))
		seen = seen * 10 + LIST_OBJECT(link, struct item, link)->value;
	assert_int_equal(seen, 1234);
	assert_int_equal(list.count, 4);
	assert_ptr_equal(list_last(&list), &d.link);
}

static void test_a_removed_link_is_on_no_list(void **state)
{
	struct item a = {.value = 1};
	struct list list;

	(void)state;
	list_init(&list);
	assert_false(link_is_on_list(&a.link));
	list_append(&list, &a.link);
	assert_true(link_is_on_list(&a.link));
	list_remove(&list, &a.link);
	assert_false(link_is_on_list(&a.link));
	assert_int_equal(list.count, 0);
}

static void test_all_of_a_list_is_appended_in_order(void **state)
{
	struct item a = {.value = 1}, b = {.value = 2}, c = {.value = 3};
	struct list to, from;
	int seen = 0;

	(void)state;
	list_init(&to);
	list_init(&from);
	list_append(&to, &a.link);
	list_append(&from, &b.link);
	list_append(&from, &c.link);
	list_append_all(&to, &from);
	assert_int_equal(from.count, 0);
	assert_int_equal(to.count, 3);
	for (struct link *link = list_first(&to); link; link = list_next(&to, link))
		seen = seen * 10 + LIST_OBJECT(link, struct item, link)->value;
	assert_int_equal(seen, 123);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order_is_kept),
		cmocka_unit_test(test_a_removed_link_is_on_no_list),
		cmocka_unit_test(test_all_of_a_list_is_appended_in_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
