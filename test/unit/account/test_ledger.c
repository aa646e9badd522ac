/* No row is lost or booked twice: store unreachable or slow, spool full, processes that died. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "account/async_store.h"
#include "account/disk_record.h"
#include "account/marks.h"
#include "account/spool.h"
#include "base/mem.h"
#include "fake_store.h"
#include "mem_fail.h"
#include "scratch_dir.h"

#define DEAD "00000000deadbeef" /* a server that died */
#define ROWS 32
#define TOKENS 80 /* turns from this number on are answers of a language model */
#define MODEL "a-model/with-a-name-that-speech-has-no-room-for"

static char dir[SCRATCH_DIR_SIZE];
static struct loop *loop;
static struct store *behind; /* the memory store, which outlives the async_store */
static struct fake_store *fake;
static struct async_store *async;

static struct {
	int calls, wanted, errors;
} heard;

static void on_booked(int err, void *arg)
{
	(void)arg;
	heard.errors += err != 0;
	if (++heard.calls == heard.wanted)
		loop_stop(loop);
}

static void wait_for(int calls)
{
	heard.wanted = calls;
	if (heard.calls < calls)
		loop_run(loop);
	assert_int_equal(heard.calls, calls);
}

static void open_account(void)
{
	const struct async_store_options options = {.data_dir = dir, .spool_rows = ROWS};

	assert_int_equal(async_store_alloc(&async, loop, &fake->store, &options), 0);
}

static void close_account(void)
{
	async = mem_deref(async);
	fake = NULL;
}

/* Starts another process with the same directory and the same rows. */
static void make_store(void)
{
	assert_int_equal(fake_store_alloc(&fake), 0);
	if (behind) {
		mem_deref(fake->real);
		fake->real = mem_ref(behind);
	}
}

static int set_up(void **state)
{
	struct store_key key;
	char text[API_KEY_LEN + 1];

	(void)state;
	memset(&heard, 0, sizeof(heard));
	scratch_dir_make(dir);
	assert_int_equal(loop_alloc(&loop), 0);
	behind = NULL;
	make_store();
	behind = mem_ref(fake->real);
	assert_int_equal(api_key_make(text, &key, "test"), 0);
	return behind->ops->key_add(behind, &key);
}

static int tear_down(void **state)
{
	(void)state;
	if (async)
		close_account();
	mem_deref(fake);
	mem_deref(behind);
	mem_deref(loop);
	async = NULL;
	fake = NULL;
	behind = NULL;
	scratch_dir_remove(dir);
	return mem_live() == 0 ? 0 : -1;
}

static struct store_turn turn_of(int number)
{
	struct store_turn turn = {
		.key_id = 1,
		.account_id = STORE_ACCOUNT_DEFAULT,
		.samples = 24000,
		.sample_rate = 24000,
		.amount_microcents = 90000,
	};

	if (number >= TOKENS) {
		turn.kind = STORE_KIND_MODEL_OUTPUT;
		turn.unit = STORE_UNIT_TOKENS;
		turn.quantity = (uint64_t)number;
		turn.is_estimated = true;
		turn.samples = turn.sample_rate = 0;
		snprintf(turn.model_id, sizeof(turn.model_id), "%s", MODEL);
	}
	snprintf(turn.id, sizeof(turn.id), "turn-%02d", number);
	return turn;
}

static void book(int number)
{
	struct store_turn turn = turn_of(number);

	assert_int_equal(async_store_book(NULL, async, &turn, USAGE_NO_MARK, on_booked, NULL), 0);
}

static void book_range(int from, int to)
{
	for (int i = from; i < to; ++i)
		book(i);
}

/* Counts rows that are in order, each with the number after that of the last one; -1: they are
 * not. */
static bool read_number(const struct store_turn *turn, void *arg)
{
	int *next = arg;

	*next = atoi(turn->id + 5) == *next && turn->status == STORE_TURN_FINISHED ? *next + 1 : -1;
	return *next >= 0;
}

/* Call it only while the store's threads are idle. */
static int turns_in_order(void)
{
	int count = 0;

	assert_int_equal(behind->ops->turn_list(behind, read_number, &count), 0);
	return count;
}

static int count_in_store;

static int count_work(struct store *store, void *arg)
{
	(void)arg;
	count_in_store = 0;
	return store->ops->turn_list(store, read_number, &count_in_store);
}

static int wanted_in_store;

static void look_again(void *arg);

static void on_counted(int err, void *arg)
{
	struct timer *timer = arg;

	assert_int_equal(err, 0);
	if (count_in_store == wanted_in_store && async_store_waiting(async) == 0 &&
	    async_store_can_book(async))
		loop_stop(loop);
	else
		timer_set(&loop->timers, timer, 2000, look_again, timer);
}

static void look_again(void *arg)
{
	timer_clear(&loop->timers, arg);
	assert_int_equal(async_store_run(async, ASYNC_STORE_QUERIES, count_work, on_counted, arg),
			 0);
}

/* Runs the loop until the store has this many rows and the async_store is settled. */
static void wait_for_rows(int rows)
{
	struct timer timer = {0};

	wanted_in_store = rows;
	look_again(&timer);
	loop_run(loop);
}

static void test_rows_are_durable_on_the_disk_while_the_store_is_unreachable(void **state)
{
	(void)state;
	open_account();
	fake->add_err = EIO;
	book_range(0, 5);
	wait_for(5);
	assert_int_equal(heard.errors, 0);
	assert_int_equal(async_store_waiting(async), 0);
	fake->add_err = 0;
	wait_for_rows(5);
}

static void test_rows_are_delivered_in_order_and_once(void **state)
{
	(void)state;
	open_account();
	fake->answer_err = EIO; /* the store has the rows, but reports an error */
	book_range(0, 3);
	wait_for(3);
	fake->answer_err = 0;
	book_range(3, 20); /* after those on the disk */
	wait_for(20);
	assert_int_equal(heard.errors, 0);
	wait_for_rows(20);
	book(20); /* after all others */
	wait_for_rows(21);
}

static void test_a_full_spool_refuses_new_turns_and_loses_none(void **state)
{
	(void)state;
	open_account();
	assert_true(async_store_can_book(async));
	fake->add_err = ENOSPC;
	book_range(0, ROWS / 2);
	wait_for(ROWS / 2);
	assert_true(async_store_can_book(async));
	book_range(ROWS / 2, ROWS - 2);
	wait_for(ROWS - 2);
	assert_false(async_store_can_book(async)); /* the rest is for turns that are being spoken */
	assert_int_equal(heard.errors, 0);
	book_range(ROWS - 2, ROWS);
	wait_for(ROWS);
	assert_int_equal(heard.errors, 0);
	book_range(ROWS, ROWS + 8); /* more than there is room for */
	wait_for(ROWS + 8);
	assert_int_equal(heard.errors, 8);
	assert_int_equal(async_store_waiting(async), 8);
	assert_false(async_store_can_book(async));
	fake->add_err = 0;
	wait_for_rows(ROWS + 8);
}

static void test_without_a_directory_rows_wait_in_memory(void **state)
{
	char path[128];

	(void)state;
	snprintf(path, sizeof(path), "%s/spool", dir);
	scratch_dir_write(path, "not a directory");
	open_account();
	assert_true(async_store_can_book(async));
	fake->add_err = EIO;
	book(0);
	wait_for(1);
	assert_int_equal(heard.errors, 1);
	assert_false(async_store_can_book(async));
	fake->add_err = 0;
	wait_for_rows(1);
	unlink(path);
}

static void test_bookings_do_not_wait_for_a_store_that_hangs(void **state)
{
	(void)state;
	open_account();
	fake->gated = true;
	book(0);
	sem_wait(&fake->reached);
	book_range(1, 4);
	wait_for(4); /* while the store still has the first */
	assert_int_equal(heard.errors, 0);
	book(4);
	wait_for(5);
	assert_int_equal(async_store_waiting(async), 0);
	fake->gated = false;
	sem_post(&fake->gate);
	wait_for_rows(5);
}

static void test_rows_survive_the_process(void **state)
{
	(void)state;
	open_account();
	fake->add_err = EIO;
	book_range(0, 5);
	wait_for(5);
	close_account();
	assert_int_equal(turns_in_order(), 0);
	assert_int_equal(scratch_dir_count(dir, ".rows"), 1);
	make_store();
	open_account();
	assert_int_equal(turns_in_order(), 5);
	assert_int_equal(scratch_dir_count(dir, ".rows"), 1); /* the new one's */
	close_account();
	assert_int_equal(scratch_dir_count(dir, ".rows"), 0);
	assert_int_equal(scratch_dir_count(dir, ".marks"), 0);
}

/* Makes the files of a server that died: rows in its spool, and marks of turns that it was
 * speaking. */
static void leave(const int *rows, size_t rows_len, const int *marked, size_t marked_len)
{
	char path[128];
	struct spool *spool;
	struct marks *marks;

	snprintf(path, sizeof(path), "%s/spool", dir);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/spool/" DEAD ".rows", dir);
	assert_int_equal(spool_open(&spool, path, ROWS), 0);
	for (size_t i = 0; i < rows_len; ++i) {
		struct store_turn turn = turn_of(rows[i]);

		assert_int_equal(spool_put(spool, &turn, 1), 0);
	}
	mem_deref(spool);
	snprintf(path, sizeof(path), "%s/spool/" DEAD ".marks", dir);
	assert_int_equal(marks_open(&marks, path), 0);
	for (size_t i = 0; i < marked_len; ++i) {
		struct store_turn turn = turn_of(marked[i]);

		turn.samples = 12000;
		assert_int_equal(marks_write(marks, marks_take(marks), &turn), 0);
	}
	mem_deref(marks);
}

static struct store_turn found[ROWS];
static size_t found_len;

static bool find(const struct store_turn *turn, void *arg)
{
	(void)arg;
	found[found_len++] = *turn;
	return true;
}

static void find_turns(void)
{
	found_len = 0;
	assert_int_equal(behind->ops->turn_list(behind, find, NULL), 0);
}

static void test_money_6_a_turn_that_a_crash_ended_is_booked_as_lost_and_is_free(void **state)
{
	static const int rows[] = {1, 2};
	static const int marked[] = {2, 3}; /* 2 was booked, its mark not yet cleared */

	(void)state;
	leave(rows, 2, marked, 2);
	open_account();
	find_turns();
	assert_int_equal(found_len, 3);
	assert_string_equal(found[1].id, "turn-02");
	assert_int_equal(found[1].status, STORE_TURN_FINISHED);
	assert_int_equal(found[1].samples, 24000);
	assert_string_equal(found[2].id, "turn-03");
	assert_int_equal(found[2].status, STORE_TURN_LOST);
	assert_int_equal(found[2].samples, 12000);
	assert_int_equal(found[2].amount_microcents, 0);
	assert_string_equal(fake->returned, DEAD);
	assert_int_equal(scratch_dir_count(dir, DEAD ".rows"), 0);
	assert_int_equal(scratch_dir_count(dir, DEAD ".marks"), 0);
}

static void test_files_of_a_running_process_are_left_alone(void **state)
{
	static const int rows[] = {1};
	struct spool *spool;
	char path[128];

	(void)state;
	leave(rows, 1, rows, 1);
	snprintf(path, sizeof(path), "%s/spool/" DEAD ".rows", dir);
	assert_int_equal(spool_open(&spool, path, 0), 0);
	open_account();
	find_turns();
	assert_int_equal(found_len, 0);
	assert_string_equal(fake->returned, "");
	assert_int_equal(spool_count(spool), 1);
	assert_int_equal(scratch_dir_count(dir, DEAD ".marks"), 1);
	mem_deref(spool);
}

static void test_files_of_an_ended_process_wait_for_the_store(void **state)
{
	static const int rows[] = {0, 1};

	(void)state;
	leave(rows, 2, NULL, 0);
	fake->add_err = EIO;
	open_account();
	assert_int_equal(turns_in_order(), 0);
	assert_int_equal(scratch_dir_count(dir, DEAD ".rows"), 1);
	close_account();
	make_store();
	open_account();
	assert_int_equal(turns_in_order(), 2);
	assert_int_equal(scratch_dir_count(dir, DEAD ".rows"), 0);
}

static void test_a_damaged_file_is_kept_and_its_intact_records_are_booked(void **state)
{
	static const int rows[] = {1, 2, 3};
	char path[128];

	(void)state;
	leave(rows, 3, rows, 3);
	snprintf(path, sizeof(path), "%s/spool/" DEAD ".rows", dir);
	scratch_dir_spoil(path, 4096 + 256 + 90); /* the second row */
	snprintf(path, sizeof(path), "%s/spool/" DEAD ".marks", dir);
	scratch_dir_spoil(path, 4096 + 90); /* the first mark */
	open_account();
	find_turns();
	assert_int_equal(found_len, 3);
	assert_string_equal(found[2].id, "turn-02"); /* by its mark */
	assert_int_equal(found[2].status, STORE_TURN_LOST);
	assert_int_equal(scratch_dir_count(dir, DEAD ".rows.damaged"), 1);
	assert_int_equal(scratch_dir_count(dir, DEAD ".marks.damaged"), 1);
	assert_int_equal(scratch_dir_count(dir, DEAD ".rows"), 0);
}

/* The version of a record in a file. */
static uint64_t version_at(const char *ending, size_t record)
{
	char path[128];
	uint8_t bytes[DISK_RECORD_SIZE];
	FILE *file;

	snprintf(path, sizeof(path), "%s/spool/" DEAD "%s", dir, ending);
	file = fopen(path, "re");
	assert_non_null(file);
	assert_int_equal(fseek(file, (long)(4096 + record * sizeof(bytes)), SEEK_SET), 0);
	assert_int_equal(fread(bytes, sizeof(bytes), 1, file), 1);
	fclose(file);
	return disk_record_number(bytes + DISK_RECORD_SIZE - 16);
}

static void test_rows_of_speech_can_be_read_by_the_previous_release(void **state)
{
	static const int rows[] = {1, TOKENS};

	(void)state;
	leave(rows, 2, rows, 2);
	assert_int_equal(version_at(".rows", 0), 1);
	assert_int_equal(version_at(".rows", 1), 2);
	assert_int_equal(version_at(".marks", 0), 1);
	assert_int_equal(version_at(".marks", 1), 2);
	open_account();
	find_turns();
	assert_int_equal(found_len, 2);
	assert_int_equal(found[0].quantity, 24000);
	assert_int_equal(found[1].kind, STORE_KIND_MODEL_OUTPUT);
	assert_int_equal(found[1].unit, STORE_UNIT_TOKENS);
	assert_int_equal(found[1].quantity, TOKENS);
	assert_true(found[1].is_estimated);
	assert_string_equal(found[1].model_id, MODEL);
	assert_int_equal(found[1].amount_microcents, 90000);
}

static void rename_left(const char *from, const char *to)
{
	char old[128];
	char new[128];

	snprintf(old, sizeof(old), "%s/spool/" DEAD "%s", dir, from);
	snprintf(new, sizeof(new), "%s/spool/" DEAD "%s", dir, to);
	assert_int_equal(rename(old, new), 0);
}

/* The previous release books the speech in such a file and keeps the file.  Here it has not even
 * booked the speech, so that the test can see which rows are taken from the file. */
static void
test_what_the_previous_program_could_not_read_is_booked_from_the_file_it_kept(void **state)
{
	static const int rows[] = {1, TOKENS, TOKENS + 1};
	static const int marked[] = {2, TOKENS + 1, TOKENS + 2};

	(void)state;
	leave(rows, 3, marked, 3);
	rename_left(".rows", ".rows.damaged");
	rename_left(".marks", ".marks.damaged");
	for (int i = 0; i < 2; ++i) { /* the rows are booked once, however often a process starts */
		open_account();
		find_turns();
		assert_int_equal(found_len, 3);
		for (size_t n = 0; n < found_len; ++n) {
			bool was_marked = strcmp(found[n].id, "turn-82") == 0;

			assert_int_equal(found[n].kind, STORE_KIND_MODEL_OUTPUT);
			assert_int_equal(found[n].status == STORE_TURN_LOST, was_marked);
			assert_int_equal(found[n].amount_microcents, was_marked ? 0 : 90000);
		}
		close_account();
		make_store();
	}
	assert_int_equal(scratch_dir_count(dir, DEAD ".rows.damaged.read"), 1);
	assert_int_equal(scratch_dir_count(dir, DEAD ".marks.damaged.read"), 1);
}

static void test_other_files_are_left_alone(void **state)
{
	static const char *const names[] = {"notes.rows", "0123456789abcdef.txt",
					    "0123456789ABCDEG.marks"};
	char path[128];

	(void)state;
	snprintf(path, sizeof(path), "%s/spool", dir);
	mkdir(path, 0700);
	for (size_t i = 0; i < 3; ++i) {
		snprintf(path, sizeof(path), "%s/spool/%s", dir, names[i]);
		scratch_dir_write(path, "mine");
	}
	open_account();
	for (size_t i = 0; i < 3; ++i)
		assert_int_equal(scratch_dir_count(dir, names[i]), 1);
	find_turns();
	assert_int_equal(found_len, 0);
}

static void test_a_mark_is_gone_when_its_turn_is_booked(void **state)
{
	struct store_turn turn = turn_of(0);
	size_t slot = USAGE_NO_MARK;
	size_t first;

	(void)state;
	open_account();
	async_store_mark(async, &slot, &turn);
	assert_int_not_equal(slot, USAGE_NO_MARK);
	first = slot;
	turn.samples = 240000;
	async_store_mark(async, &slot, &turn);
	assert_int_equal(slot, first);
	assert_int_equal(async_store_book(NULL, async, &turn, slot, on_booked, NULL), 0);
	wait_for(1);
	close_account();
	assert_int_equal(scratch_dir_count(dir, ".marks"), 0);
	assert_int_equal(turns_in_order(), 1);
}

static void test_a_mark_survives_a_process_that_did_not_book_its_turn(void **state)
{
	struct store_turn turn = turn_of(0);
	size_t slot = USAGE_NO_MARK;

	(void)state;
	open_account();
	async_store_mark(async, &slot, &turn);
	close_account();
	assert_int_equal(scratch_dir_count(dir, ".marks"), 1);
	make_store();
	open_account();
	find_turns();
	assert_int_equal(found_len, 1);
	assert_int_equal(found[0].status, STORE_TURN_LOST);
}

static void test_ending_while_the_store_is_unreachable_leaves_rows_on_the_disk(void **state)
{
	(void)state;
	open_account();
	fake->add_err = EIO;
	book_range(0, 10);
	close_account(); /* no handler was called yet */
	assert_int_equal(heard.calls, 10);
	assert_int_equal(heard.errors, 0);
	make_store();
	open_account();
	assert_int_equal(turns_in_order(), 10);
}

static void test_nothing_leaks_when_memory_runs_out(void **state)
{
	const struct async_store_options options = {.data_dir = dir, .spool_rows = ROWS};
	size_t live = mem_live();
	int err = ENOMEM;

	(void)state;
	for (size_t n = 1; err; ++n) {
		mem_fail_after(n);
		err = async_store_alloc(&async, loop, &fake->store, &options);
		mem_fail_after(0);
		if (err)
			assert_int_equal(mem_live(), live);
	}
	close_account();
}

/* Queries that keep the threads of the other lanes busy while turns are booked. */
static int asked, answered;

static int look_at_version(struct store *store, void *arg)
{
	int64_t version;

	(void)arg;
	return store->ops->version(store, &version);
}

static void on_version(int err, void *arg)
{
	assert_int_equal(err, 0);
	if (heard.calls == heard.wanted && ++answered == asked)
		loop_stop(loop);
	if (heard.calls == heard.wanted)
		return;
	assert_int_equal(async_store_run(async, *(enum async_store_lane *)arg, look_at_version,
					 on_version, arg),
			 0);
}

static void on_booked_in_a_crowd(int err, void *arg)
{
	(void)arg;
	heard.errors += err != 0;
	++heard.calls;
}

static void test_lanes_do_not_touch_each_others_rows(void **state)
{
	static enum async_store_lane lanes[] = {ASYNC_STORE_ACCESS, ASYNC_STORE_ACCESS,
						ASYNC_STORE_QUERIES};
	char address[128];
	const struct async_store_options options = {.address = address, .data_dir = dir};
	struct store_key key;
	char text[API_KEY_LEN + 1];
	struct store *store;
	int64_t wrong = -1;
	int count = 0;

	(void)state;
	snprintf(address, sizeof(address), "sqlite:%s/test.db", dir);
	assert_int_equal(store_open(&store, address), 0);
	assert_int_equal(api_key_make(text, &key, "test"), 0);
	assert_int_equal(store->ops->key_add(store, &key), 0);
	assert_int_equal(async_store_alloc(&async, loop, store, &options), 0);
	heard.wanted = 2000;
	asked = 3;
	answered = 0;
	for (int i = 0; i < asked; ++i)
		assert_int_equal(
			async_store_run(async, lanes[i], look_at_version, on_version, &lanes[i]),
			0);
	for (int i = 0; i < heard.wanted; ++i) {
		struct store_turn turn = turn_of(i);

		assert_int_equal(async_store_book(NULL, async, &turn, USAGE_NO_MARK,
						  on_booked_in_a_crowd, NULL),
				 0);
	}
	loop_run(loop);
	assert_int_equal(heard.errors, 0);
	async = mem_deref(async);
	assert_int_equal(store_open(&store, address), 0);
	assert_int_equal(store->ops->audit(store, &wrong), 0);
	assert_int_equal(wrong, 0);
	assert_int_equal(store->ops->turn_list(store, read_number, &count), 0);
	assert_int_equal(count, heard.wanted);
	mem_deref(store);
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(test_rows_are_durable_on_the_disk_while_the_store_is_unreachable),
		CASE(test_rows_are_delivered_in_order_and_once),
		CASE(test_a_full_spool_refuses_new_turns_and_loses_none),
		CASE(test_without_a_directory_rows_wait_in_memory),
		CASE(test_bookings_do_not_wait_for_a_store_that_hangs),
		CASE(test_rows_survive_the_process),
		CASE(test_money_6_a_turn_that_a_crash_ended_is_booked_as_lost_and_is_free),
		CASE(test_files_of_a_running_process_are_left_alone),
		CASE(test_files_of_an_ended_process_wait_for_the_store),
		CASE(test_a_damaged_file_is_kept_and_its_intact_records_are_booked),
		CASE(test_rows_of_speech_can_be_read_by_the_previous_release),
		CASE(test_what_the_previous_program_could_not_read_is_booked_from_the_file_it_kept),
		CASE(test_other_files_are_left_alone),
		CASE(test_a_mark_is_gone_when_its_turn_is_booked),
		CASE(test_a_mark_survives_a_process_that_did_not_book_its_turn),
		CASE(test_ending_while_the_store_is_unreachable_leaves_rows_on_the_disk),
		CASE(test_lanes_do_not_touch_each_others_rows),
		CASE(test_nothing_leaks_when_memory_runs_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
