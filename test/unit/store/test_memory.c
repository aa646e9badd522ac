/* The store in memory: one for all handles of the process, however many threads use them at once, and
 * gone with the last of them. */
#include <errno.h>
#include <stdio.h>

#include "base/mem.h"
#include "race.h"
#include "rows.h"

#define ROUNDS 40

static int check_live(void **state)
{
	(void)state;
	return mem_live() == 0 ? 0 : -1;
}

static struct store *opened(void)
{
	struct store *store = NULL;

	assert_int_equal(store_open(&store, "memory:"), 0);
	return store;
}

static void test_handles_see_one_store_that_ends_with_the_last(void **state)
{
	struct store *first = opened();
	struct store *second = opened();
	struct store_key key = rows_key("ka_first");

	(void)state;
	rows_add_key(first, "ka_first", STORE_ACCOUNT_DEFAULT);
	mem_deref(first);
	rows_find_key(second, "ka_first");
	mem_deref(second);
	second = opened();
	assert_int_equal(second->ops->key_find(second, &key, "ka_first"), ENOENT);
	mem_deref(second);
}

static bool count_turn(const struct store_turn *turn, void *arg)
{
	(void)turn;
	++*(int64_t *)arg;
	return true;
}

/* Books and, between the bookings, reads all that there is: each waits for the others' locks. */
static void *book_and_read(void *arg)
{
	struct racer *racer = arg;
	struct store *store = racer->store;

	pthread_barrier_wait(racer->start);
	for (int i = 0; i < ROUNDS && !racer->err; ++i) {
		struct store_turn turn = rows_turn("", 0);
		int64_t seen = 0;
		int err = 0;

		snprintf(turn.id, sizeof(turn.id), "turn-%d-%d", racer->number, i);
		turn.account_id = 0;
		racer->err = store->ops->turns_add(store, &turn, 1, &err);
		if (!racer->err)
			racer->err = err;
		if (!racer->err)
			racer->err = store->ops->turn_list(store, count_turn, &seen);
		if (!racer->err && seen <= i)
			racer->err = ENODATA;
	}
	return NULL;
}

static void test_threads_that_write_and_read_at_once_wait_for_each_other(void **state)
{
	struct racer racers[RACERS];
	struct store *store = opened();

	(void)state;
	race(book_and_read, racers, "memory:");
	assert_int_equal(rows_count_turns(store), RACERS * ROUNDS);
	mem_deref(store);
}

static void *open_fresh(void *arg)
{
	struct racer *racer = arg;

	pthread_barrier_wait(racer->start);
	racer->err = store_open(&racer->store, "memory:");
	return NULL;
}

static void test_threads_that_open_a_fresh_store_at_once_make_its_tables_once(void **state)
{
	struct racer racers[RACERS];

	(void)state;
	race(open_fresh, racers, NULL);
}

int main(void)
{
#define TEST(test) cmocka_unit_test_teardown(test, check_live)
	const struct CMUnitTest tests[] = {
		TEST(test_handles_see_one_store_that_ends_with_the_last),
		TEST(test_threads_that_write_and_read_at_once_wait_for_each_other),
		TEST(test_threads_that_open_a_fresh_store_at_once_make_its_tables_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
