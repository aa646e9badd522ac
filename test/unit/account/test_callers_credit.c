/* Credit is leased before it is needed, and all of it can be spent, except for a chunk. */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "account/callers_private.h"
#include "base/clock.h"
#include "base/mem.h"
#include "callers_world.h"

#define POLL (CALLERS_POLL_MS * UINT64_C(1000))
#define CHUNK (BLOCK / LEASE_CHUNKS)

static struct world world;
static struct denied denied;
static int64_t account_id;
static int top_ups;

static void top_up(int64_t microcents)
{
	struct store_top_up row = {.account_id = account_id, .amount_microcents = microcents};

	snprintf(row.id, sizeof(row.id), "top-up %d", ++top_ups);
	assert_int_equal(world.store->ops->top_up_add(world.store, &row), 0);
}

static int set_up(void **state)
{
	struct store_account account = {
		.name = "prepaid", .is_prepaid = true, .limits = STORE_LIMITS_PLAN};

	(void)state;
	world_open(&world, &(struct callers_options){0});
	account_id = world_add_account(&world, &account);
	world_pass(&world, POLL);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	world_close(&world);
	return 0;
}

static void come_in(void)
{
	assert_int_equal(world_check(&world, world.key_text, "/"), 0);
}

static struct permit *begin(void)
{
	struct permit *permit;

	assert_int_equal(permit_ask(&permit, world.caller, &denied, NULL, NULL), 0);
	return permit;
}

static enum denial refused(void)
{
	struct permit *permit;

	assert_int_equal(permit_ask(&permit, world.caller, &denied, NULL, NULL), EACCES);
	return denied.why;
}

static struct store_account account_row(void)
{
	struct store_account row;

	assert_int_equal(world.store->ops->account_get(world.store, &row, account_id), 0);
	return row;
}

/* Settles a permit as a turn does at its end. */
static void book(int64_t microcents)
{
	static int number;
	struct store_turn turn = {.account_id = account_id,
				  .key_id = caller_key(world.caller)->id,
				  .sample_rate = 24000,
				  .at_ms = clock_wall_ms(),
				  .amount_microcents = microcents};
	int err;

	snprintf(turn.id, sizeof(turn.id), "turn %d", ++number);
	snprintf(turn.server, sizeof(turn.server), "%s", async_store_server_id(world.async));
	assert_int_equal(world.store->ops->turns_add(world.store, &turn, 1, &err), 0);
	assert_int_equal(err, 0);
}

/* Speaks chunks of the same price until it is refused; returns the total cost. */
static int64_t speak(int64_t chunk)
{
	struct permit *permit = begin();
	int64_t spent = 0;

	while (permit_begin_chunk(permit, spent, 0, &denied)) {
		world_settle(&world);
		spent += chunk;
	}
	permit_settle(permit, spent);
	mem_deref(permit);
	world_settle(&world);
	book(spent);
	return spent;
}

static void test_the_first_lease_is_taken_when_the_key_is_checked(void **state)
{
	struct permit *permit;

	(void)state;
	top_up(10 * BLOCK);
	come_in();
	assert_int_equal(watched.leases, 1);
	permit = begin(); /* without waiting */
	assert_true(permit_begin_chunk(permit, 0, 0, &denied));
	assert_int_equal(watched.leases, 1);
	mem_deref(permit);
}

static void test_a_second_key_of_the_account_takes_no_second_lease(void **state)
{
	struct caller *first;
	struct store_key key;
	char text[API_KEY_LEN + 1];

	(void)state;
	top_up(10 * BLOCK);
	come_in();
	first = mem_ref(world.caller);
	assert_int_equal(api_key_make(text, &key, "second"), 0);
	key.project_id = caller_key(first)->project_id;
	assert_int_equal(world.store->ops->key_add(world.store, &key), 0);
	assert_int_equal(world_check(&world, text, "/"), 0);
	assert_ptr_not_equal(world.caller, first);
	assert_int_equal(watched.leases, 1);
	mem_deref(first);
}

static void test_credit_is_requested_when_half_is_spent_and_no_turn_waits(void **state)
{
	struct permit *permit;

	(void)state;
	top_up(10 * BLOCK);
	come_in();
	permit = begin();
	assert_true(permit_begin_chunk(permit, BLOCK / 2 - 1, 0, &denied));
	world_settle(&world);
	assert_int_equal(watched.leases, 1);
	assert_true(permit_begin_chunk(permit, BLOCK / 2 + 1, 0, &denied));
	world_settle(&world);
	assert_int_equal(watched.leases, 2);
	assert_true(permit_begin_chunk(permit, BLOCK + BLOCK / 4, 0, &denied));
	permit_settle(permit, BLOCK + BLOCK / 4);
	mem_deref(permit);
}

static void test_money_7_all_credit_is_spent_and_at_most_one_chunk_more(void **state)
{
	int64_t paid = 0;

	(void)state;
	for (int i = 1; i <= 10; ++i) {
		int64_t spent;

		top_up(i * 777);
		paid += i * 777;
		world_pass(&world, SECOND);
		if (account_row().spent_microcents >= paid)
			continue; /* an earlier overdraft has used it up */
		come_in();
		speak(CHUNK);
		spent = account_row().spent_microcents;
		assert_true(spent >= paid);
		assert_true(spent - paid <= CHUNK);
		assert_int_equal(refused(), DENIAL_CREDIT);
	}
}

static void test_without_credit_no_turn_begins_until_a_top_up(void **state)
{
	(void)state;
	come_in(); /* it may connect */
	assert_int_equal(refused(), DENIAL_CREDIT);
	top_up(BLOCK);
	world_pass(&world, SECOND / 4);
	come_in();
	mem_deref(begin());
}

static void test_a_connected_caller_can_speak_soon_after_a_top_up(void **state)
{
	(void)state;
	come_in();
	assert_int_equal(refused(), DENIAL_CREDIT);
	top_up(BLOCK);
	world_pass(&world, SECOND / 4);
	assert_int_equal(refused(), DENIAL_CREDIT); /* the store is asked again */
	world_settle(&world);
	mem_deref(begin());
}

static void test_a_refresh_finds_credit_that_was_just_paid(void **state)
{
	(void)state;
	come_in();
	assert_int_equal(refused(), DENIAL_CREDIT);
	top_up(BLOCK);
	callers_refresh(world.callers);
	come_in();
	mem_deref(begin());
}

static void test_an_account_without_credit_asks_the_store_at_a_limited_rate(void **state)
{
	int asked;

	(void)state;
	come_in();
	asked = watched.leases;
	for (int i = 0; i < 100; ++i) {
		come_in();
		assert_int_equal(refused(), DENIAL_CREDIT);
		world_settle(&world);
	}
	assert_int_equal(watched.leases, asked);
	world_pass(&world, SECOND / 4);
	for (int i = 0; i < 100; ++i)
		come_in();
	assert_int_equal(watched.leases, asked + 1);
}

static void test_a_key_with_its_own_credit_stops_when_that_is_spent(void **state)
{
	struct store_key to = {.credit_cents = 0};

	(void)state;
	top_up(100 * BLOCK);
	assert_int_equal(
		world.store->ops->key_change(world.store, world.prefix, STORE_KEY_CREDIT, &to), 0);
	come_in();
	assert_int_equal(refused(), DENIAL_CREDIT);
	to.credit_cents = 1; /* one million micro-cents */
	assert_int_equal(
		world.store->ops->key_change(world.store, world.prefix, STORE_KEY_CREDIT, &to), 0);
	world_pass(&world, SECOND);
	top_up(2000000);
	come_in();
	assert_in_range(speak(CHUNK), 1000000, 1000000 + CHUNK);
	assert_int_equal(refused(), DENIAL_CREDIT);
	assert_true(account_row().spent_microcents < account_row().credit_microcents);
}

static void test_leased_credit_can_be_spent_while_the_store_is_unreachable(void **state)
{
	struct permit *permit;

	(void)state;
	top_up(10 * BLOCK);
	come_in();
	permit = begin();
	watched.err = EIO;
	assert_true(permit_begin_chunk(permit, BLOCK / 2 + 1, 0, &denied));
	world_settle(&world);
	assert_true(permit_begin_chunk(permit, BLOCK - 1, 0, &denied));
	world_settle(&world);
	assert_false(permit_begin_chunk(permit, BLOCK, 0, &denied));
	assert_int_equal(denied.why, DENIAL_LEDGER); /* it is unknown whether there is more */
	come_in(); /* requests that cost nothing still work */
	assert_int_equal(refused(), DENIAL_LEDGER);
	watched.err = 0;
	world_pass(&world, SECOND);
	come_in();
	assert_true(permit_begin_chunk(permit, BLOCK, 0, &denied));
	mem_deref(permit);
}

static void test_a_denial_while_the_store_is_unreachable_is_not_a_lack_of_credit(void **state)
{
	struct permit *permit;

	(void)state;
	top_up(10 * BLOCK);
	come_in();
	permit = begin();
	watched.err = EIO;
	assert_true(permit_begin_chunk(permit, 0, 0, &denied));
	assert_true(permit_advance(permit, BLOCK, &denied));
	world_settle(&world);
	assert_false(permit_advance(permit, 2 * BLOCK + CHUNK, &denied));
	assert_int_equal(denied.why, DENIAL_LEDGER);
	watched.err = 0;
	permit_settle(permit, 2 * BLOCK);
	mem_deref(permit);
	world_settle(&world);
}

static void test_a_lease_in_use_is_renewed_and_an_unused_one_lapses(void **state)
{
	int asked;

	(void)state;
	top_up(10 * BLOCK);
	come_in();
	asked = watched.leases;
	for (int i = 0; i < 3; ++i)
		world_pass(&world, 21 * SECOND);
	assert_int_equal(watched.leases, asked + 3);
	mem_deref(begin());
	world.caller = mem_deref(world.caller);
	world_pass(&world, 61 * SECOND);
	assert_int_equal(watched.leases, asked + 3);
	come_in(); /* requests credit, and waits for it */
	assert_int_equal(watched.leases, asked + 4);
	mem_deref(begin());
}

static void test_all_leases_are_returned_at_the_end(void **state)
{
	struct store_lease lease = {.server = "another",
				    .holder = {STORE_HOLDER_ACCOUNT, account_id},
				    .want_microcents = 10 * BLOCK,
				    .expires_ms = INT64_MAX};
	struct store *store = mem_ref(world.store);

	(void)state;
	top_up(2 * BLOCK);
	come_in();
	world.caller = mem_deref(world.caller);
	world.callers = mem_deref(world.callers);
	world.async = mem_deref(world.async);
	assert_int_equal(watched.returns, 1);
	assert_int_equal(store->ops->lease_take(store, &lease), 0);
	assert_int_equal(lease.granted_microcents, 2 * BLOCK);
	mem_deref(store);
}

static void test_an_account_that_becomes_prepaid_is_limited_after_the_next_poll(void **state)
{
	struct store_account to = {.is_prepaid = false};

	(void)state;
	assert_int_equal(world.store->ops->account_change(world.store, account_id,
							  STORE_ACCOUNT_PREPAID, &to),
			 0);
	come_in();
	mem_deref(begin());
	assert_int_equal(watched.leases, 0);
	to.is_prepaid = true;
	assert_int_equal(world.store->ops->account_change(world.store, account_id,
							  STORE_ACCOUNT_PREPAID, &to),
			 0);
	world_pass(&world, POLL);
	assert_int_equal(refused(), DENIAL_CREDIT);
}

static void test_a_burst_of_turns_is_not_refused_while_credit_is_requested(void **state)
{
	struct permit *permits[2 * LEASE_CHUNKS - 1];

	(void)state;
	top_up(100 * BLOCK);
	come_in();
	for (size_t i = 0; i < 2 * LEASE_CHUNKS - 1; ++i) {
		permits[i] = begin();
		assert_true(permit_begin_chunk(permits[i], 0, 0, &denied));
	}
	world_settle(&world);
	mem_deref(begin());
	for (size_t i = 0; i < 2 * LEASE_CHUNKS - 1; ++i)
		mem_deref(permits[i]);
}

/* Each turn speaks one long chunk, and all begin at the same time. */
static void test_money_7_many_turns_with_long_chunks_overdraw_by_one_chunk_at_most(void **state)
{
	struct permit *permits[2 * LEASE_CHUNKS];
	const int64_t chunk = BLOCK / 4;
	int64_t spent = 0;
	size_t count = 0;

	(void)state;
	top_up(2 * BLOCK);
	come_in();
	while (count < 2 * LEASE_CHUNKS &&
	       permit_ask(&permits[count], world.caller, &denied, NULL, NULL) == 0) {
		if (permit_begin_chunk(permits[count++], 0, chunk, &denied))
			spent += chunk;
	}
	assert_in_range(spent, BLOCK, 2 * BLOCK + chunk);
	while (count > 0)
		mem_deref(permits[--count]);
}

/* A voice that is slower than the estimate for every voice: all credit is spent, at most one lease
 * is overdrawn, and the turns end where they are. */
static void test_money_7_slow_voices_overdraw_by_one_lease_at_most(void **state)
{
	struct permit *permits[LEASE_CHUNKS];
	int64_t spent[LEASE_CHUNKS] = {0};
	int64_t all = 0;
	size_t ended = 0;

	(void)state;
	top_up(BLOCK);
	come_in();
	for (size_t i = 0; i < LEASE_CHUNKS; ++i) {
		permits[i] = begin();
		assert_true(permit_begin_chunk(permits[i], 0, 0, &denied));
	}
	while (ended < LEASE_CHUNKS) {
		size_t i = ended;

		if (permit_advance(permits[i], spent[i] + CHUNK, &denied)) {
			spent[i] += CHUNK;
			all += CHUNK;
			continue;
		}
		assert_int_equal(denied.why, DENIAL_CREDIT);
		permit_settle(permits[i], spent[i]);
		++ended;
	}
	assert_in_range(all, BLOCK, 2 * BLOCK);
	for (size_t i = 0; i < LEASE_CHUNKS; ++i)
		mem_deref(permits[i]);
}

/* One chunk that costs more than several leases, while there is credit for it. */
static void test_an_expensive_chunk_that_the_account_can_pay_is_not_cut_off(void **state)
{
	struct permit *permit;
	int64_t spent = 0;

	(void)state;
	top_up(8 * BLOCK);
	come_in();
	permit = begin();
	assert_true(permit_begin_chunk(permit, 0, BLOCK + CHUNK, &denied));
	for (; spent < 7 * BLOCK; spent += CHUNK) {
		assert_true(permit_advance(permit, spent + CHUNK, &denied));
		if (spent % BLOCK == 0)
			world_settle(&world);
	}
	permit_settle(permit, spent);
	mem_deref(permit);
	world_settle(&world);
}

/* The store's thread waits before it grants a lease until the turn that needed it has ended, and
 * then books that turn. */
static pthread_mutex_t turn_runs = PTHREAD_MUTEX_INITIALIZER;
static int64_t unbooked;

static void book_what_has_ended(void)
{
	pthread_mutex_lock(&turn_runs);
	if (unbooked > 0)
		book(unbooked);
	unbooked = 0;
	pthread_mutex_unlock(&turn_runs);
}

/* One connection with one turn of one chunk, which is spoken completely before the store
 * answers. */
static void speak_one_dear_turn(int64_t cost)
{
	struct permit *permit = NULL;
	bool may_speak;

	come_in();
	pthread_mutex_lock(&turn_runs);
	may_speak = permit_ask(&permit, world.caller, &denied, NULL, NULL) == 0 &&
		    permit_begin_chunk(permit, 0, cost, &denied) &&
		    permit_advance(permit, cost, &denied);
	if (may_speak) {
		unbooked = cost;
		permit_settle(permit, cost);
	}
	mem_deref(permit);
	pthread_mutex_unlock(&turn_runs);
	world_settle(&world);
	assert_true(may_speak);
	book_what_has_ended(); /* if no lease was requested */
	world.caller = mem_deref(world.caller);
}

/* Speaks turns that cost more than two leases each until all credit is spent: for the last one
 * there is less than it costs. */
static void spend_all_by_dear_turns(void)
{
	const int64_t dear = 2 * BLOCK + BLOCK / 6;
	const int64_t paid = BLOCK / 5 + 3 * dear + BLOCK + BLOCK / 4;

	top_up(paid);
	speak_one_dear_turn(BLOCK / 5);
	while (account_row().spent_microcents < paid)
		speak_one_dear_turn(dear);
	assert_in_range(account_row().spent_microcents, paid, paid + BLOCK);
	world_pass(&world, SECOND);
	come_in();
	assert_int_equal(refused(), DENIAL_CREDIT);
}

static void test_a_row_booked_before_a_lease_is_granted_is_not_counted_twice(void **state)
{
	(void)state;
	watched.before_lease = book_what_has_ended;
	spend_all_by_dear_turns();
}

static void test_a_row_booked_after_a_lease_is_granted_is_not_counted_twice(void **state)
{
	(void)state;
	watched.after_lease = book_what_has_ended;
	spend_all_by_dear_turns();
}

/* What a permit's handler has received. */
static struct {
	int count;
	int err;
	struct denied denied;
} told;

static void on_told(int err, const struct denied *why, void *arg)
{
	(void)arg;
	++told.count;
	told.err = err;
	if (err)
		told.denied = *why;
}

/* The store's thread waits at a lease while `turn_runs` is locked. */
static void stop_at_lease(void)
{
	pthread_mutex_lock(&turn_runs);
	pthread_mutex_unlock(&turn_runs);
}

/* Requests a permit while this server has no credit and the store is being asked. */
static struct permit *wait_to_begin(void)
{
	struct permit *permit = NULL;
	int err;

	memset(&told, 0, sizeof(told));
	come_in();
	watched.before_lease = stop_at_lease;
	assert_int_equal(refused(), DENIAL_CREDIT);
	top_up(2 * BLOCK);
	timers_advance(&world.loop->timers, world.loop->timers.now_us + SECOND / 4);
	pthread_mutex_lock(&turn_runs);
	err = permit_ask(&permit, world.caller, &denied, on_told, NULL);
	if (err != EINPROGRESS)
		pthread_mutex_unlock(&turn_runs);
	assert_int_equal(err, EINPROGRESS);
	return permit;
}

static void test_a_turn_waits_for_credit_that_is_being_requested(void **state)
{
	struct permit *permit = wait_to_begin();

	(void)state;
	pthread_mutex_unlock(&turn_runs);
	world_settle(&world);
	assert_int_equal(told.count, 1);
	assert_int_equal(told.err, 0);
	assert_true(permit_begin_chunk(permit, 0, 0, &denied));
	mem_deref(permit);
	assert_int_equal(world.callers->credit_waits.count, 0);
}

static void test_a_turn_that_waits_for_credit_can_be_released(void **state)
{
	struct permit *permit = wait_to_begin();

	(void)state;
	mem_deref(permit);
	pthread_mutex_unlock(&turn_runs);
	world_settle(&world);
	assert_int_equal(told.count, 0);
	mem_deref(begin()); /* it has kept no slot, and the credit has arrived */
}

static void test_a_turn_waits_for_credit_for_a_limited_time(void **state)
{
	struct permit *permit = wait_to_begin();

	(void)state;
	timers_advance(&world.loop->timers, world.loop->timers.now_us + 2 * SECOND + POLL);
	pthread_mutex_unlock(&turn_runs);
	assert_int_equal(told.count, 1);
	assert_int_equal(told.err, EACCES);
	assert_int_equal(told.denied.why, DENIAL_LEDGER);
	mem_deref(permit);
	world_settle(&world);
	assert_int_equal(told.count, 1);
}

static void test_a_chunk_waits_for_credit_that_is_being_requested(void **state)
{
	struct permit *permit;
	bool may_go_on;

	(void)state;
	memset(&told, 0, sizeof(told));
	top_up(4 * BLOCK);
	come_in();
	watched.before_lease = stop_at_lease;
	assert_int_equal(permit_ask(&permit, world.caller, &denied, on_told, NULL), 0);
	permit_wait_for_chunks(permit);
	assert_true(permit_begin_chunk(permit, 0, BLOCK, &denied));
	pthread_mutex_lock(&turn_runs);
	may_go_on = permit_begin_chunk(permit, 2 * BLOCK, 2 * BLOCK, &denied);
	pthread_mutex_unlock(&turn_runs);
	assert_false(may_go_on);
	assert_int_equal(denied.why, DENIAL_PENDING);
	world_settle(&world);
	assert_int_equal(told.count, 1);
	assert_int_equal(told.err, 0);
	assert_true(permit_begin_chunk(permit, 2 * BLOCK, 2 * BLOCK, &denied));
	permit_settle(permit, 2 * BLOCK);
	mem_deref(permit);
	world_settle(&world);
}

static void test_waiting_turns_are_answered_at_the_end(void **state)
{
	struct permit *permit = wait_to_begin();

	(void)state;
	world.caller = mem_deref(world.caller);
	pthread_mutex_unlock(&turn_runs);
	world.callers = mem_deref(world.callers);
	assert_int_equal(told.count, 1);
	assert_int_equal(told.denied.why, DENIAL_LEDGER);
	mem_deref(permit);
}

static void lend_to_another(int64_t want, int64_t expires_ms)
{
	struct store_lease lease = {.server = "another",
				    .holder = {STORE_HOLDER_ACCOUNT, account_id},
				    .want_microcents = want,
				    .at_ms = clock_wall_ms(),
				    .expires_ms = expires_ms};

	assert_int_equal(world.store->ops->lease_take(world.store, &lease), 0);
	assert_int_equal(lease.granted_microcents, want);
}

static void test_credit_held_by_another_server_is_not_reported_as_spent(void **state)
{
	(void)state;
	top_up(2 * BLOCK);
	lend_to_another(2 * BLOCK, INT64_MAX);
	come_in();
	assert_int_equal(refused(), DENIAL_LEASED);
	assert_true(denied.retry_s > 0);
	assert_int_equal(world.store->ops->lease_return(world.store, "another"), 0);
	world_pass(&world, SECOND / 4);
	come_in();
	mem_deref(begin());
}

static void test_reserved_credit_is_not_reported_as_spent(void **state)
{
	struct permit *permit;

	(void)state;
	top_up(BLOCK);
	come_in();
	permit = begin();
	assert_true(permit_begin_chunk(permit, 0, 2 * BLOCK, &denied));
	world_settle(&world);
	assert_int_equal(refused(), DENIAL_LEASED);
	assert_int_equal(denied.retry_s, 1);
	permit_settle(permit, BLOCK / 2); /* it cost less than was reserved */
	mem_deref(permit);
	world_settle(&world);
	mem_deref(begin());
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(test_the_first_lease_is_taken_when_the_key_is_checked),
		CASE(test_a_second_key_of_the_account_takes_no_second_lease),
		CASE(test_credit_is_requested_when_half_is_spent_and_no_turn_waits),
		CASE(test_money_7_all_credit_is_spent_and_at_most_one_chunk_more),
		CASE(test_money_7_many_turns_with_long_chunks_overdraw_by_one_chunk_at_most),
		CASE(test_money_7_slow_voices_overdraw_by_one_lease_at_most),
		CASE(test_an_expensive_chunk_that_the_account_can_pay_is_not_cut_off),
		CASE(test_without_credit_no_turn_begins_until_a_top_up),
		CASE(test_a_connected_caller_can_speak_soon_after_a_top_up),
		CASE(test_a_refresh_finds_credit_that_was_just_paid),
		CASE(test_an_account_without_credit_asks_the_store_at_a_limited_rate),
		CASE(test_a_key_with_its_own_credit_stops_when_that_is_spent),
		CASE(test_leased_credit_can_be_spent_while_the_store_is_unreachable),
		CASE(test_a_denial_while_the_store_is_unreachable_is_not_a_lack_of_credit),
		CASE(test_a_lease_in_use_is_renewed_and_an_unused_one_lapses),
		CASE(test_all_leases_are_returned_at_the_end),
		CASE(test_an_account_that_becomes_prepaid_is_limited_after_the_next_poll),
		CASE(test_a_burst_of_turns_is_not_refused_while_credit_is_requested),
		CASE(test_a_row_booked_before_a_lease_is_granted_is_not_counted_twice),
		CASE(test_a_row_booked_after_a_lease_is_granted_is_not_counted_twice),
		CASE(test_a_turn_waits_for_credit_that_is_being_requested),
		CASE(test_a_turn_that_waits_for_credit_can_be_released),
		CASE(test_a_turn_waits_for_credit_for_a_limited_time),
		CASE(test_a_chunk_waits_for_credit_that_is_being_requested),
		CASE(test_waiting_turns_are_answered_at_the_end),
		CASE(test_credit_held_by_another_server_is_not_reported_as_spent),
		CASE(test_reserved_credit_is_not_reported_as_spent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
