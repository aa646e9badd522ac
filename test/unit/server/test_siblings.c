/* Finding the other servers of our address: every other running server of the same data directory is
 * found, whichever started last or has ended since, and nothing else that its files may contain. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include <cmocka.h>

#include "server/siblings.h"

#define ADDRESS "127.0.0.1:8080"

static char dir[64];
static struct siblings us;
static struct sibling found;

/* Locks belong to open files, so a second one in this process counts as another server. */
static struct siblings open_another(const char *address)
{
	struct siblings other;

	assert_int_equal(siblings_open(&other, dir, address), 0);
	return other;
}

static struct siblings start_another(const char *address)
{
	struct siblings other = open_another(address);

	assert_int_equal(siblings_join(&other), 0);
	siblings_set_url(&other, false, 8080);
	assert_int_equal(siblings_note(&other, false), 0);
	return other;
}

static int open_dir(void **state)
{
	(void)state;
	strcpy(dir, "/tmp/syrinx-siblings-XXXXXX");
	return mkdtemp(dir) ? siblings_open(&us, dir, ADDRESS) : -1;
}

static void file_path(char path[128], const char *name)
{
	snprintf(path, 128, "%s/%s", dir, name);
}

static int remove_dir(void **state)
{
	static const char *const names[] = {"syrinx.pid", "syrinx.lock", "syrinx.servers"};
	char path[128];

	(void)state;
	siblings_close(&us);
	for (size_t i = 0; i < 3; ++i) {
		file_path(path, names[i]);
		unlink(path);
	}
	return rmdir(dir);
}

static size_t count(void)
{
	struct sibling sibling = {0};
	size_t n = 0;

	while (siblings_next(&sibling, &us))
		++n;
	return n;
}

static void write_pid_file(const char *note)
{
	char path[128];
	FILE *file;

	file_path(path, "syrinx.pid");
	file = fopen(path, "w");
	assert_non_null(file);
	fputs(note, file);
	fclose(file);
}

static void read_pid_file(char note[128])
{
	char path[128];
	FILE *file;

	file_path(path, "syrinx.pid");
	file = fopen(path, "r");
	assert_non_null(file);
	assert_non_null(fgets(note, 128, file));
	fclose(file);
}

static void test_we_are_not_our_own_sibling(void **state)
{
	(void)state;
	assert_int_equal(count(), 0);
	assert_int_equal(siblings_join(&us), 0);
	assert_int_equal(siblings_note(&us, false), 0);
	assert_int_equal(count(), 0);
}

static void test_others_with_our_address_are_found_and_those_with_another_are_not(void **state)
{
	struct siblings other = start_another(ADDRESS);
	struct siblings elsewhere = start_another("127.0.0.1:8081");

	(void)state;
	assert_int_equal(siblings_join(&us), 0);
	assert_int_equal(siblings_note(&us, false), 0);
	assert_int_equal(count(), 1);
	assert_true(siblings_find_serving(&found, &us));
	assert_int_equal(found.pid, getpid());
	assert_int_equal(found.slot, other.slot);
	assert_int_not_equal(us.slot, other.slot);
	siblings_close(&other); /* like the end of its process; its entry stays in the file */
	assert_int_equal(count(), 0);
	siblings_close(&elsewhere);
}

static void test_one_that_drains_is_there_but_does_not_serve(void **state)
{
	struct siblings other = start_another(ADDRESS);

	(void)state;
	assert_int_equal(siblings_note(&other, true), 0);
	assert_int_equal(count(), 1);
	assert_false(siblings_find_serving(&found, &us));
	siblings_leave(&other, &found);
	assert_int_equal(count(), 0);
	siblings_close(&other);
}

static void test_the_first_is_found_after_the_second_has_ended(void **state)
{
	struct siblings first = start_another(ADDRESS);
	struct siblings second = start_another(ADDRESS);
	char note[128];
	char expected[128];

	(void)state;
	assert_true(siblings_leave(&second, &found));
	assert_int_equal(found.slot, first.slot);
	read_pid_file(note);
	snprintf(expected, sizeof(expected), "%ld " ADDRESS " %d http://" ADDRESS "\n",
		 (long)getpid(), first.slot);
	assert_string_equal(note, expected);
	siblings_close(&second);
	assert_true(siblings_find_serving(&found, &us));
	assert_int_equal(found.slot, first.slot);
	assert_false(siblings_leave(&first, &found)); /* no other server is left */
	siblings_close(&first);
}

/* The record of the slot's previous owner must not be taken for that of the new one. */
static void test_a_slot_is_used_again(void **state)
{
	struct siblings first = start_another("127.0.0.1:8081");
	struct siblings second;
	int slot = first.slot;

	(void)state;
	siblings_close(&first);
	second = start_another(ADDRESS);
	assert_int_equal(second.slot, slot);
	assert_int_equal(count(), 1);
	siblings_close(&second);
}

static void test_there_is_a_bound(void **state)
{
	struct siblings many[SIBLINGS_MAX];

	(void)state;
	for (int i = 0; i < SIBLINGS_MAX; ++i)
		many[i] = start_another(ADDRESS);
	assert_int_equal(siblings_join(&us), ENOSPC);
	assert_int_equal(count(), SIBLINGS_MAX);
	for (int i = 0; i < SIBLINGS_MAX; ++i)
		siblings_close(&many[i]);
	assert_int_equal(siblings_join(&us), 0);
}

/* With port 0, each server has a port of its own, so our clients cannot reach the other one. */
static void test_another_process_with_a_port_of_its_own_is_nobody(void **state)
{
	struct siblings other = start_another("127.0.0.1:0");

	(void)state;
	us.address = "127.0.0.1:0";
	assert_int_equal(count(), 0);
	siblings_close(&other);
}

static void test_a_directory_that_cannot_be_written_is_an_empty_list(void **state)
{
	struct siblings other;

	(void)state;
	assert_int_equal(siblings_open(&other, "/nowhere", ADDRESS), ENOENT);
	assert_false(siblings_find_serving(&found, &other));
	assert_int_equal(siblings_join(&other), ENOENT);
	assert_false(siblings_leave(&other, &found));
	siblings_close(&other);
}

/* A server of the previous release: it has an entry in syrinx.pid without a slot, and a shared lock on
 * syrinx.lock. */

static int hold_share(void)
{
	char path[128];
	int fd;

	file_path(path, "syrinx.lock");
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(flock(fd, LOCK_SH), 0);
	return fd;
}

static size_t count_when_noted(const char *note)
{
	write_pid_file(note);
	return count();
}

static size_t count_with_pid(long pid, const char *rest)
{
	char note[128];

	snprintf(note, sizeof(note), "%ld %s\n", pid, rest);
	return count_when_noted(note);
}

static void test_the_previous_release_is_found(void **state)
{
	int other = hold_share();

	(void)state;
	assert_int_equal(count_with_pid((long)getppid(), ADDRESS), 1);
	assert_true(siblings_find_serving(&found, &us));
	assert_int_equal(found.pid, getppid());
	assert_int_equal(found.slot, -1);
	assert_int_equal(count_with_pid((long)getppid(), "127.0.0.1:8081"), 0);
	assert_int_equal(siblings_join(&us), 0);
	assert_int_equal(siblings_note(&us, false), 0);
	assert_int_equal(count(), 0);
	assert_int_equal(count_with_pid((long)getppid(), ADDRESS), 1); /* it started last */
	close(other);
	assert_int_equal(count(), 0);
}

/* syrinx.pid outlives its server, and another process may have its process id now. */
static void test_a_note_without_a_living_server_is_nobody(void **state)
{
	(void)state;
	assert_int_equal(count_with_pid((long)getppid(), ADDRESS), 0);
}

/* A server that has a slot is found by its slot, and not by syrinx.pid. */
static void test_a_note_that_is_nonsense_or_has_a_slot_is_nobody(void **state)
{
	int other = hold_share();

	(void)state;
	assert_int_equal(count_when_noted(""), 0);
	assert_int_equal(count_when_noted("1"), 0);
	assert_int_equal(count_when_noted("one " ADDRESS), 0);
	assert_int_equal(count_with_pid((long)getppid(), ADDRESS " 0"), 0);
	close(other);
}

#define IN_A_DIR(test) cmocka_unit_test_setup_teardown(test, open_dir, remove_dir)

static void test_a_store_is_replaced_only_while_no_server_uses_it(void **state)
{
	struct siblings restore = open_another(ADDRESS);
	struct siblings other = open_another(ADDRESS);

	(void)state;
	/* Servers that are starting and do not listen yet. */
	assert_int_equal(siblings_use_store(&us), 0);
	assert_int_equal(siblings_use_store(&other), 0);
	assert_int_equal(siblings_exclude(&restore), EBUSY);
	siblings_close(&restore);
	siblings_close(&other);
	siblings_close(&us);

	restore = open_another(ADDRESS);
	assert_int_equal(siblings_exclude(&restore), 0);
	us = open_another(ADDRESS);
	assert_int_equal(siblings_use_store(&us), EBUSY);
	siblings_close(&restore);
	assert_int_equal(siblings_use_store(&us), 0);
}

static void test_a_store_is_not_replaced_under_a_server_of_the_previous_release(void **state)
{
	struct siblings previous = open_another(ADDRESS);
	struct siblings restore = open_another(ADDRESS);

	(void)state;
	assert_int_equal(siblings_join(&previous), 0);
	assert_int_equal(siblings_exclude(&restore), EBUSY);
	siblings_close(&restore);
	siblings_close(&previous);
	restore = open_another(ADDRESS);
	assert_int_equal(siblings_exclude(&restore), 0);
	siblings_close(&restore);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_A_DIR(test_we_are_not_our_own_sibling),
		IN_A_DIR(test_others_with_our_address_are_found_and_those_with_another_are_not),
		IN_A_DIR(test_one_that_drains_is_there_but_does_not_serve),
		IN_A_DIR(test_the_first_is_found_after_the_second_has_ended),
		IN_A_DIR(test_a_slot_is_used_again),
		IN_A_DIR(test_there_is_a_bound),
		IN_A_DIR(test_another_process_with_a_port_of_its_own_is_nobody),
		IN_A_DIR(test_a_directory_that_cannot_be_written_is_an_empty_list),
		IN_A_DIR(test_the_previous_release_is_found),
		IN_A_DIR(test_a_note_without_a_living_server_is_nobody),
		IN_A_DIR(test_a_note_that_is_nonsense_or_has_a_slot_is_nobody),
		IN_A_DIR(test_a_store_is_replaced_only_while_no_server_uses_it),
		IN_A_DIR(test_a_store_is_not_replaced_under_a_server_of_the_previous_release),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
