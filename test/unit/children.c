/*
 * children.c: the child processes of a test (see children.h).
 */
#include "children.h"

#include <dirent.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

unsigned children_list(pid_t *pids, unsigned max)
{
	char path[300];
	struct dirent *entry;
	DIR *dir = opendir("/proc");
	unsigned count = 0;

	while ((entry = readdir(dir))) {
		FILE *file;
		int pid;
		int parent;
		char state;

		snprintf(path, sizeof(path), "/proc/%s/stat", entry->d_name);
		if (atoi(entry->d_name) == 0 || !(file = fopen(path, "r")))
			continue;
		if (fscanf(file, "%d (%*[^)]) %c %d", &pid, &state, &parent) == 3 &&
		    parent == (int)getpid() && state != 'Z' && count < max)
			pids[count++] = pid;
		fclose(file);
	}
	closedir(dir);
	return count;
}

void children_signal(int signal)
{
	pid_t pids[CHILDREN_MAX];
	unsigned n = children_list(pids, CHILDREN_MAX);

	for (unsigned i = 0; i < n; ++i)
		kill(pids[i], signal);
}

void children_make_dir(char *dir, size_t size)
{
	const char *scratch = getenv("TMPDIR");

	snprintf(dir, size, "%s/syrinx-pool-XXXXXX", scratch ? scratch : "/tmp");
	assert_non_null(mkdtemp(dir));
}

void children_add_program(const char *dir, const char *name, const char *program)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/syrinx-%s", dir, name);
	assert_int_equal(symlink(program, path), 0);
}

void children_remove_dir(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *entry;
	char file[400];

	while ((entry = readdir(dir))) {
		snprintf(file, sizeof(file), "%s/%s", path, entry->d_name);
		unlink(file);
	}
	closedir(dir);
	rmdir(path);
}
