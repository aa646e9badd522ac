/* The turns that a process was running are found by the next one, and damaged marks are not
 * used. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "account/marks.h"
#include "base/mem.h"
#include "scratch_dir.h"

#define SLOTS_AT 4096
#define SLOT_SIZE 256

static char dir[SCRATCH_DIR_SIZE];
static char path[SCRATCH_DIR_SIZE + 16];
static struct marks *marks;
static char seen[256]; /* ids of turns that were read, each with a comma */

static int make_marks(void **state)
{
	(void)state;
	scratch_dir_make(dir);
	snprintf(path, sizeof(path), "%s/a.marks", dir);
	return marks_open(&marks, path);
}

static int end_marks(void **state)
{
	(void)state;
	marks = mem_deref(marks);
	scratch_dir_remove(dir);
	return mem_live() == 0 ? 0 : -1;
}

static size_t mark(const char *id)
{
	struct store_turn turn = {.key_id = 1, .samples = 24000, .sample_rate = 24000};
	size_t slot = marks_take(marks);

	snprintf(turn.id, sizeof(turn.id), "%s", id);
	assert_int_equal(marks_write(marks, slot, &turn), 0);
	return slot;
}

static int see(const struct store_turn *turn, void *arg)
{
	assert_int_equal(turn->samples, 24000);
	strcat(seen, turn->id);
	strcat(seen, ",");
	return *(int *)arg;
}

static int read_marks(void)
{
	int err = 0;

	marks = mem_deref(marks);
	seen[0] = '\0';
	return marks_read(path, see, &err);
}

static void test_turns_that_were_running_are_found(void **state)
{
	size_t b;

	(void)state;
	mark("a");
	b = mark("b");
	mark("c");
	assert_int_equal(marks_taken(marks), 3);
	assert_int_equal(marks_clear(marks, b), 0);
	marks_free(marks, b);
	assert_int_equal(marks_sync(marks), 0);
	assert_int_equal(read_marks(), 0);
	assert_string_equal(seen, "a,c,");
}

static void test_a_slot_is_used_again(void **state)
{
	size_t slot;

	(void)state;
	slot = mark("a");
	marks_free(marks, slot);
	assert_int_equal(mark("b"), slot);
	assert_int_equal(read_marks(), 0);
	assert_string_equal(seen, "b,");
}

static void test_the_number_of_marks_is_limited(void **state)
{
	static bool taken[MARKS_MAX];

	(void)state;
	for (size_t i = 0; i < MARKS_MAX; ++i) {
		size_t slot = marks_take(marks);

		assert_true(slot < MARKS_MAX && !taken[slot]);
		taken[slot] = true;
	}
	assert_int_equal(marks_take(marks), SIZE_MAX);
	marks_free(marks, 77);
	assert_int_equal(marks_take(marks), 77);
}

static void test_the_file_of_a_running_process_is_left_alone(void **state)
{
	int err = 0;

	(void)state;
	assert_int_equal(marks_read(path, see, &err), EBUSY);
}

static void test_disk_space_is_allocated_when_the_file_is_created(void **state)
{
	struct stat status;

	(void)state;
	assert_int_equal(stat(path, &status), 0);
	assert_true(status.st_blocks * 512 >= status.st_size);
	assert_int_equal(status.st_mode & 0777, 0600);
}

static void test_a_damaged_mark_is_skipped_and_the_others_are_read(void **state)
{
	(void)state;
	mark("a");
	mark("b");
	mark("c");
	mem_deref(marks);
	marks = NULL;
	scratch_dir_spoil(path, SLOTS_AT + SLOT_SIZE + 100);
	assert_int_equal(read_marks(), EBADMSG);
	assert_string_equal(seen, "a,c,");
}

static void test_another_or_truncated_file_is_reported_as_damaged(void **state)
{
	(void)state;
	mark("a");
	marks = mem_deref(marks);
	scratch_dir_cut(path, SLOTS_AT + SLOT_SIZE);
	assert_int_equal(read_marks(), EBADMSG);
	scratch_dir_write(path, "a list of things to buy, long enough");
	assert_int_equal(read_marks(), EBADMSG);
	scratch_dir_write(path, "short");
	assert_int_equal(read_marks(), EBADMSG);
	assert_string_equal(seen, "");
}

static void test_a_blank_file_has_no_marks(void **state)
{
	(void)state;
	marks = mem_deref(marks);
	scratch_dir_write(path, "");
	assert_int_equal(read_marks(), 0);
	scratch_dir_cut(path, SLOTS_AT);
	assert_int_equal(read_marks(), 0);
}

static void test_an_error_of_the_callback_is_returned(void **state)
{
	int err = ENOMEM;

	(void)state;
	mark("a");
	mark("b");
	marks = mem_deref(marks);
	seen[0] = '\0';
	assert_int_equal(marks_read(path, see, &err), ENOMEM);
	assert_string_equal(seen, "a,");
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, make_marks, end_marks)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(test_turns_that_were_running_are_found),
		CASE(test_a_slot_is_used_again),
		CASE(test_the_number_of_marks_is_limited),
		CASE(test_the_file_of_a_running_process_is_left_alone),
		CASE(test_disk_space_is_allocated_when_the_file_is_created),
		CASE(test_a_damaged_mark_is_skipped_and_the_others_are_read),
		CASE(test_another_or_truncated_file_is_reported_as_damaged),
		CASE(test_a_blank_file_has_no_marks),
		CASE(test_an_error_of_the_callback_is_returned),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
