/*
 * program_path.c: finds another program of this installation (see program_path.h).
 */
#include "cli/program_path.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int program_path_find(char *path, size_t size, const char *name)
{
	char self[PATH_MAX];
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);
	int n;

	if (len < 0)
		return errno;
	self[len] = '\0';
	n = snprintf(path, size, "%.*s/%s", (int)(strrchr(self, '/') - self), self, name);
	return n < 0 || (size_t)n >= size ? ENAMETOOLONG : 0;
}
