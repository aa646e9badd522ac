/* Heaps: what is taken out comes in order, and any node can be removed at any time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/heap.h"

#define ITEMS 1000

struct item {
	int value;
	struct heap_node node;
};

static bool item_before(const struct heap_node *a, const struct heap_node *b)
{
	return HEAP_CONST_OBJECT(a, struct item, node)->value <
	       HEAP_CONST_OBJECT(b, struct item, node)->value;
}

static struct item *first_item(struct heap *heap)
{
	return HEAP_OBJECT(heap_first(heap), struct item, node);
}

static void test_objects_come_out_in_order(void **state)
{
	static struct item items[ITEMS];
	struct heap heap;
	int last = -1;

	(void)state;
	srand(1);
	heap_init(&heap, item_before);
	for (int i = 0; i < ITEMS; ++i) {
		items[i] = (struct item){.value = rand() % 500};
		heap_add(&heap, &items[i].node);
	}
	/* Every third one goes before the rest is taken out. */
	for (int i = 0; i < ITEMS; i += 3)
		heap_remove(&heap, &items[i].node);
	assert_int_equal(heap.count, ITEMS - (ITEMS + 2) / 3);
	while (heap_first(&heap)) {
		struct item *item = first_item(&heap);

		assert_true(item->value >= last);
		assert_int_not_equal((item - items) % 3, 0);
		last = item->value;
		heap_remove(&heap, &item->node);
	}
	assert_int_equal(heap.count, 0);
}

static void test_a_node_knows_whether_it_is_in_a_heap(void **state)
{
	struct item a = {.value = 1}, b = {.value = 2};
	struct heap heap;

	(void)state;
	heap_init(&heap, item_before);
	assert_false(heap_node_is_in(&a.node));
	heap_add(&heap, &a.node);
	heap_add(&heap, &b.node);
	assert_true(heap_node_is_in(&a.node));
	assert_true(heap_node_is_in(&b.node));
	heap_remove(&heap, &a.node);
	assert_false(heap_node_is_in(&a.node));
	assert_ptr_equal(first_item(&heap), &b);
	heap_remove(&heap, &b.node);
	assert_null(heap_first(&heap));
	assert_false(heap_node_is_in(&b.node));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_objects_come_out_in_order),
		cmocka_unit_test(test_a_node_knows_whether_it_is_in_a_heap),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
