/* What a member may do is bounded by its key and by its account, at once and by a clock. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "account/member.h"
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
static struct member *member;
static struct denied denied;

static int set_up(void **state)
{
	static const struct store_limits none = {NONE, NONE, NONE, NONE, NONE};

	(void)state;
	timers_init(&timers, 77 * SECOND);
	account = (struct store_account){.id = 5, .limits = none};
	key = (struct store_key){.id = 9, .account_id = 5, .credit_cents = -1, .limits = none};
	member = NULL;
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	mem_deref(member);
	timers_reset(&timers);
	return mem_live() == 0 ? 0 : -1;
}

static void make(void)
{
	assert_int_equal(member_alloc_alone(&member, &timers, &account, &key), 0);
}

static void advance(uint64_t us)
{
	timers_advance(&timers, timers.now_us + us);
}

static struct permit *ask(void)
{
	struct permit *permit;

	assert_int_equal(permit_ask(&permit, member, &denied, NULL, NULL), 0);
	return permit;
}

/* Refused, and why. */
static enum denial refused(void)
{
	struct permit *permit;

	denied = (struct denied){0};
	assert_int_equal(permit_ask(&permit, member, &denied, NULL, NULL), EACCES);
	return denied.why;
}

static struct connection_permit *come_in(void)
{
	struct connection_permit *permit;

	assert_int_equal(member_connect(&permit, member, &denied, NULL, NULL), 0);
	return permit;
}

static void test_nobodys_member_has_no_limits(void **state)
{
	struct permit *permits[100];
	struct member_rate rate;

	(void)state;
	assert_int_equal(member_alloc_alone(&member, &timers, NULL, NULL), 0);
	assert_int_equal(member_key(member)->id, 0);
	assert_int_equal(member_key(member)->project_id, STORE_PROJECT_DEFAULT);
	assert_int_equal(member_account(member)->id, 0);
	assert_string_equal(member_server_id(member), "");
	assert_true(member_is_good(member));
	assert_false(member_requests_left(member, &rate));
	for (size_t i = 0; i < COUNT(permits); ++i) {
		permits[i] = ask();
		assert_true(permit_text(permits[i], UINT64_MAX / 1000, &denied));
		assert_true(permit_go_on(permits[i], INT64_MAX / 1000, 0, &denied));
		assert_true(member_request(member, &denied));
	}
	for (size_t i = 0; i < COUNT(permits); ++i)
		mem_deref(permits[i]);
}

static void test_turns_at_once_are_bounded_by_the_account_and_by_the_key(void **state)
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

static void test_connections_at_once_are_bounded(void **state)
{
	struct connection_permit *one;
	struct connection_permit *two;

	(void)state;
	key.limits.connections = 1;
	make();
	one = come_in();
	assert_int_equal(member_connect(&two, member, &denied, NULL, NULL), EACCES);
	assert_int_equal(denied.why, DENIAL_CONNECTIONS);
	assert_int_equal(denied.limit, 1);
	mem_deref(one);
	mem_deref(come_in());
}

static void test_requests_and_turns_share_a_minute_and_the_wait_is_told(void **state)
{
	struct member_rate rate;

	(void)state;
	account.limits.requests_per_minute = 30;
	key.limits.requests_per_minute = 4;
	make();
	assert_true(member_request(member, &denied));
	for (int i = 0; i < 3; ++i)
		mem_deref(ask());
	assert_false(member_request(member, &denied));
	assert_int_equal(denied.why, DENIAL_REQUESTS);
	assert_int_equal(denied.limit, 4);
	assert_int_equal(denied.retry_s, 15);
	assert_int_equal(refused(), DENIAL_REQUESTS);
	assert_true(member_requests_left(member, &rate));
	assert_int_equal(rate.limit, 4);
	assert_int_equal(rate.left, 0);
	assert_int_equal(rate.reset_s, 60);
	advance(14 * SECOND + 1);
	assert_int_equal(refused(), DENIAL_REQUESTS);
	assert_int_equal(denied.retry_s, 1);
	advance(denied.retry_s * SECOND);
	mem_deref(ask());
}

static void test_what_is_refused_uses_nothing(void **state)
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

static void test_characters_are_bounded_by_the_minute_over_all_turns(void **state)
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

static void test_a_text_longer_than_a_minutes_worth_is_read_when_nothing_was(void **state)
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

static void test_the_longest_text_is_that_of_a_whole_turn(void **state)
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

static void test_a_key_that_ended_may_do_nothing_and_its_turns_stop(void **state)
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
		assert_false(member_is_good(member));
		assert_int_equal(refused(), DENIAL_KEY);
		assert_false(member_request(member, &denied));
		assert_int_equal(denied.why, DENIAL_KEY);
		assert_int_equal(member_connect(&connection, member, &denied, NULL, NULL), EACCES);
		assert_int_equal(denied.why, DENIAL_KEY);
		member = mem_deref(member);
	}
	key.revoked_ms = 0;
	account.closed_ms = 0;
	key.expires_ms = clock_wall_ms() + 1000000;
	make();
	assert_true(member_is_good(member));
}

static void test_credit_ends_a_turn_before_the_chunk_that_nobody_pays(void **state)
{
	struct permit *permit;

	(void)state;
	account.is_prepaid = true;
	account.credit_microcents = 1000;
	account.spent_microcents = 400;
	make();
	permit = ask();
	assert_true(permit_go_on(permit, 0, 0, &denied));
	assert_true(permit_go_on(permit, 599, 0, &denied));
	assert_false(permit_go_on(permit, 600, 0, &denied));
	assert_int_equal(denied.why, DENIAL_CREDIT);
	permit_settle(permit, 600);
	mem_deref(permit);
	assert_int_equal(refused(), DENIAL_CREDIT);
}

static void test_turns_at_once_spend_the_same_credit(void **state)
{
	struct permit *one;
	struct permit *two;

	(void)state;
	account.is_prepaid = true;
	account.credit_microcents = 1000;
	make();
	one = ask();
	two = ask();
	assert_true(permit_go_on(one, 700, 0, &denied));
	assert_false(permit_go_on(two, 300, 0, &denied));
	mem_deref(one); /* failed: it costs nothing */
	assert_true(permit_go_on(two, 300, 0, &denied));
	permit_settle(two, 300);
	mem_deref(two);
	two = ask();
	assert_true(permit_go_on(two, 699, 0, &denied));
	assert_false(permit_go_on(two, 700, 0, &denied));
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
	assert_true(permit_go_on(permit, 1499999, 0, &denied));
	assert_false(permit_go_on(permit, 1500000, 0, &denied));
	assert_int_equal(denied.why, DENIAL_CREDIT);
	mem_deref(permit);
}

static void test_without_credit_nothing_begins(void **state)
{
	(void)state;
	account.is_prepaid = true;
	make();
	assert_int_equal(refused(), DENIAL_CREDIT);
	mem_deref(come_in()); /* it may come and be told */
}

static void test_a_turn_holds_its_member(void **state)
{
	struct permit *permit;
	struct connection_permit *connection;

	(void)state;
	make();
	permit = ask();
	connection = come_in();
	member = mem_deref(member);
	assert_true(permit_go_on(permit, 1, 0, &denied));
	mem_deref(permit);
	mem_deref(connection);
}

static void test_out_of_memory_leaves_nothing_behind(void **state)
{
	struct connection_permit *connection;
	struct permit *permit;
	int err = ENOMEM;

	(void)state;
	account.limits.turns = 1;
	for (size_t n = 1; err; ++n) {
		mem_fail_after(n);
		err = member_alloc_alone(&member, &timers, &account, &key);
	}
	mem_fail_after(1);
	assert_int_equal(permit_ask(&permit, member, &denied, NULL, NULL), ENOMEM);
	mem_fail_after(1);
	assert_int_equal(member_connect(&connection, member, &denied, NULL, NULL), ENOMEM);
	mem_fail_after(0);
	mem_deref(ask());
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(test_nobodys_member_has_no_limits),
		CASE(test_turns_at_once_are_bounded_by_the_account_and_by_the_key),
		CASE(test_connections_at_once_are_bounded),
		CASE(test_requests_and_turns_share_a_minute_and_the_wait_is_told),
		CASE(test_what_is_refused_uses_nothing),
		CASE(test_characters_are_bounded_by_the_minute_over_all_turns),
		CASE(test_a_text_longer_than_a_minutes_worth_is_read_when_nothing_was),
		CASE(test_the_longest_text_is_that_of_a_whole_turn),
		CASE(test_a_key_that_ended_may_do_nothing_and_its_turns_stop),
		CASE(test_credit_ends_a_turn_before_the_chunk_that_nobody_pays),
		CASE(test_turns_at_once_spend_the_same_credit),
		CASE(test_a_key_may_spend_less_than_its_account_has),
		CASE(test_without_credit_nothing_begins),
		CASE(test_a_turn_holds_its_member),
		CASE(test_out_of_memory_leaves_nothing_behind),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
