/* Credit is leased in blocks, requested in advance, and overdrawn by at most one block. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "account/lease.h"

#define BLOCK 3200
#define CHUNK (BLOCK / LEASE_CHUNKS)

static void test_without_a_limit_everything_is_covered(void **state)
{
	struct lease lease = {0};
	struct lease_part part = {0};

	(void)state;
	lease_limit(&lease, false, BLOCK);
	lease_spend(&lease, &part, INT64_MAX / 2);
	assert_true(lease_covers(&lease, &part, 0));
	assert_int_equal(lease_want(&lease), 0);
}

static void test_a_block_is_requested_at_first_and_again_when_half_is_spent(void **state)
{
	struct lease lease = {0};
	struct lease_part part = {0};

	(void)state;
	lease_limit(&lease, true, BLOCK);
	assert_false(lease_covers(&lease, NULL, 0));
	assert_int_equal(lease_want(&lease), BLOCK);
	lease_grant(&lease, BLOCK, 10 * BLOCK);
	assert_int_equal(lease_want(&lease), 0);
	lease_spend(&lease, &part, BLOCK / 2 - 1);
	assert_int_equal(lease_want(&lease), 0);
	lease_spend(&lease, &part, BLOCK / 2);
	assert_int_equal(lease_want(&lease), BLOCK / 2);
}

static void test_credit_for_a_chunk_is_reserved_and_released(void **state)
{
	struct lease lease = {0};
	struct lease_part parts[LEASE_CHUNKS + 1] = {{0}};

	(void)state;
	lease_limit(&lease, true, BLOCK);
	lease_grant(&lease, BLOCK, 0);
	for (int i = 0; i < LEASE_CHUNKS; ++i) {
		assert_true(lease_covers(&lease, &parts[i], 0));
		lease_reserve(&lease, &parts[i], 0);
	}
	assert_false(lease_covers(&lease, &parts[LEASE_CHUNKS], 0));
	assert_true(lease_want(&lease) > 0); /* many turns at once need more */
	lease_spend(&lease, &parts[0], 1); /* it cost less than was reserved */
	assert_true(lease_covers(&lease, &parts[LEASE_CHUNKS], 0));
}

static void test_a_turn_reserves_the_cost_of_its_most_expensive_chunk(void **state)
{
	struct lease lease = {0};
	struct lease_part part = {0};

	(void)state;
	lease_limit(&lease, true, BLOCK);
	lease_grant(&lease, BLOCK, 0);
	lease_reserve(&lease, &part, 5 * CHUNK);
	assert_int_equal(lease.reserved, 5 * CHUNK);
	lease_reserve(&lease, &part, 0);
	assert_int_equal(lease.reserved, CHUNK);
}

static void test_a_burst_may_use_at_most_one_block_beyond_the_lease(void **state)
{
	struct lease lease = {0};
	struct lease_part parts[4 * LEASE_CHUNKS] = {{0}};
	int begun = 0;

	(void)state;
	lease_limit(&lease, true, BLOCK);
	lease_grant(&lease, BLOCK, 10 * BLOCK);
	while (lease_covers(&lease, &parts[begun], 0))
		lease_reserve(&lease, &parts[begun++], 0);
	assert_int_equal(begun, 2 * LEASE_CHUNKS - 1);
}

static void test_each_server_may_use_its_part_of_a_large_credit(void **state)
{
	struct lease lease = {0};
	struct lease_part parts[8 * LEASE_CHUNKS] = {{0}};
	int begun = 0;

	(void)state;
	lease_limit(&lease, true, BLOCK);
	lease_grant(&lease, BLOCK, 3 * LEASE_SERVERS * (int64_t)BLOCK);
	while (lease_covers(&lease, &parts[begun], 0))
		lease_reserve(&lease, &parts[begun++], 0);
	assert_int_equal(begun, 4 * LEASE_CHUNKS);
}

static void test_a_long_chunk_reserves_its_estimated_cost(void **state)
{
	struct lease lease = {0};
	struct lease_part parts[LEASE_CHUNKS] = {{0}};
	int begun = 0;

	(void)state;
	lease_limit(&lease, true, BLOCK);
	lease_grant(&lease, BLOCK, BLOCK);
	while (lease_covers(&lease, &parts[begun], BLOCK / 4))
		lease_reserve(&lease, &parts[begun++], BLOCK / 4);
	assert_int_equal(begun, 7); /* four from the lease, and less than a block beyond it */
	assert_false(lease_covers(&lease, NULL, 2 * BLOCK));
}

static void test_a_lease_that_becomes_limited_begins_without_credit(void **state)
{
	struct lease lease = {0};
	struct lease_part part = {0};

	(void)state;
	lease_limit(&lease, false, BLOCK);
	lease_spend(&lease, &part, 700);
	lease_limit(&lease, true, BLOCK);
	assert_false(lease_covers(&lease, &part, 0));
	assert_int_equal(lease_want(&lease), BLOCK);
	lease_grant(&lease, 10, 0);
	assert_true(lease_covers(&lease, &part, 0));
	lease_spend(&lease, &part, 710);
	assert_false(lease_covers(&lease, &part, 0));
}

static void test_a_lapsed_lease_has_no_credit_until_the_store_says_what_is_held(void **state)
{
	struct lease lease = {0};

	(void)state;
	lease_limit(&lease, true, BLOCK);
	lease_grant(&lease, BLOCK, BLOCK);
	lease_lapse(&lease);
	assert_false(lease_covers(&lease, NULL, 0));
	lease_answered(&lease, &(struct lease_answer){.held = 40});
	assert_int_equal(lease_want(&lease), BLOCK - 40);
	assert_true(lease_covers(&lease, NULL, 0));
}

/* A turn costs more than this server held; the store answers once before and once after it has
 * booked the turn. */
static void test_credit_held_at_the_store_agrees_before_and_after_a_turn_is_booked(void **state)
{
	struct lease lease = {0};
	struct lease_part part = {0};

	(void)state;
	lease_limit(&lease, true, BLOCK);
	lease_answered(&lease, &(struct lease_answer){.held = BLOCK, .left = 4 * BLOCK});
	lease_spend(&lease, &part, 2 * BLOCK);
	lease_answered(&lease, &(struct lease_answer){.held = 3 * BLOCK, .left = 2 * BLOCK});
	assert_int_equal(lease.granted - lease.used, BLOCK);
	/* The store has deducted the turn from what is held; nothing else has changed. */
	lease_answered(&lease, &(struct lease_answer){
				       .booked = 2 * BLOCK, .held = BLOCK, .left = 2 * BLOCK});
	assert_int_equal(lease.granted - lease.used, BLOCK);
	/* The store deducts no more than was held; the rest is deducted from the account. */
	lease_spend(&lease, &part, 5 * BLOCK);
	lease_answered(&lease, &(struct lease_answer){.booked = 3 * BLOCK, .held = 0, .left = 0});
	assert_int_equal(lease.granted - lease.used, 0);
	assert_false(lease_covers(&lease, NULL, 0));
}

static void test_credit_is_spent_only_when_no_server_has_any(void **state)
{
	struct lease lease = {0};
	struct lease_part part = {0};

	(void)state;
	lease_limit(&lease, true, BLOCK);
	lease_answered(&lease, &(struct lease_answer){.held = CHUNK});
	assert_false(lease_is_spent(&lease));
	lease_reserve(&lease, &part, CHUNK);
	assert_false(lease_covers(&lease, NULL, 0));
	assert_false(lease_is_spent(&lease)); /* the turn may cost less than is reserved */
	lease_spend(&lease, &part, CHUNK);
	assert_true(lease_is_spent(&lease));
	lease_answered(&lease, &(struct lease_answer){.booked = CHUNK, .elsewhere = 1});
	assert_false(lease_covers(&lease, NULL, 0));
	assert_false(lease_is_spent(&lease));
	lease_answered(&lease, &(struct lease_answer){.left = -1});
	assert_true(lease_is_spent(&lease));
}

static void test_rows_that_no_sum_has_found_are_forgotten_when_all_is_booked(void **state)
{
	struct lease lease = {0};
	struct lease_part part = {0};

	(void)state;
	lease_limit(&lease, true, BLOCK);
	lease_answered(&lease, &(struct lease_answer){.held = BLOCK});
	lease_spend(&lease, &part, BLOCK / 2);
	lease_answered(&lease, &(struct lease_answer){.held = BLOCK / 2});
	assert_int_equal(lease.granted - lease.used, 0);
	lease_all_booked(&lease);
	assert_int_equal(lease.granted - lease.used, BLOCK / 2);
}

/* The credit of an account, as the store manages it for several servers. */
struct purse {
	int64_t left;
	uint32_t random;
};

static uint32_t draw(struct purse *purse, uint32_t below)
{
	purse->random = purse->random * 1664525u + 1013904223u;
	return (purse->random >> 8) % below;
}

static void renew(struct purse *purse, struct lease *lease)
{
	int64_t want = lease_want(lease);
	int64_t granted = want < purse->left ? want : purse->left;

	if (want == 0)
		return;
	purse->left -= granted;
	lease_grant(lease, granted, purse->left);
}

#define SERVERS_MAX 3
#define TURNS 200

/* Speaks turns of chunks that cost up to `dearest` until none may continue.  The store is asked at
 * random times. */
static int64_t spend_all(struct purse *purse, uint32_t servers, uint32_t dearest)
{
	struct lease leases[SERVERS_MAX] = {{0}};
	struct lease_part parts[SERVERS_MAX][TURNS] = {{{0}}};
	int64_t spent = 0;

	for (uint32_t s = 0; s < servers; ++s) {
		lease_limit(&leases[s], true, BLOCK);
		renew(purse, &leases[s]);
	}
	for (int refusals = 0; refusals < 20000;) {
		struct lease *lease = &leases[draw(purse, servers)];
		struct lease_part *part = &parts[lease - leases][draw(purse, TURNS)];
		int64_t cost = part->reserved ? 1 + draw(purse, dearest) : 0;

		spent += cost;
		lease_spend(lease, part, part->spent + cost);
		if (draw(purse, 8) == 0)
			renew(purse, lease);
		if (lease_covers(lease, part, dearest))
			lease_reserve(lease, part, dearest);
		else
			++refusals;
	}
	return spent;
}

/* Speaks chunks that cost up to `dearest` but are estimated to cost almost nothing.  They are sent
 * in frames. */
static int64_t spend_slowly(struct purse *purse, int64_t dearest)
{
	struct lease lease = {0};
	struct lease_part parts[TURNS] = {{0}};
	int64_t due[TURNS] = {0};
	int64_t spent = 0;

	lease_limit(&lease, true, BLOCK);
	renew(purse, &lease);
	for (int refusals = 0; refusals < 20000;) {
		uint32_t i = draw(purse, TURNS);
		int64_t frame = CHUNK / 10;

		if (due[i] >= frame) {
			lease_advance(&lease, &parts[i], parts[i].spent + frame);
			if (!lease_is_overdrawn(&lease, draw(purse, 2))) {
				due[i] -= frame;
				spent += frame;
				continue;
			}
			lease_spend(&lease, &parts[i], parts[i].spent - frame); /* it is not sent */
		}
		due[i] = 0;
		if (draw(purse, 8) == 0)
			renew(purse, &lease);
		if (lease_covers(&lease, &parts[i], 1)) {
			lease_reserve(&lease, &parts[i], 1);
			due[i] = dearest;
		} else {
			++refusals;
		}
	}
	return spent;
}

static int64_t most_overdrawn(uint32_t servers, uint32_t dearest)
{
	int64_t most = 0;

	for (uint32_t seed = 1; seed <= 30; ++seed) {
		struct purse purse = {.left = (int64_t)seed * 1111, .random = seed};
		int64_t credit = purse.left;
		int64_t over = spend_all(&purse, servers, dearest) - credit;

		assert_true(over >= 0); /* all credit was spent */
		if (over > most)
			most = over;
	}
	return most;
}

static void test_money_7_each_server_overdraws_by_at_most_one_lease(void **state)
{
	(void)state;
	assert_in_range(most_overdrawn(SERVERS_MAX, CHUNK), 0, SERVERS_MAX * BLOCK);
	assert_in_range(most_overdrawn(SERVERS_MAX, BLOCK / 3), 0, SERVERS_MAX * BLOCK);
}

static void test_money_7_a_single_server_overdraws_by_at_most_one_chunk(void **state)
{
	(void)state;
	assert_in_range(most_overdrawn(1, CHUNK), 0, CHUNK);
	assert_in_range(most_overdrawn(1, BLOCK / 3), 0, BLOCK / 3);
}

static void test_money_7_chunks_above_their_estimate_overdraw_by_at_most_one_lease(void **state)
{
	(void)state;
	for (uint32_t seed = 1; seed <= 30; ++seed) {
		struct purse purse = {.left = (int64_t)seed * 1111, .random = seed};
		int64_t credit = purse.left;
		int64_t spent = spend_slowly(&purse, 2 * (int64_t)BLOCK);

		assert_in_range(spent, credit, credit + BLOCK);
	}
}

static void test_audio_that_is_sent_uses_the_reserved_credit(void **state)
{
	struct lease lease = {0};
	struct lease_part part = {0};

	(void)state;
	lease_limit(&lease, true, BLOCK);
	lease_grant(&lease, BLOCK, 0);
	lease_reserve(&lease, &part, 2 * CHUNK);
	lease_advance(&lease, &part, CHUNK);
	assert_int_equal(lease.used + lease.reserved, 2 * CHUNK);
	lease_advance(&lease, &part, 3 * CHUNK);
	assert_int_equal(lease.used, 3 * CHUNK);
	assert_int_equal(lease.reserved, 0);
	lease_advance(&lease, &part, 2 * BLOCK);
	assert_false(lease_is_overdrawn(&lease, false));
	lease_advance(&lease, &part, 2 * BLOCK + 1);
	assert_true(lease_is_overdrawn(&lease, false));
	assert_true(lease_is_overdrawn(&lease, true)); /* nothing was left */
	lease.left = 1;
	assert_true(lease_is_overdrawn(&lease, false));
	assert_false(lease_is_overdrawn(&lease, true));
	lease.left = INT64_MAX; /* the account has become unlimited */
	assert_false(lease_is_overdrawn(&lease, true));
	lease_spend(&lease, &part, 2 * BLOCK); /* the audio was not sent */
	assert_int_equal(lease.used, 2 * BLOCK);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_without_a_limit_everything_is_covered),
		cmocka_unit_test(test_a_block_is_requested_at_first_and_again_when_half_is_spent),
		cmocka_unit_test(test_credit_for_a_chunk_is_reserved_and_released),
		cmocka_unit_test(test_a_turn_reserves_the_cost_of_its_most_expensive_chunk),
		cmocka_unit_test(test_a_burst_may_use_at_most_one_block_beyond_the_lease),
		cmocka_unit_test(test_each_server_may_use_its_part_of_a_large_credit),
		cmocka_unit_test(test_a_long_chunk_reserves_its_estimated_cost),
		cmocka_unit_test(test_a_lease_that_becomes_limited_begins_without_credit),
		cmocka_unit_test(
			test_a_lapsed_lease_has_no_credit_until_the_store_says_what_is_held),
		cmocka_unit_test(
			test_credit_held_at_the_store_agrees_before_and_after_a_turn_is_booked),
		cmocka_unit_test(test_credit_is_spent_only_when_no_server_has_any),
		cmocka_unit_test(test_rows_that_no_sum_has_found_are_forgotten_when_all_is_booked),
		cmocka_unit_test(test_money_7_each_server_overdraws_by_at_most_one_lease),
		cmocka_unit_test(test_money_7_a_single_server_overdraws_by_at_most_one_chunk),
		cmocka_unit_test(
			test_money_7_chunks_above_their_estimate_overdraw_by_at_most_one_lease),
		cmocka_unit_test(test_audio_that_is_sent_uses_the_reserved_credit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
