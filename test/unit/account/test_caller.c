/* A caller is limited by its key and by its account, in concurrency and over time. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "account/caller.h"
#include "base/clock.h"
#include "base/count.h"
#include "base/mem.h"
#include "mem_fail.h"
#include "store/store.h"

#define SECOND UINT64_C(1000000)
#define NONE STORE_LIMIT_NONE

static struct timers timers;
static struct store_account account;
static struct store_key key;
static struct caller *caller;
static struct denied denied;

static int set_up(void **state)
{
	static const struct store_limits none = {NONE, NONE, NONE, NONE, NONE, NONE};

	(void)state;
	timers_init(&timers, 77 * SECOND);
	account = (struct store_account){.id = 5, .limits = none};
	key = (struct store_key){.id = 9, .account_id = 5, .credit_cents = -1, .limits = none};
	caller = NULL;
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	mem_deref(caller);
	timers_reset(&timers);
	return mem_live() == 0 ? 0 : -1;
}

static void make(void)
{
	assert_int_equal(caller_alloc_standalone(&caller, &timers, &account, &key), 0);
}

static void advance(uint64_t us)
{
	timers_advance(&timers, timers.now_us + us);
}

static struct permit *ask(void)
{
	struct permit *permit;

	assert_int_equal(permit_ask(&permit, caller, &denied, NULL, NULL), 0);
	return permit;
}

/* Checks that permission is refused, and returns why. */
static enum denial refused(void)
{
	struct permit *permit;

	denied = (struct denied){0};
	assert_int_equal(permit_ask(&permit, caller, &denied, NULL, NULL), EACCES);
	return denied.why;
}

static struct connection_permit *come_in(void)
{
	struct connection_permit *permit;

	assert_int_equal(caller_connect(&permit, caller, &denied, NULL, NULL), 0);
	return permit;
}

static void test_a_caller_without_a_key_has_no_limits(void **state)
{
	struct permit *permits[100];
	struct caller_rate rate;

	(void)state;
	assert_int_equal(caller_alloc_standalone(&caller, &timers, NULL, NULL), 0);
	assert_int_equal(caller_key(caller)->id, 0);
	assert_int_equal(caller_key(caller)->project_id, STORE_PROJECT_DEFAULT);
	assert_int_equal(caller_account(caller)->id, 0);
	assert_string_equal(caller_server_id(caller), "");
	assert_true(caller_is_valid(caller));
	assert_false(caller_requests_left(caller, &rate));
	for (size_t i = 0; i < COUNT(permits); ++i) {
		permits[i] = ask();
		assert_true(permit_text(permits[i], UINT64_MAX / 1000, &denied));
		assert_true(permit_begin_chunk(permits[i], INT64_MAX / 1000, 0, &denied));
		assert_true(caller_request(caller, &denied));
	}
	for (size_t i = 0; i < COUNT(permits); ++i)
		mem_deref(permits[i]);
}

static void test_concurrent_turns_are_limited_by_the_account_and_by_the_key(void **state)
{
	struct permit *first;
	struct permit *second;

	(void)state;
	account.limits.turns = 2;
	key.limits.turns = 3;
	make();
	first = ask();
	second = ask();
	assert_int_equal(refused(), DENIAL_TURNS);
	assert_int_equal(denied.limit, 2);
	assert_int_equal(denied.retry_s, 0);
	mem_deref(first);
	first = ask();
	assert_int_equal(refused(), DENIAL_TURNS);
	mem_deref(first);
	mem_deref(second);
}

static void test_concurrent_connections_are_limited(void **state)
{
	struct connection_permit *one;
	struct connection_permit *two;

	(void)state;
	key.limits.connections = 1;
	make();
	one = come_in();
	assert_int_equal(caller_connect(&two, caller, &denied, NULL, NULL), EACCES);
	assert_int_equal(denied.why, DENIAL_CONNECTIONS);
	assert_int_equal(denied.limit, 1);
	mem_deref(one);
	mem_deref(come_in());
}

static void test_requests_and_turns_share_a_limit_and_the_denial_says_when_to_retry(void **state)
{
	struct caller_rate rate;

	(void)state;
	account.limits.requests_per_minute = 30;
	key.limits.requests_per_minute = 4;
	make();
	assert_true(caller_request(caller, &denied));
	for (int i = 0; i < 3; ++i)
		mem_deref(ask());
	assert_false(caller_request(caller, &denied));
	assert_int_equal(denied.why, DENIAL_REQUESTS);
	assert_int_equal(denied.limit, 4);
	assert_int_equal(denied.retry_s, 15);
	assert_int_equal(refused(), DENIAL_REQUESTS);
	assert_true(caller_requests_left(caller, &rate));
	assert_int_equal(rate.limit, 4);
	assert_int_equal(rate.left, 0);
	assert_int_equal(rate.reset_s, 60);
	advance(14 * SECOND + 1);
	assert_int_equal(refused(), DENIAL_REQUESTS);
	assert_int_equal(denied.retry_s, 1);
	advance(denied.retry_s * SECOND);
	mem_deref(ask());
}

static void test_a_refused_request_does_not_count(void **state)
{
	struct permit *permit;

	(void)state;
	account.limits.turns = 1;
	account.limits.requests_per_minute = 2;
	make();
	permit = ask();
	for (int i = 0; i < 10; ++i)
		assert_int_equal(refused(), DENIAL_TURNS);
	mem_deref(permit);
	mem_deref(ask());
	assert_int_equal(refused(), DENIAL_REQUESTS);
}

static void test_characters_per_minute_are_limited_across_all_turns(void **state)
{
	struct permit *permit;
	struct permit *other;

	(void)state;
	account.limits.characters_per_minute = 600;
	make();
	permit = ask();
	other = ask();
	assert_true(permit_text(permit, 400, &denied));
	assert_false(permit_text(other, 250, &denied));
	assert_int_equal(denied.why, DENIAL_CHARACTERS);
	assert_int_equal(denied.limit, 600);
	assert_int_equal(denied.retry_s, 5);
	assert_true(permit_text(other, 200, &denied));
	mem_deref(permit);
	mem_deref(other);
}

static void test_a_text_above_the_limit_per_minute_is_allowed_if_nothing_was_used(void **state)
{
	struct permit *permit;

	(void)state;
	key.limits.characters_per_minute = 600;
	make();
	permit = ask();
	assert_true(permit_text(permit, 1200, &denied));
	mem_deref(permit);
	assert_int_equal(refused(), DENIAL_CHARACTERS);
	assert_int_equal(denied.retry_s, 60);
	advance(60 * SECOND);
	mem_deref(ask());
}

static void test_audio_per_minute_is_limited_across_all_transcriptions(void **state)
{
	struct permit *permit;
	struct permit *other;

	(void)state;
	key.limits.heard_seconds_per_minute = 60;
	make();
	assert_int_equal(permit_ask_to_hear(&permit, caller, &denied, NULL, NULL), 0);
	assert_true(permit_heard(permit, 50, &denied));
	/* What was received is counted, even if it is too much. */
	assert_false(permit_heard(permit, 40, &denied));
	assert_int_equal(denied.why, DENIAL_HEARD);
	assert_int_equal(denied.limit, 60);
	assert_int_equal(denied.retry_s, 30);
	mem_deref(permit);
	assert_int_equal(permit_ask_to_hear(&other, caller, &denied, NULL, NULL), EACCES);
	assert_int_equal(denied.why, DENIAL_HEARD);
	mem_deref(ask()); /* speaking is not affected */
	advance(31 * SECOND);
	assert_int_equal(permit_ask_to_hear(&permit, caller, &denied, NULL, NULL), 0);
	mem_deref(permit);
}

static void test_a_transcription_counts_as_a_turn_and_a_request(void **state)
{
	struct permit *permit;

	(void)state;
	account.limits.turns = 1;
	account.limits.requests_per_minute = 2;
	account.limits.characters_per_minute = 1;
	make();
	assert_int_equal(permit_ask_to_hear(&permit, caller, &denied, NULL, NULL), 0);
	assert_int_equal(refused(), DENIAL_TURNS);
	mem_deref(permit);
	permit = ask();
	assert_true(permit_text(permit, 1, &denied));
	mem_deref(permit);
	assert_int_equal(permit_ask_to_hear(&permit, caller, &denied, NULL, NULL), EACCES);
	assert_int_equal(denied.why, DENIAL_REQUESTS);
}

static void test_the_maximum_length_of_text_applies_to_a_whole_turn(void **state)
{
	struct permit *permit;

	(void)state;
	account.limits.text_max = 100;
	make();
	permit = ask();
	assert_true(permit_text(permit, 60, &denied));
	assert_true(permit_text(permit, 40, &denied));
	assert_false(permit_text(permit, 1, &denied));
	assert_int_equal(denied.why, DENIAL_TEXT);
	assert_int_equal(denied.limit, 100);
	mem_deref(permit);
	permit = ask();
	assert_true(permit_text(permit, 100, &denied));
	mem_deref(permit);
}

static void test_a_key_that_has_ended_is_refused_and_its_turns_stop(void **state)
{
	static const struct {
		int64_t revoked_ms, expires_ms, closed_ms;
	} ends[] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
	struct connection_permit *connection;

	(void)state;
	for (size_t i = 0; i < COUNT(ends); ++i) {
		key.revoked_ms = ends[i].revoked_ms;
		key.expires_ms = ends[i].expires_ms;
		account.closed_ms = ends[i].closed_ms;
		make();
		assert_false(caller_is_valid(caller));
		assert_int_equal(refused(), DENIAL_KEY);
		assert_false(caller_request(caller, &denied));
		assert_int_equal(denied.why, DENIAL_KEY);
		assert_int_equal(caller_connect(&connection, caller, &denied, NULL, NULL), EACCES);
		assert_int_equal(denied.why, DENIAL_KEY);
		caller = mem_deref(caller);
	}
	key.revoked_ms = 0;
	account.closed_ms = 0;
	key.expires_ms = clock_wall_ms() + 1000000;
	make();
	assert_true(caller_is_valid(caller));
}

static void test_a_turn_ends_before_the_first_chunk_that_credit_does_not_cover(void **state)
{
	struct permit *permit;

	(void)state;
	account.is_prepaid = true;
	account.credit_microcents = 1000;
	account.spent_microcents = 400;
	make();
	permit = ask();
	assert_true(permit_begin_chunk(permit, 0, 0, &denied));
	assert_true(permit_begin_chunk(permit, 599, 0, &denied));
	assert_false(permit_begin_chunk(permit, 600, 0, &denied));
	assert_int_equal(denied.why, DENIAL_CREDIT);
	permit_settle(permit, 600);
	mem_deref(permit);
	assert_int_equal(refused(), DENIAL_CREDIT);
}

static void test_concurrent_turns_share_the_same_credit(void **state)
{
	struct permit *one;
	struct permit *two;

	(void)state;
	account.is_prepaid = true;
	account.credit_microcents = 1000;
	make();
	one = ask();
	two = ask();
	assert_true(permit_begin_chunk(one, 700, 0, &denied));
	assert_false(permit_begin_chunk(two, 300, 0, &denied));
	mem_deref(one); /* a turn that failed costs nothing */
	assert_true(permit_begin_chunk(two, 300, 0, &denied));
	permit_settle(two, 300);
	mem_deref(two);
	two = ask();
	assert_true(permit_begin_chunk(two, 699, 0, &denied));
	assert_false(permit_begin_chunk(two, 700, 0, &denied));
	mem_deref(two);
}

static void test_a_key_may_spend_less_than_its_account_has(void **state)
{
	struct permit *permit;

	(void)state;
	account.is_prepaid = true;
	account.credit_microcents = 100000000;
	key.credit_cents = 2;
	key.spent_microcents = 500000;
	make();
	permit = ask();
	assert_true(permit_begin_chunk(permit, 1499999, 0, &denied));
	assert_false(permit_begin_chunk(permit, 1500000, 0, &denied));
	assert_int_equal(denied.why, DENIAL_CREDIT);
	mem_deref(permit);
}

static void test_no_turn_begins_without_credit(void **state)
{
	(void)state;
	account.is_prepaid = true;
	make();
	assert_int_equal(refused(), DENIAL_CREDIT);
	mem_deref(come_in()); /* it may connect, to get the error */
}

static void test_a_permit_keeps_its_caller_alive(void **state)
{
	struct permit *permit;
	struct connection_permit *connection;

	(void)state;
	make();
	permit = ask();
	connection = come_in();
	caller = mem_deref(caller);
	assert_true(permit_begin_chunk(permit, 1, 0, &denied));
	mem_deref(permit);
	mem_deref(connection);
}

static void test_nothing_leaks_when_memory_runs_out(void **state)
{
	struct connection_permit *connection;
	struct permit *permit;
	int err = ENOMEM;

	(void)state;
	account.limits.turns = 1;
	for (size_t n = 1; err; ++n) {
		mem_fail_after(n);
		err = caller_alloc_standalone(&caller, &timers, &account, &key);
	}
	mem_fail_after(1);
	assert_int_equal(permit_ask(&permit, caller, &denied, NULL, NULL), ENOMEM);
	mem_fail_after(1);
	assert_int_equal(caller_connect(&connection, caller, &denied, NULL, NULL), ENOMEM);
	mem_fail_after(0);
	mem_deref(ask());
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(test_a_caller_without_a_key_has_no_limits),
		CASE(test_concurrent_turns_are_limited_by_the_account_and_by_the_key),
		CASE(test_concurrent_connections_are_limited),
		CASE(test_requests_and_turns_share_a_limit_and_the_denial_says_when_to_retry),
		CASE(test_a_refused_request_does_not_count),
		CASE(test_characters_per_minute_are_limited_across_all_turns),
		CASE(test_audio_per_minute_is_limited_across_all_transcriptions),
		CASE(test_a_transcription_counts_as_a_turn_and_a_request),
		CASE(test_a_text_above_the_limit_per_minute_is_allowed_if_nothing_was_used),
		CASE(test_the_maximum_length_of_text_applies_to_a_whole_turn),
		CASE(test_a_key_that_has_ended_is_refused_and_its_turns_stop),
		CASE(test_a_turn_ends_before_the_first_chunk_that_credit_does_not_cover),
		CASE(test_concurrent_turns_share_the_same_credit),
		CASE(test_a_key_may_spend_less_than_its_account_has),
		CASE(test_no_turn_begins_without_credit),
		CASE(test_a_permit_keeps_its_caller_alive),
		CASE(test_nothing_leaks_when_memory_runs_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
