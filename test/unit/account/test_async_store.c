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

#include "account/async_store.h"
#include "base/mem.h"
#include "fake_store.h"
#include "mem_fail.h"

static struct loop *loop;
static struct async_store *async;
static struct fake_store *fake; /* the store of `async` in most tests */
static char key_text[API_KEY_LEN + 1];

/* What handlers received; the loop stops when all expected calls were made. */
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

/* Runs the loop until this many handlers were called. */
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
	assert_int_equal(api_key_make(key_text, &key, "test"), 0);
	assert_int_equal(fake->store.ops->key_add(&fake->store, &key), 0);
	return async_store_alloc(&async, loop, &fake->store, &(struct async_store_options){0});
}

static int close_account(void **state)
{
	(void)state;
	mem_deref(async);
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

static struct usage_booking *book(int number)
{
	struct store_turn turn = turn_of(number);
	struct usage_booking *booking;

	assert_int_equal(async_store_book(&booking, async, &turn, USAGE_NO_MARK, on_booked, &heard),
			 0);
	return booking;
}

static bool count_turn(const struct store_turn *turn, void *arg)
{
	(void)turn;
	++*(int *)arg;
	return true;
}

/* Call it only while the store's thread is idle. */
static int turns_in(struct store *store)
{
	int count = 0;

	assert_int_equal(store->ops->turn_list(store, count_turn, &count), 0);
	return count;
}

static void test_a_turn_is_durable_when_its_handler_is_called(void **state)
{
	(void)state;
	book(1);
	assert_int_equal(heard.calls, 0);
	assert_int_equal(async_store_waiting(async), 1);
	wait_for(1);
	assert_int_equal(heard.err, 0);
	assert_int_equal(async_store_waiting(async), 0);
	assert_int_equal(turns_in(&fake->store), 1);
	assert_int_equal(fake->adds, 1);
}

static void test_turns_that_wait_together_are_committed_together(void **state)
{
	(void)state;
	fake->gated = true;
	book(0);
	sem_wait(&fake->reached); /* the thread is running the first one */
	for (int i = 1; i <= 100; ++i)
		book(i);
	fake->gated = false;
	sem_post(&fake->gate);
	wait_for(101);
	assert_int_equal(heard.errors, 0);
	assert_int_equal(fake->adds, 2);
	assert_int_equal(turns_in(&fake->store), 101);
}

static void test_a_turn_that_is_booked_twice_has_one_row(void **state)
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

	if (async_store_waiting(async) == 0)
		loop_stop(loop);
	else
		timer_set(&loop->timers, timer, 1000, look_again, timer);
}

/* Runs the loop until no turn waits for the store. */
static void drain(void)
{
	struct timer timer = {0};

	look_again(&timer);
	if (timer_is_set(&timer))
		loop_run(loop);
	assert_int_equal(async_store_waiting(async), 0);
}

/* Whichever step fails: one EIO, no partial batch, and all turns are booked in the end. */
static void fail_then_recover(atomic_int *knob)
{
	*knob = ENOSPC;
	for (int i = 0; i < 3; ++i)
		book(i);
	wait_for(3);
	assert_int_equal(heard.errors, 3);
	assert_int_equal(async_store_waiting(async), 3);
	*knob = 0;
	book(3); /* the store accepts this one again; the others follow */
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

static void test_a_turn_is_not_booked_twice_if_the_answer_was_lost(void **state)
{
	(void)state;
	fail_then_recover(&fake->answer_err);
}

static void test_a_booking_that_fails_is_retried_automatically(void **state)
{
	(void)state;
	fake->add_err = EIO;
	book(1);
	wait_for(1);
	assert_int_equal(heard.err, EIO);
	fake->add_err = 0;
	drain();
	assert_int_equal(turns_in(&fake->store), 1);
	assert_int_equal(heard.calls, 1); /* reported once */
}

static void test_a_turn_that_can_never_be_booked_does_not_hold_up_others(void **state)
{
	struct store_turn orphan = turn_of(1);
	struct usage_booking *booking;

	(void)state;
	orphan.key_id = 99;
	fake->gated = true;
	book(0);
	sem_wait(&fake->reached);
	assert_int_equal(
		async_store_book(&booking, async, &orphan, USAGE_NO_MARK, on_booked, &heard), 0);
	book(2);
	fake->gated = false;
	sem_post(&fake->gate);
	wait_for(3);
	assert_int_equal(heard.errors, 1);
	assert_int_equal(async_store_waiting(async), 0);
	assert_int_equal(turns_in(&fake->store), 2);
}

static void test_a_turn_whose_handler_was_removed_is_still_booked(void **state)
{
	struct store_turn turn = turn_of(2);

	(void)state;
	async_store_unlisten(book(1));
	assert_int_equal(async_store_book(NULL, async, &turn, USAGE_NO_MARK, NULL, NULL), 0);
	book(3);
	wait_for(1);
	assert_int_equal(turns_in(&fake->store), 3);
}

static void test_the_number_of_turns_that_wait_for_the_store_is_limited(void **state)
{
	struct store_turn turn = turn_of(0);

	(void)state;
	fake->add_err = EIO;
	for (int i = 0; i < ASYNC_STORE_WAITING_MAX; ++i)
		async_store_unlisten(book(i));
	assert_int_equal(async_store_book(NULL, async, &turn, USAGE_NO_MARK, NULL, NULL), ENOBUFS);
	assert_int_equal(async_store_waiting(async), ASYNC_STORE_WAITING_MAX);
	fake->add_err = 0; /* when the async_store is released, it books them all */
}

static void test_freeing_the_async_store_books_all_submitted_turns(void **state)
{
	struct store *behind = mem_ref(fake->real);

	(void)state;
	fake->gated = true;
	book(0);
	sem_wait(&fake->reached);
	for (int i = 1; i < 50; ++i)
		book(i);
	fake->gated = false;
	sem_post(&fake->gate);
	async = mem_deref(async);
	assert_int_equal(heard.calls, 50);
	assert_int_equal(heard.errors, 0);
	assert_int_equal(turns_in(behind), 50);
	mem_deref(behind);
}

/* Queries, and the order in which they were answered. */
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

static void test_queries_are_answered_in_order_with_the_result_of_their_work(void **state)
{
	static char names[] = "abx";

	(void)state;
	order[0] = '\0';
	for (int i = 0; i < 3; ++i)
		assert_int_equal(
			async_store_run(async, ASYNC_STORE_QUERIES, answer, on_answered, &names[i]),
			0);
	assert_string_equal(order, ""); /* never from inside */
	wait_for(3);
	assert_string_equal(order, "abx");
	assert_int_equal(heard.err, ENOENT);
}

static void test_a_short_query_waits_for_at_most_one_long_query(void **state)
{
	static char names[] = "abck";

	(void)state;
	order[0] = '\0';
	fake->gated = true;
	for (int i = 0; i < 3; ++i)
		assert_int_equal(
			async_store_run(async, ASYNC_STORE_QUERIES, answer, on_answered, &names[i]),
			0);
	sem_wait(&fake->reached);
	fake->gated = false;
	assert_int_equal(async_store_run(async, ASYNC_STORE_ACCESS, answer, on_answered, &names[3]),
			 0);
	sem_post(&fake->gate);
	wait_for(4);
	assert_string_equal(order, "akbc");
}

/* Capital letters are queries of another asker, digits those of a third one. */
static int64_t asker_of(char name)
{
	return name >= 'a' ? 1 : name >= 'A' ? 2 : 3;
}

static void ask_all(enum async_store_lane lane, char *names)
{
	for (; *names; ++names)
		assert_int_equal(async_store_run_for(async, lane, asker_of(*names), answer,
						     on_answered, names),
				 0);
}

static void test_an_asker_with_many_queries_delays_only_itself(void **state)
{
	static char many[] = "abcd";
	static char others[] = "ABe1";

	(void)state;
	order[0] = '\0';
	fake->gated = true;
	ask_all(ASYNC_STORE_QUERIES, many);
	sem_wait(&fake->reached);
	fake->gated = false;
	ask_all(ASYNC_STORE_QUERIES, others);
	sem_post(&fake->gate);
	wait_for(8);
	assert_string_equal(order, "aA1bBcde");
}

static void test_reports_run_beside_other_queries(void **state)
{
	static char report[] = "R";
	static char questions[] = "ab";

	(void)state;
	order[0] = '\0';
	fake->gated = true;
	ask_all(ASYNC_STORE_QUERIES, questions);
	sem_wait(&fake->reached);
	fake->gated = false;
	ask_all(ASYNC_STORE_REPORTS, report);
	sem_post(&fake->gate);
	wait_for(3);
	assert_string_equal(order, "aRb"); /* on the only thread in this test */
}

static void test_freeing_the_async_store_cancels_queries_that_have_not_begun(void **state)
{
	static char names[] = "abc";

	(void)state;
	order[0] = '\0';
	fake->gated = true;
	for (int i = 0; i < 3; ++i)
		assert_int_equal(
			async_store_run(async, ASYNC_STORE_QUERIES, answer, on_answered, &names[i]),
			0);
	sem_wait(&fake->reached);
	sem_post(&fake->gate);
	async = mem_deref(async);
	assert_string_equal(order, "abc");
	assert_int_equal(heard.errors, 2);
	assert_int_equal(heard.err, ECANCELED);
}

static void test_freeing_the_async_store_retries_failed_turns_once(void **state)
{
	struct store *behind = mem_ref(fake->real);

	(void)state;
	fake->add_err = EIO;
	book(1);
	book(2);
	wait_for(2);
	assert_int_equal(heard.errors, 2);
	fake->add_err = 0;
	async = mem_deref(async);
	assert_int_equal(turns_in(behind), 2);
	assert_int_equal(heard.calls, 2);
	mem_deref(behind);
}

static void test_nothing_leaks_when_memory_runs_out(void **state)
{
	struct async_store *other = NULL;
	struct usage_booking *booking;
	struct store_turn turn = turn_of(1);
	struct store *store;
	size_t live;
	int err = ENOMEM;

	(void)state;
	assert_int_equal(store_open(&store, "memory:"), 0);
	live = mem_live();
	for (size_t n = 1; err; ++n) {
		mem_fail_after(n);
		err = async_store_alloc(&other, loop, store, &(struct async_store_options){0});
		mem_fail_after(0);
		if (err) {
			assert_int_equal(err, ENOMEM);
			assert_int_equal(mem_live(), live);
		}
	}
	mem_deref(other); /* releases the store too */
	mem_fail_after(1);
	assert_int_equal(async_store_run(async, ASYNC_STORE_ACCESS, answer, on_answered, order),
			 ENOMEM);
	mem_fail_after(1);
	assert_int_equal(async_store_book(&booking, async, &turn, USAGE_NO_MARK, on_booked, &heard),
			 ENOMEM);
	assert_int_equal(async_store_waiting(async), 0);
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
	mem_deref(async);
	assert_int_equal(store_open(&store, address), 0);
	assert_int_equal(api_key_make(key_text, &key, "file"), 0);
	assert_int_equal(store->ops->key_add(store, &key), 0);
	assert_int_equal(async_store_alloc(&async, loop, store,
					   &(struct async_store_options){.address = address}),
			 0);
	for (int i = 0; i < 200; ++i)
		book(i);
	wait_for(200);
	assert_int_equal(heard.errors, 0);
	/* A second handle sees the booked turn, although the first is not closed. */
	assert_int_equal(store_open(&store, address), 0);
	assert_int_equal(turns_in(store), 200);
	mem_deref(store);
	async = mem_deref(async);
	assert_int_equal(store_open(&store, address), 0);
	assert_int_equal(turns_in(store), 200);
	mem_deref(store);
	for (size_t i = 0; i < 3; ++i) {
		snprintf(path, sizeof(path), "%s/test.db%s", dir, suffixes[i]);
		unlink(path);
	}
	assert_int_equal(rmdir(dir), 0);
}

static void test_new_keys_use_all_letters_and_are_all_different(void **state)
{
	unsigned counts[128] = {0};
	char texts[200][API_KEY_LEN + 1];
	struct store_key key;

	(void)state;
	for (int i = 0; i < 200; ++i) {
		assert_int_equal(api_key_make(texts[i], &key, "name"), 0);
		assert_int_equal(strlen(texts[i]), API_KEY_LEN);
		assert_memory_equal(texts[i], "ka_", 3);
		assert_memory_equal(texts[i], key.prefix, STORE_KEY_PREFIX_LEN);
		for (int c = 3; c < API_KEY_LEN; ++c)
			++counts[(unsigned char)texts[i][c]];
		for (int j = 0; j < i; ++j)
			assert_string_not_equal(texts[i], texts[j]);
	}
	/* 8000 letters of 62 kinds: about 129 of each.  If all are equally likely, there are
	 * never as few as 60 or as many as 220. */
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
	assert_int_equal(api_key_make(key_text, &key, name), EINVAL);
	name[STORE_NAME_MAX] = '\0';
	assert_int_equal(api_key_make(key_text, &key, name), 0);
	assert_string_equal(key.name, name);
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, open_account, close_account)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(test_a_turn_is_durable_when_its_handler_is_called),
		CASE(test_turns_that_wait_together_are_committed_together),
		CASE(test_a_turn_that_is_booked_twice_has_one_row),
		CASE(test_turns_are_booked_when_a_failure_is_over),
		CASE(test_a_turn_is_not_booked_twice_if_the_answer_was_lost),
		CASE(test_a_booking_that_fails_is_retried_automatically),
		CASE(test_a_turn_that_can_never_be_booked_does_not_hold_up_others),
		CASE(test_a_turn_whose_handler_was_removed_is_still_booked),
		CASE(test_the_number_of_turns_that_wait_for_the_store_is_limited),
		CASE(test_freeing_the_async_store_books_all_submitted_turns),
		CASE(test_queries_are_answered_in_order_with_the_result_of_their_work),
		CASE(test_a_short_query_waits_for_at_most_one_long_query),
		CASE(test_an_asker_with_many_queries_delays_only_itself),
		CASE(test_reports_run_beside_other_queries),
		CASE(test_freeing_the_async_store_cancels_queries_that_have_not_begun),
		CASE(test_freeing_the_async_store_retries_failed_turns_once),
		CASE(test_nothing_leaks_when_memory_runs_out),
		CASE(test_a_booked_turn_is_in_the_file_when_the_process_starts_again),
		cmocka_unit_test(test_new_keys_use_all_letters_and_are_all_different),
		cmocka_unit_test(test_a_key_name_must_fit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
