/* Rows that the spool has accepted are kept, in order, and damaged rows are not used. */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "account/spool.h"
#include "base/mem.h"
#include "scratch_dir.h"

#define ROWS 10
#define ROWS_AT 4096
#define ROW_SIZE 256

static char dir[SCRATCH_DIR_SIZE];
static char path[SCRATCH_DIR_SIZE + 16];
static struct spool *spool;

static int make_spool(void **state)
{
	(void)state;
	scratch_dir_make(dir);
	snprintf(path, sizeof(path), "%s/a.rows", dir);
	return spool_open(&spool, path, ROWS);
}

static int end_spool(void **state)
{
	(void)state;
	spool = mem_deref(spool);
	scratch_dir_remove(dir);
	return mem_live() == 0 ? 0 : -1;
}

static struct store_turn turn_of(int number)
{
	struct store_turn turn = {
		.key_id = 7,
		.account_id = -3,
		.server = "0123456789abcdef",
		.at_ms = INT64_MAX,
		.status = STORE_TURN_CANCELLED,
		.quantity = UINT64_MAX,
		.samples = UINT64_MAX,
		.sample_rate = UINT32_MAX,
		.characters = 12,
		.voice_id = 100001,
		.model_id = "kugel-1-turbo",
		.amount_microcents = 486000,
	};

	snprintf(turn.id, sizeof(turn.id), "turn-%d", number);
	return turn;
}

static int put(int first, size_t count)
{
	struct store_turn turns[2 * ROWS];

	for (size_t i = 0; i < count; ++i)
		turns[i] = turn_of(first + (int)i);
	return spool_put(spool, turns, count);
}

static void assert_holds(int first, size_t count)
{
	struct store_turn turns[2 * ROWS];
	size_t n = 0;

	assert_int_equal(spool_count(spool), count);
	assert_int_equal(spool_peek(spool, turns, 2 * ROWS, &n), 0);
	assert_int_equal(n, count);
	for (size_t i = 0; i < n; ++i) {
		struct store_turn expected = turn_of(first + (int)i);

		assert_memory_equal(&turns[i], &expected, sizeof(expected));
	}
}

static int open_again(void)
{
	spool = mem_deref(spool);
	return spool_open(&spool, path, 0);
}

static void test_rows_are_read_as_they_were_written(void **state)
{
	struct store_turn turns[2];
	size_t n;

	(void)state;
	assert_int_equal(put(0, 3), 0);
	assert_int_equal(put(3, 1), 0);
	assert_holds(0, 4);
	assert_int_equal(spool_peek(spool, turns, 2, &n), 0);
	assert_int_equal(n, 2);
	assert_string_equal(turns[1].id, "turn-1");
	assert_int_equal(spool_remove(spool, 3), 0);
	assert_holds(3, 1);
}

static void test_rows_are_still_there_when_the_spool_is_opened_again(void **state)
{
	(void)state;
	assert_int_equal(put(0, 4), 0);
	assert_int_equal(spool_remove(spool, 1), 0);
	assert_int_equal(open_again(), 0);
	assert_holds(1, 3);
	assert_int_equal(spool_room(spool), ROWS - 3);
}

static void test_the_ring_wraps_around(void **state)
{
	int next = 0;

	(void)state;
	for (int i = 0; i < 50; ++i) {
		size_t n = 1 + (size_t)i % ROWS;

		assert_int_equal(put(next, n), 0);
		assert_int_equal(open_again(), 0);
		assert_holds(next, n);
		assert_int_equal(spool_remove(spool, n), 0);
		next += (int)n;
	}
}

static void test_a_full_spool_accepts_all_rows_or_none(void **state)
{
	(void)state;
	assert_int_equal(put(0, 8), 0);
	assert_int_equal(put(8, 3), ENOSPC);
	assert_holds(0, 8);
	assert_int_equal(put(8, 2), 0);
	assert_int_equal(spool_room(spool), 0);
	assert_int_equal(put(10, 1), ENOSPC);
	assert_int_equal(spool_remove(spool, 1), 0);
	assert_int_equal(put(10, 1), 0);
	assert_holds(1, ROWS);
}

static void test_disk_space_is_allocated_when_the_spool_is_created(void **state)
{
	struct stat status;

	(void)state;
	assert_int_equal(stat(path, &status), 0);
	assert_int_equal(status.st_size, ROWS_AT + ROWS * ROW_SIZE);
	assert_true(status.st_blocks * 512 >= status.st_size);
	assert_int_equal(status.st_mode & 0777, 0600);
}

static void test_only_one_process_can_open_a_spool(void **state)
{
	struct spool *second;

	(void)state;
	assert_int_equal(spool_open(&second, path, ROWS), EBUSY);
}

static void test_a_missing_spool_is_created_only_on_request(void **state)
{
	struct spool *second;
	char other[128];

	(void)state;
	snprintf(other, sizeof(other), "%s/b.rows", dir);
	assert_int_equal(spool_open(&second, other, 0), ENOENT);
	assert_int_equal(scratch_dir_count(dir, "b.rows"), 0);
}

static void test_a_blank_file_is_an_empty_spool(void **state)
{
	char other[128];

	(void)state;
	snprintf(other, sizeof(other), "%s/b.rows", dir);
	scratch_dir_write(other, "");
	mem_deref(spool);
	assert_int_equal(spool_open(&spool, other, 0), 0);
	assert_int_equal(spool_count(spool), 0);
	mem_deref(spool);
	scratch_dir_cut(other, ROWS_AT + ROWS * ROW_SIZE); /* zeros */
	assert_int_equal(spool_open(&spool, other, 0), 0);
	assert_int_equal(spool_count(spool), 0);
}

static int count_rescued(const struct store_turn *turn, void *arg)
{
	assert_memory_equal(turn->id, "turn-", 5);
	++*(int *)arg;
	return 0;
}

/* Checks that the spool cannot be opened, and that this many rows are intact. */
static void assert_damaged(int whole)
{
	int count = 0;

	assert_int_equal(spool_open(&spool, path, 0), EBADMSG);
	assert_int_equal(spool_rescue(path, count_rescued, &count), 0);
	assert_int_equal(count, whole);
}

static void test_a_damaged_row_is_detected(void **state)
{
	(void)state;
	assert_int_equal(put(0, 5), 0);
	spool = mem_deref(spool);
	scratch_dir_spoil(path, ROWS_AT + 2 * ROW_SIZE + 50);
	assert_damaged(4);
}

static void test_damage_to_any_byte_of_a_row_is_detected(void **state)
{
	(void)state;
	assert_int_equal(put(0, 1), 0);
	spool = mem_deref(spool);
	for (size_t at = 0; at < ROW_SIZE; ++at) {
		scratch_dir_spoil(path, ROWS_AT + at);
		assert_damaged(0);
		scratch_dir_spoil(path, ROWS_AT + at); /* a second time, which restores it */
	}
	assert_int_equal(spool_open(&spool, path, 0), 0);
	assert_holds(0, 1);
}

static void test_a_row_in_the_wrong_place_is_detected(void **state)
{
	uint8_t row[ROW_SIZE];
	FILE *file;

	(void)state;
	assert_int_equal(put(0, 5), 0);
	spool = mem_deref(spool);
	file = fopen(path, "r+");
	fseek(file, ROWS_AT, SEEK_SET);
	assert_int_equal(fread(row, 1, sizeof(row), file), sizeof(row));
	fseek(file, ROWS_AT + 3 * ROW_SIZE, SEEK_SET);
	assert_int_equal(fwrite(row, 1, sizeof(row), file), sizeof(row));
	fclose(file);
	assert_int_equal(spool_open(&spool, path, 0), EBADMSG);
}

static void test_one_copy_of_the_header_may_be_torn(void **state)
{
	(void)state;
	assert_int_equal(put(0, 1), 0);
	assert_int_equal(put(1, 1), 0);
	spool = mem_deref(spool);
	scratch_dir_spoil(path, 0 + 16); /* the older one: the third was written at 512 */
	assert_int_equal(spool_open(&spool, path, 0), 0);
	assert_holds(0, 2);
	spool = mem_deref(spool);
	scratch_dir_spoil(path, 512 + 16);
	assert_damaged(2); /* both */
}

static void test_a_truncated_or_other_file_is_reported_as_damaged(void **state)
{
	(void)state;
	assert_int_equal(put(0, 9), 0);
	spool = mem_deref(spool);
	scratch_dir_cut(path, ROWS_AT + 8 * ROW_SIZE + 10);
	assert_damaged(8);
	scratch_dir_cut(path, 100);
	assert_damaged(0);
	scratch_dir_write(path, "a letter to the editor");
	assert_damaged(0);
}

static void test_a_directory_is_not_a_spool(void **state)
{
	char other[128];
	struct spool *second;

	(void)state;
	snprintf(other, sizeof(other), "%s/b.rows", dir);
	assert_int_equal(mkdir(other, 0700), 0);
	assert_int_equal(spool_open(&second, other, ROWS), EISDIR);
}

static void test_a_full_disk_is_detected_when_the_spool_is_created(void **state)
{
	struct rlimit old;
	struct rlimit small = {4096, RLIM_INFINITY};
	struct spool *second;
	char other[128];

	(void)state;
	snprintf(other, sizeof(other), "%s/b.rows", dir);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	assert_int_not_equal(spool_open(&second, other, ROWS), 0);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
	assert_int_equal(scratch_dir_count(dir, "b.rows"), 0);
}

static void test_a_spool_that_a_process_uses_can_be_read_by_others(void **state)
{
	struct spool *second;
	int count = 0;

	(void)state;
	assert_int_equal(put(0, 5), 0);
	assert_int_equal(spool_open(&second, path, 0), EBUSY);
	assert_int_equal(spool_look(path, count_rescued, &count), 0);
	assert_int_equal(count, 5);
	assert_int_equal(put(5, 1), 0); /* the process can still use it */
	assert_holds(0, 6);
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, make_spool, end_spool)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(test_rows_are_read_as_they_were_written),
		CASE(test_rows_are_still_there_when_the_spool_is_opened_again),
		CASE(test_the_ring_wraps_around),
		CASE(test_a_full_spool_accepts_all_rows_or_none),
		CASE(test_disk_space_is_allocated_when_the_spool_is_created),
		CASE(test_only_one_process_can_open_a_spool),
		CASE(test_a_spool_that_a_process_uses_can_be_read_by_others),
		CASE(test_a_missing_spool_is_created_only_on_request),
		CASE(test_a_blank_file_is_an_empty_spool),
		CASE(test_a_damaged_row_is_detected),
		CASE(test_damage_to_any_byte_of_a_row_is_detected),
		CASE(test_a_row_in_the_wrong_place_is_detected),
		CASE(test_one_copy_of_the_header_may_be_torn),
		CASE(test_a_truncated_or_other_file_is_reported_as_damaged),
		CASE(test_a_directory_is_not_a_spool),
		CASE(test_a_full_disk_is_detected_when_the_spool_is_created),
	};

	signal(SIGXFSZ, SIG_IGN);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
