/* Credit is there before it is needed, and what there is can be spent, but for a chunk. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "account/members_private.h"
#include "base/mem.h"
#include "members_world.h"

#define POLL (MEMBERS_POLL_MS * UINT64_C(1000))
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
	world_open(&world, &(struct members_options){0});
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

	assert_int_equal(permit_ask(&permit, world.member, &denied, NULL, NULL), 0);
	return permit;
}

static enum denial refused(void)
{
	struct permit *permit;

	assert_int_equal(permit_ask(&permit, world.member, &denied, NULL, NULL), EACCES);
	return denied.why;
}

static struct store_account account_row(void)
{
	struct store_account row;

	assert_int_equal(world.store->ops->account_get(world.store, &row, account_id), 0);
	return row;
}

/* As a turn does in the end. */
static void book(int64_t microcents)
{
	static int number;
	struct store_turn turn = {.account_id = account_id,
				  .key_id = member_key(world.member)->id,
				  .sample_rate = 24000,
				  .amount_microcents = microcents};
	int err;

	snprintf(turn.id, sizeof(turn.id), "turn %d", ++number);
	snprintf(turn.server, sizeof(turn.server), "%s", account_server_id(world.account));
	assert_int_equal(world.store->ops->turns_add(world.store, &turn, 1, &err), 0);
	assert_int_equal(err, 0);
}

/* Speaks chunks of one price until it may not; what it cost in all. */
static int64_t speak(int64_t chunk)
{
	struct permit *permit = begin();
	int64_t spent = 0;

	while (permit_go_on(permit, spent, 0, &denied)) {
		world_settle(&world);
		spent += chunk;
	}
	permit_settle(permit, spent);
	mem_deref(permit);
	world_settle(&world);
	book(spent);
	return spent;
}

static void test_the_first_lease_comes_with_the_key(void **state)
{
	struct permit *permit;

	(void)state;
	top_up(10 * BLOCK);
	come_in();
	assert_int_equal(watched.leases, 1);
	permit = begin(); /* at once */
	assert_true(permit_go_on(permit, 0, 0, &denied));
	assert_int_equal(watched.leases, 1);
	mem_deref(permit);
}

static void test_a_second_key_of_the_account_takes_no_second_lease(void **state)
{
	struct member *first;
	struct store_key key;
	char text[ACCOUNT_KEY_LEN + 1];

	(void)state;
	top_up(10 * BLOCK);
	come_in();
	first = mem_ref(world.member);
	assert_int_equal(account_key_make(text, &key, "second"), 0);
	key.project_id = member_key(first)->project_id;
	assert_int_equal(world.store->ops->key_add(world.store, &key), 0);
	assert_int_equal(world_check(&world, text, "/"), 0);
	assert_ptr_not_equal(world.member, first);
	assert_int_equal(watched.leases, 1);
	mem_deref(first);
}

static void test_more_is_asked_for_when_half_is_spent_and_nobody_waits(void **state)
{
	struct permit *permit;

	(void)state;
	top_up(10 * BLOCK);
	come_in();
	permit = begin();
	assert_true(permit_go_on(permit, BLOCK / 2 - 1, 0, &denied));
	world_settle(&world);
	assert_int_equal(watched.leases, 1);
	assert_true(permit_go_on(permit, BLOCK / 2 + 1, 0, &denied));
	world_settle(&world);
	assert_int_equal(watched.leases, 2);
	assert_true(permit_go_on(permit, BLOCK + BLOCK / 4, 0, &denied));
	permit_settle(permit, BLOCK + BLOCK / 4);
	mem_deref(permit);
}

static void test_money_7_all_credit_is_spent_and_one_chunk_more_at_most(void **state)
{
	int64_t paid = 0;

	(void)state;
	for (int i = 1; i <= 10; ++i) {
		int64_t spent;

		top_up(i * 777);
		paid += i * 777;
		world_pass(&world, SECOND);
		if (account_row().spent_microcents >= paid)
			continue; /* the last overshoot took it */
		come_in();
		speak(CHUNK);
		spent = account_row().spent_microcents;
		assert_true(spent >= paid);
		assert_true(spent - paid <= CHUNK);
		assert_int_equal(refused(), DENIAL_CREDIT);
	}
}

static void test_without_credit_nothing_begins_until_some_is_paid_in(void **state)
{
	(void)state;
	come_in(); /* it may come */
	assert_int_equal(refused(), DENIAL_CREDIT);
	top_up(BLOCK);
	world_pass(&world, SECOND / 4);
	come_in();
	mem_deref(begin());
}

static void test_who_stays_is_served_when_it_asks_again(void **state)
{
	(void)state;
	come_in();
	assert_int_equal(refused(), DENIAL_CREDIT);
	top_up(BLOCK);
	world_pass(&world, SECOND / 4);
	assert_int_equal(refused(), DENIAL_CREDIT); /* and the store is asked */
	world_settle(&world);
	mem_deref(begin());
}

static void test_a_refresh_finds_credit_that_was_just_paid(void **state)
{
	(void)state;
	come_in();
	assert_int_equal(refused(), DENIAL_CREDIT);
	top_up(BLOCK);
	members_refresh(world.members);
	come_in();
	mem_deref(begin());
}

static void test_who_has_nothing_asks_the_store_only_so_often(void **state)
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

static void test_a_key_that_may_spend_only_so_much_ends_by_itself(void **state)
{
	struct store_key to = {.credit_cents = 0};

	(void)state;
	top_up(100 * BLOCK);
	assert_int_equal(
		world.store->ops->key_change(world.store, world.prefix, STORE_KEY_CREDIT, &to), 0);
	come_in();
	assert_int_equal(refused(), DENIAL_CREDIT);
	to.credit_cents = 1; /* a million micro-cents */
	assert_int_equal(
		world.store->ops->key_change(world.store, world.prefix, STORE_KEY_CREDIT, &to), 0);
	world_pass(&world, SECOND);
	top_up(2000000);
	come_in();
	assert_in_range(speak(CHUNK), 1000000, 1000000 + CHUNK);
	assert_int_equal(refused(), DENIAL_CREDIT);
	assert_true(account_row().spent_microcents < account_row().credit_microcents);
}

static void test_what_is_leased_is_spent_while_the_store_is_away(void **state)
{
	struct permit *permit;

	(void)state;
	top_up(10 * BLOCK);
	come_in();
	permit = begin();
	watched.err = EIO;
	assert_true(permit_go_on(permit, BLOCK / 2 + 1, 0, &denied));
	world_settle(&world);
	assert_true(permit_go_on(permit, BLOCK - 1, 0, &denied));
	world_settle(&world);
	assert_false(permit_go_on(permit, BLOCK, 0, &denied));
	assert_int_equal(denied.why, DENIAL_LEDGER); /* nobody knows of more */
	come_in(); /* what costs nothing goes on */
	assert_int_equal(refused(), DENIAL_LEDGER);
	watched.err = 0;
	world_pass(&world, SECOND);
	come_in();
	assert_true(permit_go_on(permit, BLOCK, 0, &denied));
	mem_deref(permit);
}

static void test_a_chunk_cut_off_while_the_store_is_away_is_not_said_to_lack_credit(void **state)
{
	struct permit *permit;

	(void)state;
	top_up(10 * BLOCK);
	come_in();
	permit = begin();
	watched.err = EIO;
	assert_true(permit_go_on(permit, 0, 0, &denied));
	assert_true(permit_advance(permit, BLOCK, &denied));
	world_settle(&world);
	assert_false(permit_advance(permit, 2 * BLOCK + CHUNK, &denied));
	assert_int_equal(denied.why, DENIAL_LEDGER);
	watched.err = 0;
	permit_settle(permit, 2 * BLOCK);
	mem_deref(permit);
	world_settle(&world);
}

static void test_a_lease_in_use_is_prolonged_and_an_idle_one_lapses(void **state)
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
	world.member = mem_deref(world.member);
	world_pass(&world, 61 * SECOND);
	assert_int_equal(watched.leases, asked + 3);
	come_in(); /* asks, and waits for it */
	assert_int_equal(watched.leases, asked + 4);
	mem_deref(begin());
}

static void test_all_is_given_back_in_the_end(void **state)
{
	struct store_lease lease = {.server = "another",
				    .holder = {STORE_HOLDER_ACCOUNT, account_id},
				    .want_microcents = 10 * BLOCK,
				    .expires_ms = INT64_MAX};
	struct store *store = mem_ref(world.store);

	(void)state;
	top_up(2 * BLOCK);
	come_in();
	world.member = mem_deref(world.member);
	world.members = mem_deref(world.members);
	world.account = mem_deref(world.account);
	assert_int_equal(watched.returns, 1);
	assert_int_equal(store->ops->lease_take(store, &lease), 0);
	assert_int_equal(lease.granted_microcents, 2 * BLOCK);
	mem_deref(store);
}

static void test_an_account_that_becomes_prepaid_is_so_with_the_next_poll(void **state)
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

static void test_a_burst_of_turns_is_not_refused_while_more_is_on_its_way(void **state)
{
	struct permit *permits[2 * LEASE_CHUNKS - 1];

	(void)state;
	top_up(100 * BLOCK);
	come_in();
	for (size_t i = 0; i < 2 * LEASE_CHUNKS - 1; ++i) {
		permits[i] = begin();
		assert_true(permit_go_on(permits[i], 0, 0, &denied));
	}
	world_settle(&world);
	mem_deref(begin());
	for (size_t i = 0; i < 2 * LEASE_CHUNKS - 1; ++i)
		mem_deref(permits[i]);
}

/* Each speaks one long chunk, and all begin in the same moment. */
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
	       permit_ask(&permits[count], world.member, &denied, NULL, NULL) == 0) {
		if (permit_go_on(permits[count++], 0, chunk, &denied))
			spent += chunk;
	}
	assert_in_range(spent, BLOCK, 2 * BLOCK + chunk);
	while (count > 0)
		mem_deref(permits[--count]);
}

/* A voice that is slower than any was reckoned to be: all that there is goes, a lease of
 * it is overdrawn at most, and the turns end where they are. */
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
		assert_true(permit_go_on(permits[i], 0, 0, &denied));
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
static void test_a_dear_chunk_of_who_can_pay_is_not_cut_off(void **state)
{
	struct permit *permit;
	int64_t spent = 0;

	(void)state;
	top_up(8 * BLOCK);
	come_in();
	permit = begin();
	assert_true(permit_go_on(permit, 0, BLOCK + CHUNK, &denied));
	for (; spent < 7 * BLOCK; spent += CHUNK) {
		assert_true(permit_advance(permit, spent + CHUNK, &denied));
		if (spent % BLOCK == 0)
			world_settle(&world);
	}
	permit_settle(permit, spent);
	mem_deref(permit);
	world_settle(&world);
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(test_the_first_lease_comes_with_the_key),
		CASE(test_a_second_key_of_the_account_takes_no_second_lease),
		CASE(test_more_is_asked_for_when_half_is_spent_and_nobody_waits),
		CASE(test_money_7_all_credit_is_spent_and_one_chunk_more_at_most),
		CASE(test_money_7_many_turns_with_long_chunks_overdraw_by_one_chunk_at_most),
		CASE(test_money_7_slow_voices_overdraw_by_one_lease_at_most),
		CASE(test_a_dear_chunk_of_who_can_pay_is_not_cut_off),
		CASE(test_without_credit_nothing_begins_until_some_is_paid_in),
		CASE(test_who_stays_is_served_when_it_asks_again),
		CASE(test_a_refresh_finds_credit_that_was_just_paid),
		CASE(test_who_has_nothing_asks_the_store_only_so_often),
		CASE(test_a_key_that_may_spend_only_so_much_ends_by_itself),
		CASE(test_what_is_leased_is_spent_while_the_store_is_away),
		CASE(test_a_chunk_cut_off_while_the_store_is_away_is_not_said_to_lack_credit),
		CASE(test_a_lease_in_use_is_prolonged_and_an_idle_one_lapses),
		CASE(test_all_is_given_back_in_the_end),
		CASE(test_an_account_that_becomes_prepaid_is_so_with_the_next_poll),
		CASE(test_a_burst_of_turns_is_not_refused_while_more_is_on_its_way),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
