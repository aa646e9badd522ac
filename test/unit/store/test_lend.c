/* How much is lent, at the ends of what numbers can hold; and what a batch costs whom. */
#include <stdlib.h>
#include <string.h>

#include "rows.h"
#include "store/lend.h"
#include "store/tally.h"

static struct store_lease wish(int64_t microcents)
{
	return (struct store_lease){.want_microcents = microcents};
}

static void test_no_sum_runs_over(void **state)
{
	struct lend_balance balance = {
		.is_limited = true, .paid_microcents = INT64_MIN, .spent_microcents = INT64_MAX};
	struct store_lease lease = wish(5);

	(void)state;
	lend(&lease, &balance);
	assert_int_equal(lease.granted_microcents, 0);
	assert_int_equal(lease.left_microcents, INT64_MIN);
	balance = (struct lend_balance){
		.is_limited = true, .paid_microcents = INT64_MAX, .spent_microcents = -1};
	lease = wish(INT64_MAX);
	lend(&lease, &balance);
	assert_int_equal(lease.granted_microcents, INT64_MAX);
	assert_int_equal(lease.left_microcents, 0);
}

static void test_a_negative_wish_takes_nothing_away(void **state)
{
	const struct lend_balance balance = {.is_limited = true,
					     .paid_microcents = 100,
					     .lent_microcents = 30,
					     .held_microcents = 30};
	struct store_lease lease = wish(-10);

	(void)state;
	lend(&lease, &balance);
	assert_int_equal(lease.granted_microcents, 0);
	assert_int_equal(lease.held_microcents, 30);
	assert_int_equal(lease.left_microcents, 70);
}

static void test_a_key_s_cents_are_a_million_microcents(void **state)
{
	struct store_key key = {.credit_cents = 3, .spent_microcents = 7};
	struct lend_balance balance = {0};

	(void)state;
	lend_of_key(&balance, &key);
	assert_true(balance.is_limited);
	assert_int_equal(balance.paid_microcents, 3000000);
	assert_int_equal(balance.spent_microcents, 7);
	key.credit_cents = INT64_MAX;
	lend_of_key(&balance, &key);
	assert_int_equal(balance.paid_microcents, INT64_MAX);
	key.credit_cents = -1;
	lend_of_key(&balance, &key);
	assert_false(balance.is_limited);
}

static void test_tallies_are_one_for_each_holder_and_server(void **state)
{
	static const struct {
		int64_t account_id, key_id;
		const char *server;
		int64_t microcents;
	} turns[] = {{2, 7, "b", 1}, {1, 8, "a", 2},  {2, 7, "a", 4}, {2, 9, "b", 8},
		     {0, 0, "", 16}, {2, 7, "b", 32}, {1, 8, "a", 0}};
	static const struct tally expected[] = {
		{{STORE_HOLDER_ACCOUNT, 1}, "a", 2},  {{STORE_HOLDER_ACCOUNT, 2}, "a", 4},
		{{STORE_HOLDER_ACCOUNT, 2}, "b", 41}, {{STORE_HOLDER_KEY, 7}, "a", 4},
		{{STORE_HOLDER_KEY, 7}, "b", 33},     {{STORE_HOLDER_KEY, 8}, "a", 2},
		{{STORE_HOLDER_KEY, 9}, "b", 8}};
	const size_t turn_count = sizeof(turns) / sizeof(turns[0]);
	struct tally *rows = tally_rows(turn_count);
	size_t count = 0;

	(void)state;
	assert_non_null(rows);
	for (size_t i = 0; i < turn_count; ++i) {
		struct store_turn turn = {.account_id = turns[i].account_id,
					  .key_id = turns[i].key_id,
					  .amount_microcents = turns[i].microcents};

		memcpy(turn.server, turns[i].server, strlen(turns[i].server));
		count = tally_note(rows, count, &turn);
	}
	count = tally_merge(rows, count);
	assert_int_equal(count, sizeof(expected) / sizeof(expected[0]));
	for (size_t i = 0; i < count; ++i) {
		assert_int_equal(rows[i].holder.kind, expected[i].holder.kind);
		assert_int_equal(rows[i].holder.id, expected[i].holder.id);
		assert_string_equal(rows[i].server, expected[i].server);
		assert_int_equal(rows[i].microcents, expected[i].microcents);
	}
	assert_int_equal(tally_merge(rows, 0), 0);
	free(rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_sum_runs_over),
		cmocka_unit_test(test_a_negative_wish_takes_nothing_away),
		cmocka_unit_test(test_a_key_s_cents_are_a_million_microcents),
		cmocka_unit_test(test_tallies_are_one_for_each_holder_and_server),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
