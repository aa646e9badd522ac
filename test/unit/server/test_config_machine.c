/* The memory limit of control groups, versions 1 and 2: the lowest one counts. */
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

#include "server/config_machine.h"

static char dir[64];

/* Writes a file in the test's directory, and creates the folders that it is in. */
static void write_file(const char *name, const char *text)
{
	char path[256];
	FILE *file;

	for (const char *at = name; (at = strchr(at, '/')); ++at) {
		snprintf(path, sizeof(path), "%s/%.*s", dir, (int)(at - name), name);
		mkdir(path, 0700);
	}
	snprintf(path, sizeof(path), "%s/%s", dir, name);
	file = fopen(path, "we");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static int set_up(void **state)
{
	const char *scratch = getenv("TMPDIR");

	(void)state;
	snprintf(dir, sizeof(dir), "%.40s/syrinx-groups-XXXXXX", scratch ? scratch : "/tmp");
	return mkdtemp(dir) ? 0 : -1;
}

static int tear_down(void **state)
{
	char command[96];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	return system(command);
}

static uint64_t memory_of(const char *groups)
{
	char path[80];

	write_file("groups", groups);
	snprintf(path, sizeof(path), "%s/groups", dir);
	return config_machine_group_memory(path, dir);
}

static void test_the_lowest_limit_of_nested_groups_counts(void **state)
{
	(void)state;
	write_file("system/voice/memory.max", "max\n");
	assert_true(memory_of("0::/system/voice\n") == UINT64_MAX);
	write_file("system/voice/memory.max", "2000\n");
	assert_int_equal(memory_of("0::/system/voice\n"), 2000);
	write_file("system/memory.max", "1000\n");
	assert_int_equal(memory_of("0::/system/voice\n"), 1000);
	write_file("memory.max", "500\n");
	assert_int_equal(memory_of("0::/system/voice\n"), 500);
	assert_int_equal(memory_of("0::/\n"), 500);
}

static void test_version_1_has_a_hierarchy_for_memory(void **state)
{
	(void)state;
	write_file("memory/voice/memory.limit_in_bytes", "3000\n");
	write_file("cpu/voice/memory.limit_in_bytes", "1\n");
	assert_int_equal(memory_of("5:cpu:/voice\n4:memory:/voice\n0::/\n"), 3000);
}

static void test_without_groups_there_is_no_limit(void **state)
{
	(void)state;
	assert_true(memory_of("") == UINT64_MAX);
	assert_true(memory_of("nonsense\n0\n:\n") == UINT64_MAX);
	assert_true(config_machine_group_memory("/no such file", dir) == UINT64_MAX);
	assert_true(config_machine_memory_mb() > 0);
	assert_true(config_machine_cores() > 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(test_the_lowest_limit_of_nested_groups_counts),
		TEST(test_version_1_has_a_hierarchy_for_memory),
		TEST(test_without_groups_there_is_no_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
