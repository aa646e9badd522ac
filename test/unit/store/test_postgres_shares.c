/* Limits hold across the servers of one database. */
#include <errno.h>
#include <stdio.h>

#include "base/count.h"
#include "base/mem.h"
#include "postgres_server.h"
#include "race.h"
#include "rows.h"

#define OTHER_SERVER "fedcba9876543210"

static char address[192];

static int make_place(void **state)
{
	(void)state;
	postgres_server_empty();
	postgres_server_address(address, sizeof(address), "syrinx", "");
	return 0;
}

static int check_memory(void **state)
{
	(void)state;
	return mem_live() == 0 ? 0 : -1;
}

static struct store *opened(void)
{
	struct store *store;

	assert_int_equal(store_open(&store, address), 0);
	return store;
}

static int take_one(struct store *store, const char *server, enum store_meter meter, int64_t amount,
		    int64_t max, int64_t *wait_ms)
{
	struct store_share share = {meter, {STORE_HOLDER_ACCOUNT, 1}, amount, max};
	size_t short_of = 99;
	int err = store->ops->share_take(store, server, &share, 1, &short_of, wait_ms);

	if (err == EDQUOT)
		assert_int_equal(short_of, 0);
	return err;
}

#define SLOTS 5

/* Takes a slot as often as it gets one, and asks the database's rows whether there were
 * ever too many. */
static void *take_slots(void *arg)
{
	struct racer *racer = arg;
	struct store_share share = {STORE_METER_TURNS, {STORE_HOLDER_ACCOUNT, 1}, 1, SLOTS};
	char server[STORE_SERVER_ID_LEN + 1];
	size_t short_of;
	int64_t wait_ms;

	snprintf(server, sizeof(server), "%016d", racer->number);
	pthread_barrier_wait(racer->start);
	for (int i = 0; i < 10; ++i) {
		int err = racer->store->ops->share_take(racer->store, server, &share, 1, &short_of,
							&wait_ms);
		racer->taken += !err;
		racer->err = err && err != EDQUOT ? err : racer->err;
	}
	return NULL;
}

static void test_slots_are_counted_exactly_under_a_race(void **state)
{
	struct racer racers[RACERS];
	int64_t taken = 0;
	int64_t wait_ms;
	struct store *store = opened();

	(void)state;
	race(take_slots, racers, address);
	for (int i = 0; i < RACERS; ++i)
		taken += racers[i].taken;
	assert_int_equal(taken, SLOTS);
	assert_int_equal(take_one(store, ROWS_SERVER, STORE_METER_TURNS, 1, SLOTS, &wait_ms),
			 EDQUOT);
	assert_int_equal(wait_ms, 0);
	mem_deref(store);
}

static void test_slots_are_given_back_by_those_who_have_them(void **state)
{
	struct store *store = opened();
	int64_t wait_ms;

	(void)state;
	assert_int_equal(take_one(store, ROWS_SERVER, STORE_METER_TURNS, 2, 2, &wait_ms), 0);
	/* Another server's give-back is not of ours, and no server has less than none. */
	assert_int_equal(take_one(store, OTHER_SERVER, STORE_METER_TURNS, -2, 2, &wait_ms), 0);
	assert_int_equal(take_one(store, OTHER_SERVER, STORE_METER_TURNS, 1, 2, &wait_ms), EDQUOT);
	assert_int_equal(take_one(store, ROWS_SERVER, STORE_METER_TURNS, -1, 2, &wait_ms), 0);
	assert_int_equal(take_one(store, OTHER_SERVER, STORE_METER_TURNS, 1, 2, &wait_ms), 0);
	assert_int_equal(take_one(store, OTHER_SERVER, STORE_METER_TURNS, 1, 2, &wait_ms), EDQUOT);
	/* Connections are another matter. */
	assert_int_equal(take_one(store, OTHER_SERVER, STORE_METER_CONNECTIONS, 1, 1, &wait_ms), 0);
	assert_int_equal(store->ops->share_return(store, OTHER_SERVER), 0);
	assert_int_equal(take_one(store, ROWS_SERVER, STORE_METER_TURNS, 1, 2, &wait_ms), 0);
	assert_int_equal(take_one(store, ROWS_SERVER, STORE_METER_CONNECTIONS, 1, 1, &wait_ms), 0);
	/* Who tells all anew what it holds is believed. */
	assert_int_equal(take_one(store, OTHER_SERVER, STORE_METER_TURNS, 3, INT64_MAX, &wait_ms),
			 0);
	assert_int_equal(take_one(store, ROWS_SERVER, STORE_METER_TURNS, 1, 5, &wait_ms), EDQUOT);
	mem_deref(store);
}

static void test_slots_of_a_server_that_is_silent_lapse(void **state)
{
	struct store *store = opened();
	int64_t wait_ms;

	(void)state;
	postgres_server_set_now(1000000);
	assert_int_equal(take_one(store, ROWS_SERVER, STORE_METER_TURNS, 1, 1, &wait_ms), 0);
	postgres_server_set_now(1000000 + STORE_SHARE_LAPSE_MS - 1);
	assert_int_equal(take_one(store, OTHER_SERVER, STORE_METER_TURNS, 1, 1, &wait_ms), EDQUOT);
	assert_int_equal(store->ops->share_heartbeat(store, ROWS_SERVER), 0);
	postgres_server_set_now(1000000 + STORE_SHARE_LAPSE_MS + 1);
	assert_int_equal(take_one(store, OTHER_SERVER, STORE_METER_TURNS, 1, 1, &wait_ms), EDQUOT);
	postgres_server_set_now(1000000 + 2 * STORE_SHARE_LAPSE_MS);
	assert_int_equal(take_one(store, OTHER_SERVER, STORE_METER_TURNS, 1, 1, &wait_ms), 0);
	/* Heard of again, it still has what it had. */
	assert_int_equal(store->ops->share_heartbeat(store, ROWS_SERVER), 0);
	assert_int_equal(take_one(store, OTHER_SERVER, STORE_METER_TURNS, 1, 2, &wait_ms), EDQUOT);
	mem_deref(store);
}

static void test_requests_of_a_minute_come_back_one_by_one(void **state)
{
	struct store *store = opened();
	int64_t wait_ms = -1;

	(void)state;
	postgres_server_set_now(1000000);
	for (int i = 0; i < 3; ++i)
		assert_int_equal(take_one(store, ROWS_SERVER, STORE_METER_REQUESTS, 1, 3, &wait_ms),
				 0);
	assert_int_equal(take_one(store, OTHER_SERVER, STORE_METER_REQUESTS, 1, 3, &wait_ms),
			 EDQUOT);
	assert_int_equal(wait_ms, 20000);
	postgres_server_set_now(1019999);
	assert_int_equal(take_one(store, OTHER_SERVER, STORE_METER_REQUESTS, 1, 3, &wait_ms),
			 EDQUOT);
	assert_int_equal(wait_ms, 1);
	postgres_server_set_now(1020000);
	assert_int_equal(take_one(store, OTHER_SERVER, STORE_METER_REQUESTS, 1, 3, &wait_ms), 0);
	/* A clock that goes back gives nothing and takes nothing. */
	postgres_server_set_now(900000);
	assert_int_equal(take_one(store, OTHER_SERVER, STORE_METER_REQUESTS, 1, 3, &wait_ms),
			 EDQUOT);
	/* However long nobody asks, there is a minute's worth. */
	postgres_server_set_now(9000000000);
	for (int i = 0; i < 3; ++i)
		assert_int_equal(take_one(store, ROWS_SERVER, STORE_METER_REQUESTS, 1, 3, &wait_ms),
				 0);
	assert_int_equal(take_one(store, ROWS_SERVER, STORE_METER_REQUESTS, 1, 3, &wait_ms),
			 EDQUOT);
	/* None at all: nobody knows when. */
	assert_int_equal(take_one(store, ROWS_SERVER, STORE_METER_REQUESTS, 1, 0, &wait_ms),
			 EDQUOT);
	assert_int_equal(wait_ms, 0);
	assert_int_equal(take_one(store, ROWS_SERVER, STORE_METER_REQUESTS, 1, INT64_MAX, &wait_ms),
			 0);
	mem_deref(store);
}

static void check_that_it_goes_below_zero_and_the_next_waits(enum store_meter meter)
{
	struct store *store = opened();
	int64_t wait_ms = -1;

	postgres_server_set_now(1000000);
	assert_int_equal(take_one(store, ROWS_SERVER, meter, 599, 600, &wait_ms), 0);
	assert_int_equal(take_one(store, ROWS_SERVER, meter, 0, 600, &wait_ms), 0);
	assert_int_equal(take_one(store, ROWS_SERVER, meter, 601, 600, &wait_ms), 0);
	assert_int_equal(take_one(store, OTHER_SERVER, meter, 0, 600, &wait_ms), EDQUOT);
	assert_int_equal(wait_ms, 60100); /* 600 below zero, and one to have */
	postgres_server_set_now(1060100);
	assert_int_equal(take_one(store, OTHER_SERVER, meter, 0, 600, &wait_ms), 0);
	mem_deref(store);
}

static void test_characters_go_below_zero_and_the_next_waits(void **state)
{
	(void)state;
	check_that_it_goes_below_zero_and_the_next_waits(STORE_METER_CHARACTERS);
}

static void test_seconds_of_audio_go_below_zero_and_the_next_waits(void **state)
{
	(void)state;
	check_that_it_goes_below_zero_and_the_next_waits(STORE_METER_HEARD);
}

static void test_of_several_limits_all_are_taken_or_none(void **state)
{
	struct store *store = opened();
	struct store_share shares[] = {
		{STORE_METER_TURNS, {STORE_HOLDER_KEY, 7}, 1, 10},
		{STORE_METER_REQUESTS, {STORE_HOLDER_ACCOUNT, 1}, 1, 10},
		{STORE_METER_TURNS, {STORE_HOLDER_ACCOUNT, 1}, 1, 2},
		{STORE_METER_CHARACTERS, {STORE_HOLDER_ACCOUNT, 1}, 0, 10},
	};
	size_t short_of = 99;
	int64_t wait_ms;

	(void)state;
	for (int i = 0; i < 2; ++i)
		assert_int_equal(store->ops->share_take(store, ROWS_SERVER, shares, COUNT(shares),
							&short_of, &wait_ms),
				 0);
	for (int i = 0; i < 20; ++i)
		assert_int_equal(store->ops->share_take(store, ROWS_SERVER, shares, COUNT(shares),
							&short_of, &wait_ms),
				 EDQUOT);
	assert_int_equal(short_of, 2);
	shares[0].max = 3;
	shares[0].amount = 1;
	shares[1].max = 3;
	assert_int_equal(store->ops->share_take(store, ROWS_SERVER, shares, 2, &short_of, &wait_ms),
			 0);
	assert_int_equal(store->ops->share_take(store, ROWS_SERVER, shares, 0, &short_of, &wait_ms),
			 0);
	mem_deref(store);
}

/* And quick enough that nobody else noticed. */
static void test_a_database_that_crashed_says_that_it_may_have_forgotten(void **state)
{
	struct store *store = opened();
	int64_t wait_ms;
	int64_t version;

	(void)state;
	assert_int_equal(take_one(store, ROWS_SERVER, STORE_METER_TURNS, 1, 1, &wait_ms), 0);
	postgres_server_stop();
	postgres_server_restart();
	assert_int_equal(store->ops->version(store, &version), 0);
	assert_int_equal(take_one(store, ROWS_SERVER, STORE_METER_TURNS, 1, 1, &wait_ms), ESTALE);
	assert_int_equal(store->ops->share_heartbeat(store, ROWS_SERVER), ESTALE);
	assert_int_equal(store->ops->share_return(store, ROWS_SERVER), 0);
	assert_int_equal(store->ops->share_heartbeat(store, ROWS_SERVER), 0);
	assert_int_equal(take_one(store, ROWS_SERVER, STORE_METER_TURNS, 1, 1, &wait_ms), 0);
	mem_deref(store);
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, make_place, check_memory)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_slots_are_counted_exactly_under_a_race),
		TEST(test_slots_are_given_back_by_those_who_have_them),
		TEST(test_slots_of_a_server_that_is_silent_lapse),
		TEST(test_requests_of_a_minute_come_back_one_by_one),
		TEST(test_characters_go_below_zero_and_the_next_waits),
		TEST(test_seconds_of_audio_go_below_zero_and_the_next_waits),
		TEST(test_of_several_limits_all_are_taken_or_none),
		TEST(test_a_database_that_crashed_says_that_it_may_have_forgotten),
	};

	if (postgres_server_start() != 0)
		return 77; /* meson's word for a test that was skipped */
	return cmocka_run_group_tests(tests, NULL, NULL);
}
