/* Keys are known once they came, and forgotten within a second when they end. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "account/members_private.h"
#include "base/clock.h"
#include "base/count.h"
#include "base/mem.h"
#include "mem_fail.h"
#include "members_world.h"

#define POLL (MEMBERS_POLL_MS * UINT64_C(1000))

static struct world world;
static struct denied denied;

static int set_up(void **state)
{
	(void)state;
	world_open(&world, &(struct members_options){0});
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
	struct member *first;
	char text[64];

	(void)state;
	assert_int_equal(check(world.key_text), 0);
	first = world.member;
	assert_string_equal(member_key(first)->name, "test");
	assert_int_equal(member_account(first)->id, STORE_ACCOUNT_DEFAULT);
	assert_string_equal(member_server_id(first), account_server_id(world.account));
	for (size_t i = 0; i < COUNT(regions); ++i) {
		snprintf(text, sizeof(text), "%s%s", regions[i], world.key_text);
		assert_int_equal(check(text), 0);
		assert_ptr_equal(world.member, first); /* one for all */
	}
	assert_int_equal(watched.finds, 1);
}

static void test_wrong_keys_are_refused(void **state)
{
	char text[64];

	(void)state;
	snprintf(text, sizeof(text), "%s", world.key_text);
	text[ACCOUNT_KEY_LEN - 1] = text[ACCOUNT_KEY_LEN - 1] == 'x' ? 'y' : 'x';
	assert_int_equal(check(text), EACCES);
	assert_int_equal(check(world.key_text), 0);
	assert_int_equal(check(text), EACCES); /* also when the right one is known */
	text[4] = text[4] == 'x' ? 'y' : 'x';
	assert_int_equal(check(text), EACCES);
}

static void test_texts_that_no_key_has_do_not_reach_the_store(void **state)
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

static void test_a_store_that_is_away_refuses_nobody_it_knows(void **state)
{
	char known[ACCOUNT_KEY_LEN + 1];

	(void)state;
	memcpy(known, world.key_text, sizeof(known));
	assert_int_equal(check(known), 0);
	world_add_key(&world);
	watched.err = EIO;
	world_pass(&world, POLL);
	assert_int_equal(check(known), 0);
	assert_true(member_is_good(world.member));
	assert_int_equal(check(world.key_text), EIO); /* nobody knows */
	watched.err = 0;
	world_pass(&world, POLL);
	assert_int_equal(check(world.key_text), 0);
	assert_int_equal(world.changes, 0);
}

static void test_a_revoked_key_ends_with_the_next_poll_and_its_owner_is_told_once(void **state)
{
	(void)state;
	assert_int_equal(check(world.key_text), 0);
	assert_int_equal(world.store->ops->key_revoke(world.store, world.prefix, 77), 0);
	assert_true(member_is_good(world.member));
	world_pass(&world, POLL);
	assert_false(member_is_good(world.member));
	assert_int_equal(world.changes, 1);
	world_pass(&world, POLL);
	assert_int_equal(world.changes, 1);
	assert_int_equal(check(world.key_text), EACCES);
}

static void test_a_refresh_looks_at_once(void **state)
{
	(void)state;
	assert_int_equal(check(world.key_text), 0);
	assert_int_equal(world.store->ops->key_revoke(world.store, world.prefix, 77), 0);
	members_refresh(world.members);
	members_refresh(world.members);
	world_settle(&world);
	assert_int_equal(world.changes, 1);
}

static void test_a_key_that_was_not_used_when_it_was_revoked_is_refused(void **state)
{
	(void)state;
	assert_int_equal(check(world.key_text), 0);
	world.member = mem_deref(world.member);
	assert_int_equal(world.store->ops->key_revoke(world.store, world.prefix, 77), 0);
	world_pass(&world, POLL);
	assert_int_equal(world.changes, 0); /* nobody to be told of */
	assert_int_equal(check(world.key_text), EACCES);
}

static void test_a_key_ends_by_the_clock(void **state)
{
	struct store_key to = {.expires_ms = clock_wall_ms() + 50};

	(void)state;
	assert_int_equal(
		world.store->ops->key_change(world.store, world.prefix, STORE_KEY_EXPIRES, &to), 0);
	assert_int_equal(check(world.key_text), 0);
	while (clock_wall_ms() < to.expires_ms)
		; /* the wall clock is nobody's to move */
	assert_false(member_is_good(world.member));
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

static void test_a_key_that_may_not_speak_any_more_is_told_too(void **state)
{
	struct store_key to = {.scopes = STORE_SCOPE_READ};

	(void)state;
	assert_int_equal(check(world.key_text), 0);
	assert_true(member_may_speak(world.member));
	assert_int_equal(
		world.store->ops->key_change(world.store, world.prefix, STORE_KEY_SCOPES, &to), 0);
	world_pass(&world, POLL);
	assert_int_equal(world.changes, 1);
	assert_true(member_is_good(world.member));
	assert_false(member_may_speak(world.member));
}

/* All between two ticks of the clock. */
static void test_a_key_that_came_back_and_ends_again_is_told_again(void **state)
{
	(void)state;
	assert_int_equal(check(world.key_text), 0);
	set_closed(5);
	world_pass(&world, POLL);
	assert_int_equal(world.changes, 1);
	world.member = mem_deref(world.member);
	set_closed(0);
	members_refresh(world.members);
	world_settle(&world);
	assert_int_equal(check(world.key_text), 0);
	assert_int_equal(world.store->ops->key_revoke(world.store, world.prefix, 1), 0);
	members_refresh(world.members);
	world_settle(&world);
	assert_int_equal(world.changes, 2);
}

static void test_what_cannot_be_read_anew_is_read_when_the_store_is_back(void **state)
{
	(void)state;
	assert_int_equal(check(world.key_text), 0);
	assert_int_equal(world.store->ops->key_revoke(world.store, world.prefix, 77), 0);
	watched.err = EIO;
	world_pass(&world, POLL);
	assert_true(member_is_good(world.member));
	watched.err = 0;
	world_pass(&world, POLL);
	assert_false(member_is_good(world.member));
}

static void test_other_limits_are_in_force_with_the_next_poll(void **state)
{
	struct store_key to = {.limits = {STORE_LIMIT_NONE, 0, STORE_LIMIT_NONE, STORE_LIMIT_NONE,
					  STORE_LIMIT_NONE}};
	struct connection_permit *permit;

	(void)state;
	assert_int_equal(check(world.key_text), 0);
	assert_int_equal(
		world.store->ops->key_change(world.store, world.prefix, STORE_KEY_LIMITS, &to), 0);
	assert_int_equal(member_connect(&permit, world.member, &denied, NULL, NULL), 0);
	mem_deref(permit);
	world_pass(&world, POLL);
	assert_int_equal(member_connect(&permit, world.member, &denied, NULL, NULL), EACCES);
	assert_int_equal(denied.why, DENIAL_CONNECTIONS);
}

static void test_hundreds_of_keys_are_read_anew(void **state)
{
	struct member *members[3 * 32 + 5];
	char texts[COUNT(members)][ACCOUNT_KEY_LEN + 1];

	(void)state;
	for (size_t i = 0; i < COUNT(members); ++i) {
		world_add_key(&world);
		memcpy(texts[i], world.key_text, sizeof(texts[i]));
		assert_int_equal(check(texts[i]), 0);
		members[i] = mem_ref(world.member);
	}
	for (size_t i = 0; i < COUNT(members); i += 2)
		assert_int_equal(world.store->ops->key_revoke(world.store,
							      member_key(members[i])->prefix, 1),
				 0);
	world_pass(&world, POLL);
	assert_int_equal(world.changes, 1);
	for (size_t i = 0; i < COUNT(members); ++i) {
		assert_int_equal(member_is_good(members[i]), i % 2 == 1);
		mem_deref(members[i]);
	}
}

static void test_keys_that_nobody_uses_are_kept_up_to_a_number(void **state)
{
	(void)state;
	for (size_t i = 0; i < MEMBERS_IDLE_MAX + 50; ++i) {
		world_add_key(&world);
		assert_int_equal(check(world.key_text), 0);
	}
	world.member = mem_deref(world.member);
	assert_int_equal(world.members->idle.count, MEMBERS_IDLE_MAX);
	assert_int_equal(world.members->used.count, 0);
}

static void
test_what_was_used_is_remembered_when_nobody_uses_the_key_and_others_change(void **state)
{
	struct store_account account = {.name = "small", .limits = {-1, -1, 2, -1, -1}};
	char text[ACCOUNT_KEY_LEN + 1];

	(void)state;
	world_add_account(&world, &account);
	memcpy(text, world.key_text, sizeof(text));
	for (int i = 0; i < 2; ++i) {
		assert_int_equal(check(text), 0);
		assert_true(member_request(world.member, &denied));
		world.member = mem_deref(world.member);
		world_add_key(&world); /* somebody else's */
		world_pass(&world, POLL);
	}
	assert_int_equal(check(text), 0);
	assert_false(member_request(world.member, &denied));
	assert_int_equal(denied.why, DENIAL_REQUESTS);
	assert_int_equal(watched.finds, 3); /* it was read anew each time it came */
}

static bool note_use(const struct store_key *key, void *arg)
{
	*(int64_t *)arg = key->used_ms;
	return false;
}

static void test_a_last_use_is_noted_once_a_minute(void **state)
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

static void test_a_forgotten_check_is_not_answered(void **state)
{
	struct members_check *forgotten;

	(void)state;
	for (int i = 0; i < 2; ++i) { /* unknown, then known */
		assert_int_equal(members_check(&forgotten, world.members, world.key_text,
					       ACCOUNT_KEY_LEN, "/", NULL, NULL),
				 0);
		members_forget(forgotten);
		world_settle(&world);
	}
	assert_int_equal(world.members->checks.count, 0);
	assert_int_equal(world.members->used.count, 0);
}

static void note_err(int err, struct member *member, void *arg)
{
	assert_null(member);
	*(int *)arg = err;
}

static void test_the_end_answers_who_waits_and_members_outlive_it(void **state)
{
	struct members_check *waiting;
	struct permit *permit;
	int err = 0;

	(void)state;
	assert_int_equal(check(world.key_text), 0);
	assert_int_equal(permit_ask(&permit, world.member, &denied, NULL, NULL), 0);
	world_add_key(&world);
	assert_int_equal(members_check(&waiting, world.members, world.key_text, ACCOUNT_KEY_LEN,
				       "/", note_err, &err),
			 0);
	world.members = mem_deref(world.members);
	assert_int_equal(err, EIO);
	assert_true(permit_go_on(permit, 5, 0, &denied));
	mem_deref(permit);
	assert_string_equal(member_server_id(world.member), "");
}

static void test_out_of_memory_refuses_nobody_wrongly(void **state)
{
	struct members_check *failed;
	int err = ENOMEM;

	(void)state;
	for (size_t n = 1; err == ENOMEM; ++n) {
		mem_fail_after(n);
		err = members_check(&failed, world.members, world.key_text, ACCOUNT_KEY_LEN, "/",
				    NULL, NULL);
		mem_fail_after(0);
	}
	assert_int_equal(err, 0);
	members_forget(failed);
	world_settle(&world);
	assert_int_equal(check(world.key_text), 0);
}

/* Tokens */

static void add_token(char text[ACCOUNT_TOKEN_LEN + 1], int64_t seconds)
{
	struct store_token token;
	struct store_key key;

	assert_int_equal(world.store->ops->key_find(world.store, &key, world.prefix), 0);
	assert_int_equal(account_token_make(text, &token, key.id, "/ws/tts/stream", seconds,
					    clock_wall_ms()),
			 0);
	assert_int_equal(world.store->ops->token_add(world.store, &token, clock_wall_ms()), 0);
}

static void test_a_token_is_good_once_for_its_path_and_speaks_for_its_key(void **state)
{
	char text[ACCOUNT_TOKEN_LEN + 1];
	struct member *own;

	(void)state;
	assert_int_equal(check(world.key_text), 0);
	own = mem_ref(world.member);
	add_token(text, 60);
	assert_int_equal(world_check(&world, text, "/v1/keys"), EACCES);
	assert_int_equal(world_check(&world, text, "/ws/tts/stream"), 0);
	assert_ptr_not_equal(world.member, own);
	assert_int_equal(member_key(world.member)->id, member_key(own)->id);
	assert_int_equal(member_key(world.member)->scopes, STORE_SCOPE_SPEAK);
	assert_int_equal(member_key(own)->scopes, STORE_SCOPES_USUAL);
	assert_int_equal(world.members->used.count, 1); /* the same figures */
	mem_deref(own);
	assert_int_equal(world_check(&world, text, "/ws/tts/stream"), EACCES);
}

static void test_a_token_ends_with_its_key(void **state)
{
	char text[ACCOUNT_TOKEN_LEN + 1];
	char other[ACCOUNT_TOKEN_LEN + 1];

	(void)state;
	add_token(text, 60);
	add_token(other, 60);
	assert_int_equal(world_check(&world, text, "/ws/tts/stream"), 0);
	assert_int_equal(world.store->ops->key_revoke(world.store, world.prefix, 77), 0);
	world_pass(&world, POLL);
	assert_false(member_is_good(world.member));
	assert_int_equal(world.changes, 1);
	assert_int_equal(world_check(&world, other, "/ws/tts/stream"), EACCES);
}

static void test_forged_and_late_tokens_are_refused(void **state)
{
	char text[ACCOUNT_TOKEN_LEN + 1];
	char path[STORE_PATH_MAX + 2];

	(void)state;
	add_token(text, 60);
	memset(path, '/', sizeof(path));
	path[STORE_PATH_MAX + 1] = '\0';
	assert_int_equal(world_check(&world, text, path), EACCES);
	text[ACCOUNT_TOKEN_LEN - 1] = text[ACCOUNT_TOKEN_LEN - 1] == 'x' ? 'y' : 'x';
	assert_int_equal(world_check(&world, text, "/ws/tts/stream"), EACCES);
	watched.err = EIO;
	assert_int_equal(world_check(&world, text, "/ws/tts/stream"), EIO);
	watched.err = 0;
}

/* Plans */

static void test_plans_say_what_accounts_leave_open(void **state)
{
	static const struct plan plans[] = {
		{"default", {2, -1, -1, -1, -1}},
		{"large", {5, -1, -1, -1, 100}},
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
	world_open(&world, &(struct members_options){.plans = plans, .plans_count = COUNT(plans)});
	for (size_t i = 0; i < COUNT(cases); ++i) {
		struct store_account account = {.limits = STORE_LIMITS_PLAN};
		const struct store_limits *limits;

		snprintf(account.name, sizeof(account.name), "account %zu", i);
		snprintf(account.plan, sizeof(account.plan), "%s", cases[i].plan);
		account.limits.turns = cases[i].own_turns;
		world_add_account(&world, &account);
		assert_int_equal(check(world.key_text), 0);
		limits = &world.member->bearer->payer->quota.limits;
		assert_int_equal(limits->turns, cases[i].turns);
		assert_int_equal(limits->text_max, cases[i].text_max);
	}
}

static void test_one_account_at_its_limit_costs_another_nothing(void **state)
{
	struct store_account account = {.name = "small", .limits = {1, 1, 1, 1, 1}};
	struct permit *permit;
	struct permit *other;
	struct member *mine;

	(void)state;
	assert_int_equal(check(world.key_text), 0);
	mine = mem_ref(world.member);
	world_add_account(&world, &account);
	assert_int_equal(check(world.key_text), 0);
	assert_int_equal(permit_ask(&permit, world.member, &denied, NULL, NULL), 0);
	for (int i = 0; i < 100; ++i) {
		assert_int_equal(permit_ask(&other, world.member, &denied, NULL, NULL), EACCES);
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
		CASE(test_texts_that_no_key_has_do_not_reach_the_store),
		CASE(test_a_store_that_is_away_refuses_nobody_it_knows),
		CASE(test_a_revoked_key_ends_with_the_next_poll_and_its_owner_is_told_once),
		CASE(test_a_refresh_looks_at_once),
		CASE(test_a_key_that_was_not_used_when_it_was_revoked_is_refused),
		CASE(test_a_key_ends_by_the_clock),
		CASE(test_a_closed_account_ends_its_keys_until_it_is_opened),
		CASE(test_a_key_that_may_not_speak_any_more_is_told_too),
		CASE(test_a_key_that_came_back_and_ends_again_is_told_again),
		CASE(test_what_cannot_be_read_anew_is_read_when_the_store_is_back),
		CASE(test_other_limits_are_in_force_with_the_next_poll),
		CASE(test_hundreds_of_keys_are_read_anew),
		CASE(test_keys_that_nobody_uses_are_kept_up_to_a_number),
		CASE(test_what_was_used_is_remembered_when_nobody_uses_the_key_and_others_change),
		CASE(test_a_last_use_is_noted_once_a_minute),
		CASE(test_a_forgotten_check_is_not_answered),
		CASE(test_the_end_answers_who_waits_and_members_outlive_it),
		CASE(test_out_of_memory_refuses_nobody_wrongly),
		CASE(test_a_token_is_good_once_for_its_path_and_speaks_for_its_key),
		CASE(test_a_token_ends_with_its_key),
		CASE(test_forged_and_late_tokens_are_refused),
		CASE(test_plans_say_what_accounts_leave_open),
		CASE(test_one_account_at_its_limit_costs_another_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
