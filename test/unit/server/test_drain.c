/* Who else serves our address: another living process of ours, noted in the same
 * directory, and nothing else that may stand in that file. */
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

#include "server/server_private.h"

#define ADDRESS "127.0.0.1:8080"

static struct config config;
static struct server server = {.config = &config};

static int open_dir(void **state)
{
	(void)state;
	server.lock_fd = -1;
	strcpy(config.data_dir, "/tmp/syrinx-drain-XXXXXX");
	strcpy(config.listen, ADDRESS);
	return mkdtemp(config.data_dir) ? 0 : -1;
}

static void pid_file(char path[128])
{
	snprintf(path, 128, "%.100s/syrinx.pid", config.data_dir);
}

static void lock_file(char path[128])
{
	snprintf(path, 128, "%.100s/syrinx.lock", config.data_dir);
}

static int remove_dir(void **state)
{
	char path[128];

	(void)state;
	if (server.lock_fd >= 0)
		close(server.lock_fd);
	pid_file(path);
	unlink(path);
	lock_file(path);
	unlink(path);
	return rmdir(config.data_dir);
}

/* What a living server of this directory holds. */
static int hold_share(void)
{
	char path[128];
	int fd;

	lock_file(path);
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(flock(fd, LOCK_SH), 0);
	return fd;
}

static bool has_sibling_when_noted(const char *note)
{
	char path[128];
	FILE *file;

	pid_file(path);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs(note, file);
	fclose(file);
	return drain_has_sibling(&server);
}

static bool has_sibling_with_pid(long pid, const char *address)
{
	char note[64];

	snprintf(note, sizeof(note), "%ld %s\n", pid, address);
	return has_sibling_when_noted(note);
}

static void test_we_are_not_our_own_sibling(void **state)
{
	(void)state;
	assert_false(drain_has_sibling(&server));
	assert_int_equal(drain_note_pid(&server), 0);
	assert_false(drain_has_sibling(&server));
}

static void test_another_process_with_our_address_is_our_sibling(void **state)
{
	int other = hold_share();

	(void)state;
	assert_true(has_sibling_with_pid((long)getppid(), ADDRESS));
	assert_false(has_sibling_with_pid((long)getppid(), "127.0.0.1:8081"));
	assert_int_equal(drain_note_pid(&server), 0);
	assert_false(drain_has_sibling(&server));
	assert_true(has_sibling_with_pid((long)getppid(), ADDRESS)); /* it came after us */
	close(other);
	assert_false(drain_has_sibling(&server));
}

/* A note outlives its server, and its number may be another process' by now. */
static void test_a_note_without_a_living_server_is_nobody(void **state)
{
	(void)state;
	assert_false(has_sibling_with_pid((long)getppid(), ADDRESS));
}

static void test_a_note_that_is_nonsense_is_nobody(void **state)
{
	int other = hold_share();

	(void)state;
	assert_false(has_sibling_when_noted(""));
	assert_false(has_sibling_when_noted("1"));
	assert_false(has_sibling_when_noted("one " ADDRESS));
	close(other);
}

/* Each has a port of its own: callers of ours do not come to it. */
static void test_another_process_with_a_port_of_its_own_is_nobody(void **state)
{
	int other = hold_share();

	(void)state;
	strcpy(config.listen, "127.0.0.1:0");
	assert_false(has_sibling_with_pid((long)getppid(), "127.0.0.1:0"));
	close(other);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_we_are_not_our_own_sibling, open_dir,
						remove_dir),
		cmocka_unit_test_setup_teardown(
			test_another_process_with_our_address_is_our_sibling, open_dir, remove_dir),
		cmocka_unit_test_setup_teardown(test_a_note_without_a_living_server_is_nobody,
						open_dir, remove_dir),
		cmocka_unit_test_setup_teardown(test_a_note_that_is_nonsense_is_nobody, open_dir,
						remove_dir),
		cmocka_unit_test_setup_teardown(
			test_another_process_with_a_port_of_its_own_is_nobody, open_dir,
			remove_dir),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
