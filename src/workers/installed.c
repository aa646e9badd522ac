/*
 * installed.c: the engine programs in a directory (see installed.h).
 */
#include "workers/installed.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "workers/fleet.h"

#define INSTALLED_PREFIX "syrinx-"
#define INSTALLED_PATH_SIZE 4096

static enum installed_kind installed_kind_of(const char *name)
{
	if (strcmp(name, "hear") == 0 || strncmp(name, "hear-", 5) == 0)
		return INSTALLED_LISTENS;
	return strcmp(name, "decode") == 0 ? INSTALLED_DECODES : INSTALLED_SPEAKS;
}

/* Whether a file is an engine.  The benchmark is installed in the same directory, and its name is like
 * an engine's. */
static bool installed_is_engine(char path[INSTALLED_PATH_SIZE], const char *dir, const char *file)
{
	const char *name = file + strlen(INSTALLED_PREFIX);

	if (strncmp(file, INSTALLED_PREFIX, strlen(INSTALLED_PREFIX)) != 0 || *name == '\0' ||
	    strcmp(name, "bench") == 0 || strlen(name) >= FLEET_NAME_MAX || strchr(name, '.'))
		return false;
	snprintf(path, INSTALLED_PATH_SIZE, "%s/%s", dir, file);
	return access(path, X_OK) == 0;
}

int installed_each(const char *dir, enum installed_kind kind, installed_h *handler, void *arg)
{
	DIR *opened = opendir(dir);
	char path[INSTALLED_PATH_SIZE];
	const struct dirent *entry;
	int err = 0;

	if (!opened)
		return errno;
	while (!err && (entry = readdir(opened))) {
		const char *name = entry->d_name + strlen(INSTALLED_PREFIX);

		if (installed_is_engine(path, dir, entry->d_name) &&
		    installed_kind_of(name) == kind)
			err = handler(name, path, arg);
	}
	closedir(opened);
	return err;
}
