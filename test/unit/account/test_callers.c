/* A key is kept in memory after its first use, and rejected within a second when it is revoked. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "account/callers_private.h"
#include "account/signed_path.h"
#include "base/clock.h"
#include "base/count.h"
#include "base/mem.h"
#include "callers_world.h"
#include "mem_fail.h"

#define POLL (CALLERS_POLL_MS * UINT64_C(1000))

static struct world world;
static struct denied denied;

static int set_up(void **state)
{
	(void)state;
	world_open(&world, &(struct callers_options){0});
	world_add_key(&world);
	world_pass(&world, POLL);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	world_close(&world);
	return 0;
}

static int check(const char *text)
{
	return world_check(&world, text, "/ws/tts/stream");
}

static void test_a_key_is_looked_up_once_and_then_known(void **state)
{
	static const char *const regions[] = {"", "eu-", "us-", "global-"};
	struct caller *first;
	char text[64];

	(void)state;
	assert_int_equal(check(world.key_text), 0);
	first = world.caller;
	assert_string_equal(caller_key(first)->name, "test");
	assert_int_equal(caller_account(first)->id, STORE_ACCOUNT_DEFAULT);
	assert_string_equal(caller_server_id(first), async_store_server_id(world.async));
	for (size_t i = 0; i < COUNT(regions); ++i) {
		snprintf(text, sizeof(text), "%s%s", regions[i], world.key_text);
		assert_int_equal(check(text), 0);
		assert_ptr_equal(world.caller, first); /* all share one caller */
	}
	assert_int_equal(watched.finds, 1);
}

static void test_wrong_keys_are_refused(void **state)
{
	char text[64];

	(void)state;
	snprintf(text, sizeof(text), "%s", world.key_text);
	text[API_KEY_LEN - 1] = text[API_KEY_LEN - 1] == 'x' ? 'y' : 'x';
	assert_int_equal(check(text), EACCES);
	assert_int_equal(check(world.key_text), 0);
	assert_int_equal(check(text), EACCES); /* even if the right key is in memory */
	text[4] = text[4] == 'x' ? 'y' : 'x';
	assert_int_equal(check(text), EACCES);
}

static void test_malformed_keys_are_refused_without_the_store(void **state)
{
	static const char *const texts[] = {"", "ka_", "kt_", "eu-", "eu-us-ka_", "\xff"};
	char text[80];

	(void)state;
	for (size_t i = 0; i < COUNT(texts); ++i)
		assert_int_equal(check(texts[i]), EACCES);
	snprintf(text, sizeof(text), "%sx", world.key_text);
	assert_int_equal(check(text), EACCES);
	assert_int_equal(watched.finds, 0);
}

static void test_known_keys_are_accepted_while_the_store_is_unreachable(void **state)
{
	char known[API_KEY_LEN + 1];

	(void)state;
	memcpy(known, world.key_text, sizeof(known));
	assert_int_equal(check(known), 0);
	world_add_key(&world);
	watched.err = EIO;
	world_pass(&world, POLL);
	assert_int_equal(check(known), 0);
	assert_true(caller_is_valid(world.caller));
	assert_int_equal(check(world.key_text),
			 EIO); /* the store is unreachable, so it is unknown */
	watched.err = 0;
	world_pass(&world, POLL);
	assert_int_equal(check(world.key_text), 0);
	assert_int_equal(world.changes, 0);
}

static void test_a_revoked_key_ends_with_the_next_poll_and_is_reported_once(void **state)
{
	(void)state;
	assert_int_equal(check(world.key_text), 0);
	assert_int_equal(world.store->ops->key_revoke(world.store, world.prefix, 77), 0);
	assert_true(caller_is_valid(world.caller));
	world_pass(&world, POLL);
	assert_false(caller_is_valid(world.caller));
	assert_int_equal(world.changes, 1);
	world_pass(&world, POLL);
	assert_int_equal(world.changes, 1);
	assert_int_equal(check(world.key_text), EACCES);
}

static void test_a_refresh_finds_a_revoked_key_at_once(void **state)
{
	(void)state;
	assert_int_equal(check(world.key_text), 0);
	assert_int_equal(world.store->ops->key_revoke(world.store, world.prefix, 77), 0);
	callers_refresh(world.callers);
	callers_refresh(world.callers);
	world_settle(&world);
	assert_int_equal(world.changes, 1);
}

static void test_a_key_that_was_not_used_when_it_was_revoked_is_refused(void **state)
{
	(void)state;
	assert_int_equal(check(world.key_text), 0);
	world.caller = mem_deref(world.caller);
	assert_int_equal(world.store->ops->key_revoke(world.store, world.prefix, 77), 0);
	world_pass(&world, POLL);
	assert_int_equal(world.changes, 0); /* there is no caller to report */
	assert_int_equal(check(world.key_text), EACCES);
}

static void test_a_key_ends_when_it_expires(void **state)
{
	struct store_key to = {.expires_ms = clock_wall_ms() + 50};

	(void)state;
	assert_int_equal(
		world.store->ops->key_change(world.store, world.prefix, STORE_KEY_EXPIRES, &to), 0);
	assert_int_equal(check(world.key_text), 0);
	while (clock_wall_ms() < to.expires_ms)
		; /* a test cannot set the wall clock */
	assert_false(caller_is_valid(world.caller));
	world_pass(&world, POLL);
	assert_int_equal(world.changes, 1);
	assert_int_equal(check(world.key_text), EACCES);
	to.expires_ms = 0;
	assert_int_equal(
		world.store->ops->key_change(world.store, world.prefix, STORE_KEY_EXPIRES, &to), 0);
	world_pass(&world, POLL);
	assert_int_equal(check(world.key_text), 0);
}

static void set_closed(int64_t at_ms)
{
	struct store_account to = {.closed_ms = at_ms};

	assert_int_equal(world.store->ops->account_change(world.store, STORE_ACCOUNT_DEFAULT,
							  STORE_ACCOUNT_CLOSED, &to),
			 0);
}

static void test_a_closed_account_ends_its_keys_until_it_is_opened(void **state)
{
	(void)state;
	assert_int_equal(check(world.key_text), 0);
	set_closed(5);
	world_pass(&world, POLL);
	assert_int_equal(world.changes, 1);
	assert_int_equal(check(world.key_text), EACCES);
	set_closed(0);
	world_pass(&world, POLL);
	assert_int_equal(check(world.key_text), 0);
}

static void test_a_key_that_loses_its_permission_to_speak_is_reported(void **state)
{
	struct store_key to = {.scopes = STORE_SCOPE_READ};

	(void)state;
	assert_int_equal(check(world.key_text), 0);
	assert_true(caller_may_speak(world.caller));
	assert_int_equal(
		world.store->ops->key_change(world.store, world.prefix, STORE_KEY_SCOPES, &to), 0);
	world_pass(&world, POLL);
	assert_int_equal(world.changes, 1);
	assert_true(caller_is_valid(world.caller));
	assert_false(caller_may_speak(world.caller));
}

/* Everything happens between two ticks of the clock. */
static void test_a_key_that_is_restored_and_ends_again_is_reported_again(void **state)
{
	(void)state;
	assert_int_equal(check(world.key_text), 0);
	set_closed(5);
	world_pass(&world, POLL);
	assert_int_equal(world.changes, 1);
	world.caller = mem_deref(world.caller);
	set_closed(0);
	callers_refresh(world.callers);
	world_settle(&world);
	assert_int_equal(check(world.key_text), 0);
	assert_int_equal(world.store->ops->key_revoke(world.store, world.prefix, 1), 0);
	callers_refresh(world.callers);
	world_settle(&world);
	assert_int_equal(world.changes, 2);
}

static void test_changes_are_read_when_the_store_is_reachable_again(void **state)
{
	(void)state;
	assert_int_equal(check(world.key_text), 0);
	assert_int_equal(world.store->ops->key_revoke(world.store, world.prefix, 77), 0);
	watched.err = EIO;
	world_pass(&world, POLL);
	assert_true(caller_is_valid(world.caller));
	watched.err = 0;
	world_pass(&world, POLL);
	assert_false(caller_is_valid(world.caller));
}

static void test_new_limits_apply_after_the_next_poll(void **state)
{
	struct store_key to = {.limits = {STORE_LIMIT_NONE, 0, STORE_LIMIT_NONE, STORE_LIMIT_NONE,
					  STORE_LIMIT_NONE, STORE_LIMIT_NONE}};
	struct connection_permit *permit;

	(void)state;
	assert_int_equal(check(world.key_text), 0);
	assert_int_equal(
		world.store->ops->key_change(world.store, world.prefix, STORE_KEY_LIMITS, &to), 0);
	assert_int_equal(caller_connect(&permit, world.caller, &denied, NULL, NULL), 0);
	mem_deref(permit);
	world_pass(&world, POLL);
	assert_int_equal(caller_connect(&permit, world.caller, &denied, NULL, NULL), EACCES);
	assert_int_equal(denied.why, DENIAL_CONNECTIONS);
}

static void test_hundreds_of_keys_are_read_again_after_a_change(void **state)
{
	struct caller *callers[3 * 32 + 5];
	char texts[COUNT(callers)][API_KEY_LEN + 1];

	(void)state;
	for (size_t i = 0; i < COUNT(callers); ++i) {
		world_add_key(&world);
		memcpy(texts[i], world.key_text, sizeof(texts[i]));
		assert_int_equal(check(texts[i]), 0);
		callers[i] = mem_ref(world.caller);
	}
	for (size_t i = 0; i < COUNT(callers); i += 2)
		assert_int_equal(world.store->ops->key_revoke(world.store,
							      caller_key(callers[i])->prefix, 1),
				 0);
	world_pass(&world, POLL);
	assert_int_equal(world.changes, 1);
	for (size_t i = 0; i < COUNT(callers); ++i) {
		assert_int_equal(caller_is_valid(callers[i]), i % 2 == 1);
		mem_deref(callers[i]);
	}
}

static void test_a_limited_number_of_unused_keys_is_kept(void **state)
{
	(void)state;
	for (size_t i = 0; i < CALLERS_IDLE_MAX + 50; ++i) {
		world_add_key(&world);
		assert_int_equal(check(world.key_text), 0);
	}
	world.caller = mem_deref(world.caller);
	assert_int_equal(world.callers->idle.count, CALLERS_IDLE_MAX);
	assert_int_equal(world.callers->used.count, 0);
}

static void
test_what_was_used_is_remembered_when_nobody_uses_the_key_and_others_change(void **state)
{
	struct store_account account = {.name = "small", .limits = {-1, -1, 2, -1, -1, -1}};
	char text[API_KEY_LEN + 1];

	(void)state;
	world_add_account(&world, &account);
	memcpy(text, world.key_text, sizeof(text));
	for (int i = 0; i < 2; ++i) {
		assert_int_equal(check(text), 0);
		assert_true(caller_request(world.caller, &denied));
		world.caller = mem_deref(world.caller);
		world_add_key(&world); /* a key of another client */
		world_pass(&world, POLL);
	}
	assert_int_equal(check(text), 0);
	assert_false(caller_request(world.caller, &denied));
	assert_int_equal(denied.why, DENIAL_REQUESTS);
	assert_int_equal(watched.finds, 3); /* it was read again each time */
}

static bool note_use(const struct store_key *key, void *arg)
{
	*(int64_t *)arg = key->used_ms;
	return false;
}

static void test_the_last_use_of_a_key_is_recorded_once_a_minute(void **state)
{
	int64_t used_ms = 0;
	int64_t before = clock_wall_ms();

	(void)state;
	for (int i = 0; i < 5; ++i) {
		assert_int_equal(check(world.key_text), 0);
		world_pass(&world, POLL);
	}
	assert_int_equal(watched.uses, 1);
	world.store->ops->key_list(world.store, note_use, &used_ms);
	assert_true(used_ms >= before && used_ms <= clock_wall_ms());
}

static void test_a_cancelled_check_is_not_answered(void **state)
{
	struct callers_check *forgotten;

	(void)state;
	for (int i = 0; i < 2; ++i) { /* first unknown, then in memory */
		assert_int_equal(callers_check(&forgotten, world.callers, world.key_text,
					       API_KEY_LEN, "/", NULL, NULL),
				 0);
		callers_check_cancel(forgotten);
		world_settle(&world);
	}
	assert_int_equal(world.callers->checks.count, 0);
	assert_int_equal(world.callers->used.count, 0);
}

static void note_err(int err, struct caller *caller, void *arg)
{
	assert_null(caller);
	*(int *)arg = err;
}

static void test_pending_checks_are_answered_at_the_end_and_callers_outlive_it(void **state)
{
	struct callers_check *waiting;
	struct permit *permit;
	int err = 0;

	(void)state;
	assert_int_equal(check(world.key_text), 0);
	assert_int_equal(permit_ask(&permit, world.caller, &denied, NULL, NULL), 0);
	world_add_key(&world);
	assert_int_equal(callers_check(&waiting, world.callers, world.key_text, API_KEY_LEN, "/",
				       note_err, &err),
			 0);
	world.callers = mem_deref(world.callers);
	assert_int_equal(err, EIO);
	assert_true(permit_begin_chunk(permit, 5, 0, &denied));
	mem_deref(permit);
	assert_string_equal(caller_server_id(world.caller), "");
}

static void test_a_valid_key_is_accepted_after_memory_ran_out(void **state)
{
	struct callers_check *failed;
	int err = ENOMEM;

	(void)state;
	for (size_t n = 1; err == ENOMEM; ++n) {
		mem_fail_after(n);
		err = callers_check(&failed, world.callers, world.key_text, API_KEY_LEN, "/", NULL,
				    NULL);
		mem_fail_after(0);
	}
	assert_int_equal(err, 0);
	callers_check_cancel(failed);
	world_settle(&world);
	assert_int_equal(check(world.key_text), 0);
}

/* Tokens */

static void add_token(char text[SINGLE_USE_TOKEN_LEN + 1], int64_t seconds)
{
	struct store_token token;
	struct store_key key;

	assert_int_equal(world.store->ops->key_find(world.store, &key, world.prefix), 0);
	assert_int_equal(single_use_token_make(text, &token, key.id, "/ws/tts/stream", seconds,
					       clock_wall_ms()),
			 0);
	assert_int_equal(world.store->ops->token_add(world.store, &token, clock_wall_ms()), 0);
}

static void test_a_token_is_valid_once_for_its_path_and_acts_for_its_key(void **state)
{
	char text[SINGLE_USE_TOKEN_LEN + 1];
	struct caller *own;

	(void)state;
	assert_int_equal(check(world.key_text), 0);
	own = mem_ref(world.caller);
	add_token(text, 60);
	assert_int_equal(world_check(&world, text, "/v1/keys"), EACCES);
	assert_int_equal(world_check(&world, text, "/ws/tts/stream"), 0);
	assert_ptr_not_equal(world.caller, own);
	assert_int_equal(caller_key(world.caller)->id, caller_key(own)->id);
	assert_int_equal(caller_key(world.caller)->scopes, STORE_SCOPE_SPEAK);
	assert_int_equal(caller_key(own)->scopes, STORE_SCOPES_USUAL);
	assert_int_equal(world.callers->used.count, 1); /* the token counts for the same key */
	mem_deref(own);
	assert_int_equal(world_check(&world, text, "/ws/tts/stream"), EACCES);
}

static void test_a_signed_path_acts_for_its_key_until_it_expires(void **state)
{
	struct store_key key;
	char prefix[STORE_KEY_PREFIX_LEN + 1];
	uint8_t hash[STORE_KEY_HASH_LEN];
	char text[SIGNED_PATH_SIZE];
	int64_t now_s = clock_wall_ms() / 1000;

	(void)state;
	assert_int_equal(api_key_read(prefix, hash, world.key_text, API_KEY_LEN), 0);
	assert_int_equal(world.store->ops->key_find(world.store, &key, prefix), 0);
	assert_int_equal(signed_path_make(text, &key, "/x?agent=1", now_s + 60), 0);
	for (int i = 0; i < 2; ++i) { /* it can be used again */
		assert_int_equal(world_check(&world, text, "/x?agent=1"), 0);
		assert_int_equal(caller_key(world.caller)->id, key.id);
		assert_int_equal(caller_key(world.caller)->scopes, STORE_SCOPE_SPEAK);
	}
	assert_int_equal(world_check(&world, text, "/x?agent=2"), EACCES);
	text[strlen(text) - 1] = text[strlen(text) - 1] == '0' ? '1' : '0';
	assert_int_equal(world_check(&world, text, "/x?agent=1"), EACCES);
	assert_int_equal(signed_path_make(text, &key, "/x?agent=1", now_s - 1), 0);
	assert_int_equal(world_check(&world, text, "/x?agent=1"), EACCES);
	assert_int_equal(signed_path_make(text, &key, "/x?agent=1", now_s + 60), 0);
	assert_int_equal(world.store->ops->key_revoke(world.store, prefix, 1), 0);
	world_pass(&world, POLL);
	assert_int_equal(world_check(&world, text, "/x?agent=1"), EACCES);
}

static void test_a_token_is_refused_when_its_key_has_ended(void **state)
{
	char text[SINGLE_USE_TOKEN_LEN + 1];
	char other[SINGLE_USE_TOKEN_LEN + 1];

	(void)state;
	add_token(text, 60);
	add_token(other, 60);
	assert_int_equal(world_check(&world, text, "/ws/tts/stream"), 0);
	assert_int_equal(world.store->ops->key_revoke(world.store, world.prefix, 77), 0);
	world_pass(&world, POLL);
	assert_false(caller_is_valid(world.caller));
	assert_int_equal(world.changes, 1);
	assert_int_equal(world_check(&world, other, "/ws/tts/stream"), EACCES);
}

static void test_forged_and_expired_tokens_are_refused(void **state)
{
	char text[SINGLE_USE_TOKEN_LEN + 1];
	char path[STORE_PATH_MAX + 2];

	(void)state;
	add_token(text, 60);
	memset(path, '/', sizeof(path));
	path[STORE_PATH_MAX + 1] = '\0';
	assert_int_equal(world_check(&world, text, path), EACCES);
	text[SINGLE_USE_TOKEN_LEN - 1] = text[SINGLE_USE_TOKEN_LEN - 1] == 'x' ? 'y' : 'x';
	assert_int_equal(world_check(&world, text, "/ws/tts/stream"), EACCES);
	watched.err = EIO;
	assert_int_equal(world_check(&world, text, "/ws/tts/stream"), EIO);
	watched.err = 0;
}

/* Plans */

static void test_a_plan_sets_the_limits_that_its_accounts_do_not_set(void **state)
{
	static const struct plan plans[] = {
		{"default", {2, -1, -1, -1, -1, -1}},
		{"large", {5, -1, -1, -1, 100, -1}},
	};
	static const struct {
		const char *plan;
		int64_t own_turns, turns, text_max;
	} cases[] = {{"", STORE_LIMIT_PLAN, 2, -1},
		     {"large", STORE_LIMIT_PLAN, 5, 100},
		     {"large", 1, 1, 100},
		     {"large", STORE_LIMIT_NONE, -1, 100},
		     {"lost", STORE_LIMIT_PLAN, 2, -1}};

	(void)state;
	world_close(&world);
	world_open(&world, &(struct callers_options){.plans = plans, .plans_count = COUNT(plans)});
	for (size_t i = 0; i < COUNT(cases); ++i) {
		struct store_account account = {.limits = STORE_LIMITS_PLAN};
		const struct store_limits *limits;

		snprintf(account.name, sizeof(account.name), "account %zu", i);
		snprintf(account.plan, sizeof(account.plan), "%s", cases[i].plan);
		account.limits.turns = cases[i].own_turns;
		world_add_account(&world, &account);
		assert_int_equal(check(world.key_text), 0);
		limits = &world.caller->key->account->quota.limits;
		assert_int_equal(limits->turns, cases[i].turns);
		assert_int_equal(limits->text_max, cases[i].text_max);
	}
}

static void test_an_account_at_its_limit_does_not_affect_another(void **state)
{
	struct store_account account = {.name = "small", .limits = {1, 1, 1, 1, 1, 1}};
	struct permit *permit;
	struct permit *other;
	struct caller *mine;

	(void)state;
	assert_int_equal(check(world.key_text), 0);
	mine = mem_ref(world.caller);
	world_add_account(&world, &account);
	assert_int_equal(check(world.key_text), 0);
	assert_int_equal(permit_ask(&permit, world.caller, &denied, NULL, NULL), 0);
	for (int i = 0; i < 100; ++i) {
		assert_int_equal(permit_ask(&other, world.caller, &denied, NULL, NULL), EACCES);
		assert_int_equal(permit_ask(&other, mine, &denied, NULL, NULL), 0);
		mem_deref(other);
	}
	mem_deref(permit);
	mem_deref(mine);
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(test_a_key_is_looked_up_once_and_then_known),
		CASE(test_wrong_keys_are_refused),
		CASE(test_malformed_keys_are_refused_without_the_store),
		CASE(test_known_keys_are_accepted_while_the_store_is_unreachable),
		CASE(test_a_revoked_key_ends_with_the_next_poll_and_is_reported_once),
		CASE(test_a_refresh_finds_a_revoked_key_at_once),
		CASE(test_a_key_that_was_not_used_when_it_was_revoked_is_refused),
		CASE(test_a_key_ends_when_it_expires),
		CASE(test_a_closed_account_ends_its_keys_until_it_is_opened),
		CASE(test_a_key_that_loses_its_permission_to_speak_is_reported),
		CASE(test_a_key_that_is_restored_and_ends_again_is_reported_again),
		CASE(test_changes_are_read_when_the_store_is_reachable_again),
		CASE(test_new_limits_apply_after_the_next_poll),
		CASE(test_hundreds_of_keys_are_read_again_after_a_change),
		CASE(test_a_limited_number_of_unused_keys_is_kept),
		CASE(test_what_was_used_is_remembered_when_nobody_uses_the_key_and_others_change),
		CASE(test_the_last_use_of_a_key_is_recorded_once_a_minute),
		CASE(test_a_cancelled_check_is_not_answered),
		CASE(test_pending_checks_are_answered_at_the_end_and_callers_outlive_it),
		CASE(test_a_valid_key_is_accepted_after_memory_ran_out),
		CASE(test_a_token_is_valid_once_for_its_path_and_acts_for_its_key),
		CASE(test_a_signed_path_acts_for_its_key_until_it_expires),
		CASE(test_a_token_is_refused_when_its_key_has_ended),
		CASE(test_forged_and_expired_tokens_are_refused),
		CASE(test_a_plan_sets_the_limits_that_its_accounts_do_not_set),
		CASE(test_an_account_at_its_limit_does_not_affect_another),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
