/*
 * config_machine.c: what of the machine the server can use (see config_machine.h).
 *
 * Runs on the main thread before the loop does, because it reads files.
 */
#include "server/config_machine.h"

#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Returns the number in a file; UINT64_MAX if it has none, as in "max", or cannot be read. */
static uint64_t config_machine_read(const char *path)
{
	FILE *file = fopen(path, "re");
	char text[32] = "";
	char *end = text;
	uint64_t bytes = 0;

	if (file) {
		if (fgets(text, sizeof(text), file))
			bytes = strtoull(text, &end, 10);
		fclose(file);
	}
	return end == text ? UINT64_MAX : bytes;
}

/* Returns the lowest limit of a control group and its ancestors.  This includes the root, because a
 * container often sees its own group there.  Overwrites `group`. */
static uint64_t config_machine_group_lowest(const char *root, const char *folder, char *group,
					    const char *limit_file)
{
	uint64_t lowest = UINT64_MAX;

	for (;;) {
		char path[2 * PATH_MAX];
		char *slash = strrchr(group, '/');
		uint64_t bytes;

		snprintf(path, sizeof(path), "%s%s%s/%s", root, folder, group, limit_file);
		bytes = config_machine_read(path);
		lowest = bytes < lowest ? bytes : lowest;
		if (!slash)
			return lowest;
		*slash = '\0';
	}
}

uint64_t config_machine_group_memory(const char *groups_file, const char *root)
{
	FILE *file = fopen(groups_file, "re");
	char line[PATH_MAX];
	uint64_t lowest = UINT64_MAX;

	while (file && fgets(line, sizeof(line), file)) {
		char *controllers = strchr(line, ':');
		char *group = controllers ? strchr(controllers + 1, ':') : NULL;
		uint64_t bytes = UINT64_MAX;

		if (!group)
			continue;
		*group++ = '\0';
		group[strcspn(group, "\n")] = '\0';
		if (strcmp(controllers, ":") == 0) /* version 2 */
			bytes = config_machine_group_lowest(root, "", group, "memory.max");
		else if (strcmp(controllers, ":memory") == 0)
			bytes = config_machine_group_lowest(root, "/memory", group,
							    "memory.limit_in_bytes");
		lowest = bytes < lowest ? bytes : lowest;
	}
	if (file)
		fclose(file);
	return lowest;
}

int64_t config_machine_memory_mb(void)
{
	uint64_t bytes = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t limit = config_machine_group_memory("/proc/self/cgroup", "/sys/fs/cgroup");

	return (int64_t)((limit < bytes ? limit : bytes) >> 20);
}

int64_t config_machine_cores(void)
{
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set) == 0 && CPU_COUNT(&set) > 0)
		return CPU_COUNT(&set);
	return 1;
}
