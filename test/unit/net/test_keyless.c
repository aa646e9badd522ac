/* Unauthenticated connections: the one that has been idle longest is evicted first, and the
 * memory of all of them together is limited. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "net/keyless.h"

#define COUNT 600
#define EACH (64u * 1024u)

struct one {
	struct keyless_member member;
	int evicted; /* in which order; 0: it was not */
};

static struct keyless all;
static struct one ones[COUNT];
static int evictions;

static void evict(struct keyless_member *member)
{
	struct one *one = LIST_OBJECT(member, struct one, member);

	assert_null(member->all);
	one->evicted = ++evictions;
}

static int set_up(void **state)
{
	(void)state;
	evictions = 0;
	keyless_init(&all);
	for (size_t i = 0; i < COUNT; ++i) {
		ones[i] = (struct one){0};
		keyless_join(&all, &ones[i].member, evict);
	}
	return 0;
}

static void test_the_one_idle_longest_is_evicted_first(void **state)
{
	(void)state;
	keyless_count(&ones[0].member, 0);
	keyless_count(&ones[2].member, 10);
	keyless_leave(&ones[1].member); /* it has a key */
	assert_true(keyless_evict_oldest(&all));
	assert_true(keyless_evict_oldest(&all));
	assert_int_equal(ones[3].evicted, 1);
	assert_int_equal(ones[4].evicted, 2);
	for (size_t i = 5; i < COUNT; ++i)
		assert_true(keyless_evict_oldest(&all));
	assert_int_equal(ones[0].evicted, 0);
	assert_true(keyless_evict_oldest(&all));
	assert_int_equal(ones[0].evicted, COUNT - 2);
	assert_true(keyless_evict_oldest(&all));
	assert_int_equal(ones[2].evicted, COUNT - 1);
	assert_false(keyless_evict_oldest(&all));
	assert_int_equal(ones[1].evicted, 0);
}

static void test_what_all_hold_is_counted_exactly(void **state)
{
	(void)state;
	keyless_count(&ones[0].member, 100);
	keyless_count(&ones[1].member, 1000);
	assert_int_equal(all.bytes, 1100);
	keyless_count(&ones[1].member, 10);
	assert_int_equal(all.bytes, 110);
	keyless_count_queued(&ones[2].member, 25);
	keyless_count_queued(&ones[2].member, -20);
	assert_int_equal(all.bytes, 115);
	keyless_leave(&ones[0].member);
	keyless_leave(&ones[0].member);
	keyless_count(&ones[0].member, 7777); /* has a key now */
	assert_int_equal(all.bytes, 15);
	keyless_count_queued(&ones[0].member, 7777);
	assert_int_equal(all.bytes, 15);
	keyless_evict_oldest(&all);
	keyless_leave(&ones[1].member);
	assert_int_equal(all.bytes, 5);
	keyless_count_queued(&ones[2].member, -5);
	assert_int_equal(all.bytes, 0);
	assert_int_equal(all.holding.count, 0);
	assert_int_equal(all.idle.count, COUNT - 3);
}

/* A member that holds nothing is not evicted, because that would free no memory. */
static void test_whoever_holds_memory_longest_makes_room(void **state)
{
	size_t room = KEYLESS_ALL_MAX / EACH;

	(void)state;
	assert_true(room < COUNT - 1);
	for (size_t i = 1; i < COUNT; ++i) {
		keyless_count(&ones[i].member, EACH);
		assert_true(all.bytes <= KEYLESS_ALL_MAX);
	}
	assert_int_equal(evictions, COUNT - 1 - room);
	assert_int_equal(ones[0].evicted, 0);
	assert_int_equal(ones[1].evicted, 1);
	assert_int_equal(ones[COUNT - 1].evicted, 0);
	assert_int_equal(all.holding.count, room);
	for (size_t i = 0; i < COUNT; ++i)
		keyless_leave(&ones[i].member);
	assert_int_equal(all.bytes, 0);
}

#define TEST(name) cmocka_unit_test_setup(name, set_up)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_the_one_idle_longest_is_evicted_first),
		TEST(test_what_all_hold_is_counted_exactly),
		TEST(test_whoever_holds_memory_longest_makes_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
