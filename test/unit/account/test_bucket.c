/* A bucket allows exactly the tokens of a minute, whatever the clock does. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "account/bucket.h"

#define SECOND UINT64_C(1000000)
#define MINUTE (60 * SECOND)

static bool take(struct bucket *bucket, int64_t tokens, uint64_t now_us)
{
	if (bucket_wait_us(bucket, tokens, now_us) > 0)
		return false;
	bucket_take(bucket, tokens, now_us);
	return true;
}

static void test_a_full_minute_can_be_used_at_once_and_is_then_refilled_gradually(void **state)
{
	struct bucket bucket;

	(void)state;
	bucket_init(&bucket, 60, 0);
	for (int i = 0; i < 60; ++i)
		assert_true(take(&bucket, 1, 0));
	assert_false(take(&bucket, 1, 0));
	assert_int_equal(bucket_wait_us(&bucket, 1, 0), SECOND);
	assert_false(take(&bucket, 1, SECOND - 1));
	assert_true(take(&bucket, 1, SECOND));
	assert_false(take(&bucket, 1, SECOND));
}

static void test_frequent_checks_neither_add_nor_lose_tokens(void **state)
{
	struct bucket bucket;
	uint64_t now = 0;
	int64_t taken = 0;

	(void)state;
	bucket_init(&bucket, 7, 0); /* a token takes 8571428.57 us */
	for (; now < 100 * MINUTE; now += 9973)
		taken += take(&bucket, 1, now);
	taken += take(&bucket, 1, 100 * MINUTE);
	assert_int_equal(taken, 7 + 700);
}

static void test_a_bucket_never_holds_more_than_one_minute(void **state)
{
	struct bucket bucket;

	(void)state;
	bucket_init(&bucket, 10, 0);
	assert_int_equal(bucket_left(&bucket, UINT64_MAX / 2), 10);
	assert_int_equal(bucket_left(&bucket, UINT64_MAX), 10);
}

static void test_a_clock_that_is_set_back_neither_adds_nor_removes_tokens(void **state)
{
	struct bucket bucket;
	uint64_t now = 1000 * MINUTE;

	(void)state;
	bucket_init(&bucket, 10, now);
	bucket_take(&bucket, 10, now);
	assert_int_equal(bucket_left(&bucket, 0), 0);
	assert_int_equal(bucket_left(&bucket, 6 * SECOND), 1); /* time counts from there */
	assert_int_equal(bucket_left(&bucket, now), 10);
}

static void test_a_request_above_the_limit_waits_for_a_full_bucket_and_leaves_a_debt(void **state)
{
	struct bucket bucket;

	(void)state;
	bucket_init(&bucket, 100, 0);
	assert_true(take(&bucket, 1, 0));
	assert_int_equal(bucket_wait_us(&bucket, 250, 0), MINUTE / 100);
	assert_true(take(&bucket, 250, MINUTE));
	assert_int_equal(bucket_left(&bucket, MINUTE), 0);
	assert_false(take(&bucket, 0, MINUTE)); /* while there is a debt, not even 0 tokens */
	assert_int_equal(bucket_wait_us(&bucket, 0, MINUTE), 150 * (MINUTE / 100));
	assert_true(take(&bucket, 0, MINUTE + 150 * (MINUTE / 100)));
}

static void test_a_limit_of_0_allows_nothing_and_no_limit_allows_everything(void **state)
{
	struct bucket bucket;

	(void)state;
	bucket_init(&bucket, 0, 0);
	assert_int_equal(bucket_wait_us(&bucket, 1, MINUTE), UINT64_MAX);
	bucket_init(&bucket, -1, 0);
	bucket_take(&bucket, INT64_MAX, 0);
	assert_int_equal(bucket_wait_us(&bucket, INT64_MAX, 0), 0);
	assert_int_equal(bucket_left(&bucket, 0), INT64_MAX);
}

static void test_the_largest_numbers_do_not_overflow(void **state)
{
	struct bucket bucket;

	(void)state;
	bucket_init(&bucket, INT64_MAX, 0);
	assert_int_equal(bucket.per_minute, BUCKET_MAX);
	for (int i = 0; i < 100; ++i)
		bucket_take(&bucket, INT64_MAX, 0);
	assert_int_equal(bucket_left(&bucket, 0), 0);
	assert_int_equal(bucket_left(&bucket, 10 * MINUTE), BUCKET_MAX);
	bucket_init(&bucket, 1, 0);
	bucket_take(&bucket, INT64_MAX, 0);
	assert_true(bucket_wait_us(&bucket, 1, 0) > MINUTE);
}

static void test_a_new_limit_applies_at_once_and_used_tokens_stay_used(void **state)
{
	struct bucket bucket;

	(void)state;
	bucket_init(&bucket, 10, 0);
	bucket_take(&bucket, 8, 0);
	bucket_resize(&bucket, 100, 0);
	assert_int_equal(bucket_left(&bucket, 0), 92);
	bucket_take(&bucket, 42, 0);
	bucket_resize(&bucket, 20, 0); /* empty, but not in debt */
	assert_int_equal(bucket_left(&bucket, 0), 0);
	assert_int_equal(bucket_wait_us(&bucket, 1, 0), MINUTE / 20);
	bucket_resize(&bucket, -1, 0);
	assert_int_equal(bucket_wait_us(&bucket, 1000, 0), 0);
	bucket_resize(&bucket, 5, 0);
	assert_int_equal(bucket_left(&bucket, 0), 5);
}

/* A key that has used more than its limit keeps its debt when it is read from the store again. */
static void test_a_size_that_stays_the_same_forgives_no_debt(void **state)
{
	struct bucket bucket;

	(void)state;
	bucket_init(&bucket, 5, 0);
	bucket_take(&bucket, 7, 0);
	bucket_resize(&bucket, 5, 0);
	assert_int_equal(bucket_wait_us(&bucket, 0, 0), 2 * MINUTE / 5);
}

static void test_an_emptied_bucket_is_refilled(void **state)
{
	struct bucket bucket;

	(void)state;
	bucket_init(&bucket, 60, 0);
	bucket_empty(&bucket, 0);
	assert_int_equal(bucket_wait_us(&bucket, 1, 0), SECOND);
	assert_int_equal(bucket_left(&bucket, 5 * SECOND), 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			test_a_full_minute_can_be_used_at_once_and_is_then_refilled_gradually),
		cmocka_unit_test(test_frequent_checks_neither_add_nor_lose_tokens),
		cmocka_unit_test(test_a_bucket_never_holds_more_than_one_minute),
		cmocka_unit_test(test_a_clock_that_is_set_back_neither_adds_nor_removes_tokens),
		cmocka_unit_test(
			test_a_request_above_the_limit_waits_for_a_full_bucket_and_leaves_a_debt),
		cmocka_unit_test(test_a_limit_of_0_allows_nothing_and_no_limit_allows_everything),
		cmocka_unit_test(test_the_largest_numbers_do_not_overflow),
		cmocka_unit_test(test_a_new_limit_applies_at_once_and_used_tokens_stay_used),
		cmocka_unit_test(test_a_size_that_stays_the_same_forgives_no_debt),
		cmocka_unit_test(test_an_emptied_bucket_is_refilled),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
