/* Limits apply across servers that share a store, and to this server alone if the store is
 * unreachable. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "account/callers_private.h"
#include "base/count.h"
#include "base/mem.h"
#include "callers_world.h"

#define POLL (CALLERS_POLL_MS * UINT64_C(1000))

static struct world world;
static struct denied denied;

/* What the store has counted for the one account with limits, on this server and on others.  It is
 * written by the store's thread while the test waits for it. */
static struct {
	int64_t held[QUOTA_METERS];
	int64_t others[QUOTA_METERS];
	int64_t wait_ms;
	bool has_forgotten; /* until everything is returned */
} counted;

static bool is_refused(const struct store_share *share)
{
	int64_t in_use = counted.held[share->meter] + counted.others[share->meter];

	if (share->amount < 0 || share->max == INT64_MAX)
		return false;
	if (share->meter == STORE_METER_CHARACTERS || share->meter == STORE_METER_HEARD)
		return share->amount == 0 && in_use >= share->max;
	return in_use + share->amount > share->max;
}

static int share_take(struct store *store, const char *server, const struct store_share *shares,
		      size_t count, size_t *short_of, int64_t *wait_ms)
{
	(void)store;
	assert_int_equal(strlen(server), STORE_SERVER_ID_LEN);
	++watched.share_takes;
	if (watched.err || counted.has_forgotten)
		return watched.err ? watched.err : ESTALE;
	for (size_t i = 0; i < count; ++i) {
		assert_int_equal(shares[i].holder.kind, STORE_HOLDER_ACCOUNT);
		if (is_refused(&shares[i])) {
			*short_of = i;
			*wait_ms = counted.wait_ms;
			return EDQUOT;
		}
	}
	for (size_t i = 0; i < count; ++i)
		counted.held[shares[i].meter] += shares[i].amount;
	assert_true(counted.held[STORE_METER_TURNS] >= 0);
	assert_true(counted.held[STORE_METER_CONNECTIONS] >= 0);
	return 0;
}

static int share_heartbeat(struct store *store, const char *server)
{
	(void)store;
	(void)server;
	++watched.share_heartbeats;
	return watched.err || !counted.has_forgotten ? watched.err : ESTALE;
}

static int share_return(struct store *store, const char *server)
{
	(void)store;
	(void)server;
	++watched.share_returns;
	if (watched.err)
		return watched.err;
	counted.held[STORE_METER_TURNS] = 0;
	counted.held[STORE_METER_CONNECTIONS] = 0;
	counted.has_forgotten = false;
	return 0;
}

static void make_world(const struct store_limits *limits)
{
	struct store_account account = {.name = "shared", .limits = *limits};

	memset(&counted, 0, sizeof(counted));
	world_verbs.share_take = share_take;
	world_verbs.share_heartbeat = share_heartbeat;
	world_verbs.share_return = share_return;
	world_open(&world, &(struct callers_options){0});
	world_add_account(&world, &account);
	world_pass(&world, POLL);
	assert_int_equal(world_check(&world, world.key_text, "/"), 0);
}

static int set_up(void **state)
{
	(void)state;
	make_world(&(struct store_limits){3, 3, 10, 100, -1, 60});
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	world_close(&world);
	return 0;
}

static struct {
	int calls;
	int err;
	struct denied denied;
	struct permit *ends; /* the permit that its handler releases */
} heard;

static void on_answer(int err, const struct denied *why, void *arg)
{
	(void)arg;
	++heard.calls;
	heard.err = err;
	assert_true((err == 0) == (why == NULL));
	if (why)
		heard.denied = *why;
	mem_deref(heard.ends);
}

static struct permit *ask(void)
{
	struct permit *permit;

	memset(&heard, 0, sizeof(heard));
	assert_int_equal(permit_ask(&permit, world.caller, &denied, on_answer, NULL), EINPROGRESS);
	assert_int_equal(heard.calls, 0);
	return permit;
}

/* Requests a permit and waits for the answer; NULL: refused. */
static struct permit *begin(void)
{
	struct permit *permit = ask();

	world_settle(&world);
	assert_int_equal(heard.calls, 1);
	return heard.err ? mem_deref(permit) : permit;
}

static void end(struct permit *permit)
{
	mem_deref(permit);
	world_settle(&world);
}

static void test_a_turn_takes_a_shared_slot_and_a_request_and_returns_the_slot(void **state)
{
	struct permit *permit = begin();

	(void)state;
	assert_non_null(permit);
	assert_int_equal(counted.held[STORE_METER_TURNS], 1);
	assert_int_equal(counted.held[STORE_METER_REQUESTS], 1);
	end(permit);
	assert_int_equal(counted.held[STORE_METER_TURNS], 0);
	assert_int_equal(counted.held[STORE_METER_REQUESTS], 1);
}

static void test_turns_on_other_servers_count(void **state)
{
	struct permit *permit;

	(void)state;
	counted.others[STORE_METER_TURNS] = 3;
	assert_null(begin());
	assert_int_equal(heard.err, EACCES);
	assert_int_equal(heard.denied.why, DENIAL_TURNS);
	assert_int_equal(heard.denied.limit, 3);
	counted.others[STORE_METER_TURNS] = 2;
	permit = begin();
	assert_non_null(permit);
	assert_null(begin());
	end(permit);
	assert_int_equal(counted.held[STORE_METER_TURNS], 0);
	permit = begin(); /* a refused permit has no slot here */
	assert_non_null(permit);
	end(permit);
}

static void test_a_released_slot_is_free_for_the_next_turn_at_once(void **state)
{
	struct permit *permit;

	(void)state;
	counted.others[STORE_METER_TURNS] = 2;
	permit = begin();
	mem_deref(permit);
	permit = ask(); /* before the release was reported */
	world_settle(&world);
	assert_int_equal(heard.err, 0);
	end(permit);
}

static void test_requests_on_other_servers_count_and_the_denial_says_when_to_retry(void **state)
{
	(void)state;
	counted.others[STORE_METER_REQUESTS] = 10;
	counted.wait_ms = 1001;
	assert_null(begin());
	assert_int_equal(heard.denied.why, DENIAL_REQUESTS);
	assert_int_equal(heard.denied.retry_s, 2);
	assert_int_equal(heard.denied.limit, 10);
	assert_int_equal(counted.held[STORE_METER_TURNS], 0);
}

static void test_characters_are_reported_together_and_stop_the_next_turn(void **state)
{
	struct permit *permit = begin();
	int takes = watched.share_takes;

	(void)state;
	for (int i = 0; i < 10; ++i)
		assert_true(permit_text(permit, 9, &denied));
	world_settle(&world);
	assert_int_equal(watched.share_takes, takes);
	world_pass(&world, SECOND / 4);
	assert_int_equal(watched.share_takes, takes + 1);
	assert_int_equal(counted.held[STORE_METER_CHARACTERS], 90);
	counted.others[STORE_METER_CHARACTERS] = 10;
	assert_null(begin());
	assert_int_equal(heard.denied.why, DENIAL_CHARACTERS);
	end(permit);
}

static void test_audio_that_is_heard_is_reported_and_limited_across_servers(void **state)
{
	struct permit *permit;
	struct permit *other;

	(void)state;
	memset(&heard, 0, sizeof(heard));
	assert_int_equal(permit_ask_to_hear(&permit, world.caller, &denied, on_answer, NULL),
			 EINPROGRESS);
	world_settle(&world);
	assert_int_equal(heard.err, 0);
	for (int i = 0; i < 20; ++i)
		assert_true(permit_heard(permit, 1, &denied));
	world_pass(&world, SECOND / 4);
	assert_int_equal(counted.held[STORE_METER_HEARD], 20);
	assert_int_equal(counted.held[STORE_METER_CHARACTERS], 0);
	counted.others[STORE_METER_HEARD] = 40;
	assert_int_equal(permit_ask_to_hear(&other, world.caller, &denied, on_answer, NULL),
			 EINPROGRESS);
	world_settle(&world);
	assert_int_equal(heard.err, EACCES);
	assert_int_equal(heard.denied.why, DENIAL_HEARD);
	end(other);
	end(begin()); /* speaking is not affected */
	end(permit);
}

static void test_requests_that_are_not_turns_are_reported_and_limited_across_servers(void **state)
{
	(void)state;
	assert_true(caller_request(world.caller, &denied));
	world_pass(&world, SECOND / 4);
	assert_int_equal(counted.held[STORE_METER_REQUESTS], 1);
	counted.others[STORE_METER_REQUESTS] = 10;
	assert_true(caller_request(world.caller, &denied));
	world_pass(&world, SECOND / 4);
	assert_false(caller_request(world.caller, &denied));
	assert_int_equal(denied.why, DENIAL_REQUESTS);
}

static void test_a_limit_reached_on_this_server_is_known_without_the_store(void **state)
{
	struct permit *permits[3];
	struct permit *one_more;
	int takes;

	(void)state;
	for (size_t i = 0; i < COUNT(permits); ++i)
		permits[i] = begin();
	takes = watched.share_takes;
	assert_int_equal(permit_ask(&one_more, world.caller, &denied, on_answer, NULL), EACCES);
	assert_int_equal(denied.why, DENIAL_TURNS);
	world_settle(&world);
	assert_int_equal(watched.share_takes, takes);
	for (size_t i = 0; i < COUNT(permits); ++i)
		end(permits[i]);
	assert_int_equal(counted.held[STORE_METER_TURNS], 0);
}

static void test_a_permit_released_before_the_answer_holds_no_slot(void **state)
{
	(void)state;
	mem_deref(ask());
	world_settle(&world);
	assert_int_equal(heard.calls, 0);
	assert_int_equal(counted.held[STORE_METER_TURNS], 0);
	counted.others[STORE_METER_TURNS] = 3;
	mem_deref(ask()); /* refused after the permit was released */
	world_settle(&world);
	assert_int_equal(counted.held[STORE_METER_TURNS], 0);
}

static void test_a_handler_may_release_its_permit(void **state)
{
	struct permit *permit = ask();

	(void)state;
	heard.ends = permit;
	world_settle(&world);
	assert_int_equal(counted.held[STORE_METER_TURNS], 0);
	counted.others[STORE_METER_TURNS] = 3;
	permit = ask();
	heard.ends = permit;
	world_settle(&world);
	assert_int_equal(heard.err, EACCES);
	assert_int_equal(counted.held[STORE_METER_TURNS], 0);
}

static void test_connections_are_shared_too(void **state)
{
	struct connection_permit *one;
	struct connection_permit *two;

	(void)state;
	counted.others[STORE_METER_CONNECTIONS] = 2;
	memset(&heard, 0, sizeof(heard));
	assert_int_equal(caller_connect(&one, world.caller, &denied, on_answer, NULL), EINPROGRESS);
	assert_int_equal(caller_connect(&two, world.caller, &denied, on_answer, NULL), EINPROGRESS);
	world_settle(&world);
	assert_int_equal(heard.calls, 2);
	assert_int_equal(heard.denied.why, DENIAL_CONNECTIONS);
	mem_deref(two);
	mem_deref(one);
	world_settle(&world);
	assert_int_equal(counted.held[STORE_METER_CONNECTIONS], 0);
	assert_int_equal(counted.held[STORE_METER_REQUESTS], 0); /* a connection is not a request */
}

static void test_a_key_that_ends_while_the_store_is_asked_is_refused(void **state)
{
	struct connection_permit *connection;
	struct permit *permit;

	(void)state;
	memset(&heard, 0, sizeof(heard));
	assert_int_equal(caller_connect(&connection, world.caller, &denied, on_answer, NULL),
			 EINPROGRESS);
	world.caller->key->row.revoked_ms = 1;
	world_settle(&world);
	assert_int_equal(heard.err, EACCES);
	assert_int_equal(heard.denied.why, DENIAL_KEY);
	mem_deref(connection);
	world_settle(&world);
	assert_int_equal(counted.held[STORE_METER_CONNECTIONS], 0);
	world.caller->key->row.revoked_ms = 0;
	permit = ask();
	world.caller->key->row.revoked_ms = 1;
	world_settle(&world);
	assert_int_equal(heard.denied.why, DENIAL_KEY);
	end(permit);
	assert_int_equal(counted.held[STORE_METER_TURNS], 0);
}

static void test_turns_without_limits_do_not_wait_for_the_store(void **state)
{
	struct permit *permit;

	(void)state;
	world_close(&world);
	make_world(&(struct store_limits){-1, -1, -1, -1, 50, -1});
	assert_int_equal(permit_ask(&permit, world.caller, &denied, NULL, NULL), 0);
	end(permit);
	assert_int_equal(watched.share_takes, 0);
}

static void test_while_the_store_is_unreachable_local_counts_apply_without_delay(void **state)
{
	struct permit *permits[3];
	struct permit *one_more;

	(void)state;
	watched.err = EIO;
	permits[0] = begin(); /* this request is the first that fails */
	assert_non_null(permits[0]);
	for (size_t i = 1; i < COUNT(permits); ++i)
		assert_int_equal(permit_ask(&permits[i], world.caller, &denied, NULL, NULL), 0);
	assert_int_equal(permit_ask(&one_more, world.caller, &denied, on_answer, NULL), EACCES);
	for (size_t i = 0; i < COUNT(permits); ++i)
		end(permits[i]);
	watched.err = 0;
}

static void test_a_store_that_is_reachable_again_gets_all_counts(void **state)
{
	struct permit *before = begin();
	struct permit *during;
	struct permit *after;

	(void)state;
	watched.err = EIO;
	during = begin();
	end(before); /* the release cannot be reported */
	counted.held[STORE_METER_TURNS] = 0; /* the store has lost its counts */
	watched.err = 0;
	world_pass(&world, POLL);
	assert_int_equal(counted.held[STORE_METER_TURNS], 1);
	after = begin();
	assert_int_equal(counted.held[STORE_METER_TURNS], 2);
	end(during);
	end(after);
	assert_int_equal(counted.held[STORE_METER_TURNS], 0);
}

/* Nothing began or ended while the store was unreachable, and it has lost its counts. */
static void test_a_store_that_was_briefly_unreachable_gets_all_counts(void **state)
{
	struct permit *permit = begin();

	(void)state;
	watched.err = EIO;
	world_pass(&world, POLL);
	counted.held[STORE_METER_TURNS] = 0;
	watched.err = 0;
	world_pass(&world, POLL);
	assert_int_equal(counted.held[STORE_METER_TURNS], 1);
	end(permit);
	assert_int_equal(counted.held[STORE_METER_TURNS], 0);
}

/* The store was restarted so quickly that no request failed, and has lost its counts. */
static void test_a_store_that_reports_lost_counts_gets_all_counts(void **state)
{
	struct permit *before = begin();
	struct permit *after;

	(void)state;
	counted.held[STORE_METER_TURNS] = 0;
	counted.has_forgotten = true;
	after = begin();
	assert_non_null(after);
	assert_false(world.callers->is_away);
	world_pass(&world, POLL);
	assert_int_equal(counted.held[STORE_METER_TURNS], 2);
	end(before);
	end(after);
	assert_int_equal(counted.held[STORE_METER_TURNS], 0);
}

/* Whatever is pending during a resync, the counts agree in the end. */
static void test_requests_around_a_resync_are_counted_once(void **state)
{
	(void)state;
	for (int order = 0; order < 8; ++order) {
		bool goes_before = order & 1;
		bool goes_after = order & 2;
		struct permit *held = begin();
		struct permit *asked;

		counted.others[STORE_METER_TURNS] = order & 4 ? 3 : 0;
		asked = ask();
		if (goes_before)
			asked = mem_deref(asked);
		shares_mark_stale(world.callers);
		shares_resync_if_stale(world.callers);
		if (goes_after)
			asked = mem_deref(asked);
		world_settle(&world);
		assert_int_equal(counted.held[STORE_METER_TURNS],
				 world.caller->key->account->quota.turns);
		mem_deref(asked);
		end(held);
		assert_int_equal(counted.held[STORE_METER_TURNS], 0);
		counted.held[STORE_METER_REQUESTS] = 0;
		world_pass(&world, 60 * SECOND); /* the limit of requests is refilled */
	}
}

static void test_an_account_that_gets_a_limit_while_it_speaks_is_counted(void **state)
{
	struct store_account to = {.limits = {3, -1, -1, -1, -1, -1}};
	struct permit *permit;

	(void)state;
	world_close(&world);
	make_world(&(struct store_limits){-1, -1, -1, -1, -1, -1});
	assert_int_equal(permit_ask(&permit, world.caller, &denied, NULL, NULL), 0);
	assert_int_equal(world.store->ops->account_change(world.store,
							  caller_account(world.caller)->id,
							  STORE_ACCOUNT_LIMITS, &to),
			 0);
	world_pass(&world, POLL);
	world_pass(&world, POLL);
	assert_int_equal(counted.held[STORE_METER_TURNS], 1);
	end(permit);
	assert_int_equal(counted.held[STORE_METER_TURNS], 0);
}

static void test_three_heartbeats_fit_into_a_lapse_and_the_end_returns_all_shares(void **state)
{
	int beats = watched.share_heartbeats;

	(void)state;
	world_pass(&world, STORE_SHARE_LAPSE_MS * UINT64_C(1000));
	assert_true(watched.share_heartbeats >= beats + 3);
	world.caller = mem_deref(world.caller);
	world.callers = mem_deref(world.callers);
	world.async = mem_deref(world.async);
	assert_int_equal(watched.share_returns, 1);
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(test_a_turn_takes_a_shared_slot_and_a_request_and_returns_the_slot),
		CASE(test_turns_on_other_servers_count),
		CASE(test_a_released_slot_is_free_for_the_next_turn_at_once),
		CASE(test_requests_on_other_servers_count_and_the_denial_says_when_to_retry),
		CASE(test_characters_are_reported_together_and_stop_the_next_turn),
		CASE(test_audio_that_is_heard_is_reported_and_limited_across_servers),
		CASE(test_requests_that_are_not_turns_are_reported_and_limited_across_servers),
		CASE(test_a_limit_reached_on_this_server_is_known_without_the_store),
		CASE(test_a_permit_released_before_the_answer_holds_no_slot),
		CASE(test_a_handler_may_release_its_permit),
		CASE(test_connections_are_shared_too),
		CASE(test_a_key_that_ends_while_the_store_is_asked_is_refused),
		CASE(test_turns_without_limits_do_not_wait_for_the_store),
		CASE(test_while_the_store_is_unreachable_local_counts_apply_without_delay),
		CASE(test_a_store_that_is_reachable_again_gets_all_counts),
		CASE(test_a_store_that_was_briefly_unreachable_gets_all_counts),
		CASE(test_a_store_that_reports_lost_counts_gets_all_counts),
		CASE(test_requests_around_a_resync_are_counted_once),
		CASE(test_an_account_that_gets_a_limit_while_it_speaks_is_counted),
		CASE(test_three_heartbeats_fit_into_a_lapse_and_the_end_returns_all_shares),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
