/* Turns are booked, exactly once, whatever the store does. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "account/account.h"
#include "base/mem.h"
#include "fake_store.h"
#include "mem_fail.h"

static struct loop *loop;
static struct account *account;
static struct fake_store *fake; /* of the account, in most tests */
static char key_text[ACCOUNT_KEY_LEN + 1];

/* What handlers heard; the loop stops when all that was asked for came. */
static struct {
	int calls;
	int wanted;
	int err;
	int errors;
} heard;

static void note(int err)
{
	heard.err = err;
	heard.errors += err != 0;
	if (++heard.calls == heard.wanted)
		loop_stop(loop);
}

static void on_booked(int err, void *arg)
{
	assert_ptr_equal(arg, &heard);
	note(err);
}

/* Runs the loop until so many handlers were called. */
static void wait_for(int calls)
{
	heard.wanted = calls;
	if (heard.calls < calls)
		loop_run(loop);
	assert_int_equal(heard.calls, calls);
}

static int open_account(void **state)
{
	struct store_key key;

	(void)state;
	memset(&heard, 0, sizeof(heard));
	assert_int_equal(loop_alloc(&loop), 0);
	assert_int_equal(fake_store_alloc(&fake), 0);
	assert_int_equal(account_key_make(key_text, &key, "test"), 0);
	assert_int_equal(fake->store.ops->key_add(&fake->store, &key), 0);
	return account_alloc(&account, loop, &fake->store, &(struct account_options){0});
}

static int close_account(void **state)
{
	(void)state;
	mem_deref(account);
	mem_deref(loop);
	return mem_live() == 0 ? 0 : -1;
}

static struct store_turn turn_of(int number)
{
	struct store_turn turn = {
		.key_id = 1,
		.account_id = STORE_ACCOUNT_DEFAULT,
		.samples = 24000,
		.sample_rate = 24000,
	};

	snprintf(turn.id, sizeof(turn.id), "turn-%d", number);
	return turn;
}

static struct account_booking *book(int number)
{
	struct store_turn turn = turn_of(number);
	struct account_booking *booking;

	assert_int_equal(account_book(&booking, account, &turn, ACCOUNT_NO_MARK, on_booked, &heard),
			 0);
	return booking;
}

static bool count_turn(const struct store_turn *turn, void *arg)
{
	(void)turn;
	++*(int *)arg;
	return true;
}

/* Only while the account's thread has nothing to do. */
static int turns_in(struct store *store)
{
	int count = 0;

	assert_int_equal(store->ops->turn_list(store, count_turn, &count), 0);
	return count;
}

static void test_a_turn_is_durable_when_its_owner_hears(void **state)
{
	(void)state;
	book(1);
	assert_int_equal(heard.calls, 0);
	assert_int_equal(account_waiting(account), 1);
	wait_for(1);
	assert_int_equal(heard.err, 0);
	assert_int_equal(account_waiting(account), 0);
	assert_int_equal(turns_in(&fake->store), 1);
	assert_int_equal(fake->adds, 1);
}

static void test_turns_that_wait_together_are_committed_together(void **state)
{
	(void)state;
	fake->gated = true;
	book(0);
	sem_wait(&fake->reached); /* the thread is busy with the first */
	for (int i = 1; i <= 100; ++i)
		book(i);
	fake->gated = false;
	sem_post(&fake->gate);
	wait_for(101);
	assert_int_equal(heard.errors, 0);
	assert_int_equal(fake->adds, 2);
	assert_int_equal(turns_in(&fake->store), 101);
}

static void test_a_second_booking_of_a_turn_is_no_second_row(void **state)
{
	(void)state;
	book(1);
	book(1);
	wait_for(2);
	assert_int_equal(heard.errors, 0);
	assert_int_equal(turns_in(&fake->store), 1);
}

static void look_again(void *arg)
{
	struct timer *timer = arg;

	if (account_waiting(account) == 0)
		loop_stop(loop);
	else
		timer_set(&loop->timers, timer, 1000, look_again, timer);
}

/* Runs the loop until nothing waits for the store any more. */
static void drain(void)
{
	struct timer timer = {0};

	look_again(&timer);
	if (timer_is_set(&timer))
		loop_run(loop);
	assert_int_equal(account_waiting(account), 0);
}

/* Whichever step fails: told once as EIO, no half batch, booked in the end. */
static void fail_then_recover(atomic_int *knob)
{
	*knob = ENOSPC;
	for (int i = 0; i < 3; ++i)
		book(i);
	wait_for(3);
	assert_int_equal(heard.errors, 3);
	assert_int_equal(account_waiting(account), 3);
	*knob = 0;
	book(3); /* the store is back with this one; the others follow */
	wait_for(4);
	assert_int_equal(heard.err, 0);
	drain();
	assert_int_equal(heard.calls, 4);
	assert_int_equal(turns_in(&fake->store), 4);
}

static void test_turns_are_booked_when_a_failure_is_over(void **state)
{
	(void)state;
	fail_then_recover(&fake->add_err);
}

static void test_a_lost_answer_is_no_second_row(void **state)
{
	(void)state;
	fail_then_recover(&fake->answer_err);
}

static void test_a_failed_turn_is_tried_again_by_itself(void **state)
{
	(void)state;
	fake->add_err = EIO;
	book(1);
	wait_for(1);
	assert_int_equal(heard.err, EIO);
	fake->add_err = 0;
	drain();
	assert_int_equal(turns_in(&fake->store), 1);
	assert_int_equal(heard.calls, 1); /* told once */
}

static void test_a_turn_that_can_never_be_booked_does_not_hold_up_others(void **state)
{
	struct store_turn orphan = turn_of(1);
	struct account_booking *booking;

	(void)state;
	orphan.key_id = 99;
	fake->gated = true;
	book(0);
	sem_wait(&fake->reached);
	assert_int_equal(
		account_book(&booking, account, &orphan, ACCOUNT_NO_MARK, on_booked, &heard), 0);
	book(2);
	fake->gated = false;
	sem_post(&fake->gate);
	wait_for(3);
	assert_int_equal(heard.errors, 1);
	assert_int_equal(account_waiting(account), 0);
	assert_int_equal(turns_in(&fake->store), 2);
}

static void test_an_unlistened_turn_is_still_booked(void **state)
{
	struct store_turn turn = turn_of(2);

	(void)state;
	account_unlisten(book(1));
	assert_int_equal(account_book(NULL, account, &turn, ACCOUNT_NO_MARK, NULL, NULL), 0);
	book(3);
	wait_for(1);
	assert_int_equal(turns_in(&fake->store), 3);
}

static void test_what_waits_for_a_dead_store_is_bounded(void **state)
{
	struct store_turn turn = turn_of(0);

	(void)state;
	fake->add_err = EIO;
	for (int i = 0; i < ACCOUNT_WAITING_MAX; ++i)
		account_unlisten(book(i));
	assert_int_equal(account_book(NULL, account, &turn, ACCOUNT_NO_MARK, NULL, NULL), ENOBUFS);
	assert_int_equal(account_waiting(account), ACCOUNT_WAITING_MAX);
	fake->add_err = 0; /* the end of the account books them all */
}

static void test_the_end_of_the_account_books_what_was_submitted(void **state)
{
	struct store *behind = mem_ref(fake->behind);

	(void)state;
	fake->gated = true;
	book(0);
	sem_wait(&fake->reached);
	for (int i = 1; i < 50; ++i)
		book(i);
	fake->gated = false;
	sem_post(&fake->gate);
	account = mem_deref(account);
	assert_int_equal(heard.calls, 50);
	assert_int_equal(heard.errors, 0);
	assert_int_equal(turns_in(behind), 50);
	mem_deref(behind);
}

/* Questions, and in which order they and others were answered. */
static char order[16];

static void note_order(char who)
{
	size_t len = strlen(order);

	order[len] = who;
	order[len + 1] = '\0';
}

static int answer(struct store *store, void *arg)
{
	assert_ptr_equal(store, &fake->store);
	if (fake->gated) {
		sem_post(&fake->reached);
		sem_wait(&fake->gate);
	}
	return *(const char *)arg == 'x' ? ENOENT : 0;
}

static void on_answered(int err, void *arg)
{
	note_order(*(char *)arg);
	note(err);
}

static void test_questions_are_answered_in_order_with_what_the_work_returned(void **state)
{
	static char names[] = "abx";

	(void)state;
	order[0] = '\0';
	for (int i = 0; i < 3; ++i)
		assert_int_equal(
			account_ask(account, ACCOUNT_QUESTIONS, answer, on_answered, &names[i]), 0);
	assert_string_equal(order, ""); /* never from inside */
	wait_for(3);
	assert_string_equal(order, "abx");
	assert_int_equal(heard.err, ENOENT);
}

static void test_a_short_question_waits_for_one_long_one_at_most(void **state)
{
	static char names[] = "abck";

	(void)state;
	order[0] = '\0';
	fake->gated = true;
	for (int i = 0; i < 3; ++i)
		assert_int_equal(
			account_ask(account, ACCOUNT_QUESTIONS, answer, on_answered, &names[i]), 0);
	sem_wait(&fake->reached);
	fake->gated = false;
	assert_int_equal(account_ask(account, ACCOUNT_ACCESS, answer, on_answered, &names[3]), 0);
	sem_post(&fake->gate);
	wait_for(4);
	assert_string_equal(order, "akbc");
}

/* Capital letters are another asker's, digits a third one's. */
static int64_t asker_of(char name)
{
	return name >= 'a' ? 1 : name >= 'A' ? 2 : 3;
}

static void ask_all(enum account_lane lane, char *names)
{
	for (; *names; ++names)
		assert_int_equal(account_ask_for(account, lane, asker_of(*names), answer,
						 on_answered, names),
				 0);
}

static void test_who_asks_much_waits_for_himself(void **state)
{
	static char many[] = "abcd";
	static char others[] = "ABe1";

	(void)state;
	order[0] = '\0';
	fake->gated = true;
	ask_all(ACCOUNT_QUESTIONS, many);
	sem_wait(&fake->reached);
	fake->gated = false;
	ask_all(ACCOUNT_QUESTIONS, others);
	sem_post(&fake->gate);
	wait_for(8);
	assert_string_equal(order, "aA1bBcde");
}

static void test_a_report_is_asked_beside_other_questions(void **state)
{
	static char report[] = "R";
	static char questions[] = "ab";

	(void)state;
	order[0] = '\0';
	fake->gated = true;
	ask_all(ACCOUNT_QUESTIONS, questions);
	sem_wait(&fake->reached);
	fake->gated = false;
	ask_all(ACCOUNT_REPORTS, report);
	sem_post(&fake->gate);
	wait_for(3);
	assert_string_equal(order, "aRb"); /* on the one thread that there is here */
}

static void test_the_end_of_the_account_calls_off_what_has_not_begun(void **state)
{
	static char names[] = "abc";

	(void)state;
	order[0] = '\0';
	fake->gated = true;
	for (int i = 0; i < 3; ++i)
		assert_int_equal(
			account_ask(account, ACCOUNT_QUESTIONS, answer, on_answered, &names[i]), 0);
	sem_wait(&fake->reached);
	sem_post(&fake->gate);
	account = mem_deref(account);
	assert_string_equal(order, "abc");
	assert_int_equal(heard.errors, 2);
	assert_int_equal(heard.err, ECANCELED);
}

static void test_the_end_of_the_account_tries_failed_turns_once_more(void **state)
{
	struct store *behind = mem_ref(fake->behind);

	(void)state;
	fake->add_err = EIO;
	book(1);
	book(2);
	wait_for(2);
	assert_int_equal(heard.errors, 2);
	fake->add_err = 0;
	account = mem_deref(account);
	assert_int_equal(turns_in(behind), 2);
	assert_int_equal(heard.calls, 2);
	mem_deref(behind);
}

static void test_out_of_memory_leaves_nothing_behind(void **state)
{
	struct account *other = NULL;
	struct account_booking *booking;
	struct store_turn turn = turn_of(1);
	struct store *store;
	size_t live;
	int err = ENOMEM;

	(void)state;
	assert_int_equal(store_open(&store, "memory:"), 0);
	live = mem_live();
	for (size_t n = 1; err; ++n) {
		mem_fail_after(n);
		err = account_alloc(&other, loop, store, &(struct account_options){0});
		mem_fail_after(0);
		if (err) {
			assert_int_equal(err, ENOMEM);
			assert_int_equal(mem_live(), live);
		}
	}
	mem_deref(other); /* and the store with it */
	mem_fail_after(1);
	assert_int_equal(account_ask(account, ACCOUNT_ACCESS, answer, on_answered, order), ENOMEM);
	mem_fail_after(1);
	assert_int_equal(account_book(&booking, account, &turn, ACCOUNT_NO_MARK, on_booked, &heard),
			 ENOMEM);
	assert_int_equal(account_waiting(account), 0);
}

static void test_a_booked_turn_is_in_the_file_when_the_process_starts_again(void **state)
{
	char dir[] = "/tmp/syrinx-account-XXXXXX";
	char address[64];
	char path[64];
	struct store_key key;
	struct store *store;
	static const char *const suffixes[] = {"", "-wal", "-shm"};

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(address, sizeof(address), "sqlite:%s/test.db", dir);
	mem_deref(account);
	assert_int_equal(store_open(&store, address), 0);
	assert_int_equal(account_key_make(key_text, &key, "file"), 0);
	assert_int_equal(store->ops->key_add(store, &key), 0);
	assert_int_equal(
		account_alloc(&account, loop, store, &(struct account_options){.address = address}),
		0);
	for (int i = 0; i < 200; ++i)
		book(i);
	wait_for(200);
	assert_int_equal(heard.errors, 0);
	/* A second reader sees what the handler was told, without a close. */
	assert_int_equal(store_open(&store, address), 0);
	assert_int_equal(turns_in(store), 200);
	mem_deref(store);
	account = mem_deref(account);
	assert_int_equal(store_open(&store, address), 0);
	assert_int_equal(turns_in(store), 200);
	mem_deref(store);
	for (size_t i = 0; i < 3; ++i) {
		snprintf(path, sizeof(path), "%s/test.db%s", dir, suffixes[i]);
		unlink(path);
	}
	assert_int_equal(rmdir(dir), 0);
}

static void test_new_keys_have_every_letter_and_are_never_the_same(void **state)
{
	unsigned counts[128] = {0};
	char texts[200][ACCOUNT_KEY_LEN + 1];
	struct store_key key;

	(void)state;
	for (int i = 0; i < 200; ++i) {
		assert_int_equal(account_key_make(texts[i], &key, "name"), 0);
		assert_int_equal(strlen(texts[i]), ACCOUNT_KEY_LEN);
		assert_memory_equal(texts[i], "ka_", 3);
		assert_memory_equal(texts[i], key.prefix, STORE_KEY_PREFIX_LEN);
		for (int c = 3; c < ACCOUNT_KEY_LEN; ++c)
			++counts[(unsigned char)texts[i][c]];
		for (int j = 0; j < i; ++j)
			assert_string_not_equal(texts[i], texts[j]);
	}
	/* 8000 letters of 62 kinds: 129 each, and never as few as 60 or as
	 * many as 220 while the odds are even. */
	for (int c = 0; c < 128; ++c) {
		bool is_letter =
			(c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');

		assert_true(is_letter ? counts[c] > 60 && counts[c] < 220 : counts[c] == 0);
	}
	assert_int_equal(key.credit_cents, -1);
	assert_int_equal(key.limits.connections, STORE_LIMIT_NONE);
	assert_int_equal(key.limits.text_max, STORE_LIMIT_NONE);
	assert_true(key.created_ms > 0 && key.revoked_ms == 0);
}

static void test_a_key_name_must_fit(void **state)
{
	char name[STORE_NAME_MAX + 2];
	struct store_key key;

	(void)state;
	memset(name, 'n', sizeof(name));
	name[STORE_NAME_MAX + 1] = '\0';
	assert_int_equal(account_key_make(key_text, &key, name), EINVAL);
	name[STORE_NAME_MAX] = '\0';
	assert_int_equal(account_key_make(key_text, &key, name), 0);
	assert_string_equal(key.name, name);
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, open_account, close_account)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(test_a_turn_is_durable_when_its_owner_hears),
		CASE(test_turns_that_wait_together_are_committed_together),
		CASE(test_a_second_booking_of_a_turn_is_no_second_row),
		CASE(test_turns_are_booked_when_a_failure_is_over),
		CASE(test_a_lost_answer_is_no_second_row),
		CASE(test_a_failed_turn_is_tried_again_by_itself),
		CASE(test_a_turn_that_can_never_be_booked_does_not_hold_up_others),
		CASE(test_an_unlistened_turn_is_still_booked),
		CASE(test_what_waits_for_a_dead_store_is_bounded),
		CASE(test_the_end_of_the_account_books_what_was_submitted),
		CASE(test_questions_are_answered_in_order_with_what_the_work_returned),
		CASE(test_a_short_question_waits_for_one_long_one_at_most),
		CASE(test_who_asks_much_waits_for_himself),
		CASE(test_a_report_is_asked_beside_other_questions),
		CASE(test_the_end_of_the_account_calls_off_what_has_not_begun),
		CASE(test_the_end_of_the_account_tries_failed_turns_once_more),
		CASE(test_out_of_memory_leaves_nothing_behind),
		CASE(test_a_booked_turn_is_in_the_file_when_the_process_starts_again),
		cmocka_unit_test(test_new_keys_have_every_letter_and_are_never_the_same),
		cmocka_unit_test(test_a_key_name_must_fit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
