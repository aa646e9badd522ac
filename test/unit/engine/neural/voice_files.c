/*
 * voice_files.c: models that tests run on (see voice_files.h).
 */
#include "voice_files.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

void voice_files_tiny(char path[PATH_MAX], const char *name)
{
	const char *folder = getenv("SYRINX_TINY_VOICES");

	assert_non_null(folder);
	snprintf(path, PATH_MAX, "%s/%s", folder, name);
}

void voice_files_folder(char path[PATH_MAX])
{
	const char *folder = getenv("SYRINX_VOICES");
	const char *data = getenv("XDG_DATA_HOME");
	const char *home = getenv("HOME");

	if (folder && folder[0])
		snprintf(path, PATH_MAX, "%s", folder);
	else if (data && data[0] == '/')
		snprintf(path, PATH_MAX, "%s/syrinx/voices", data);
	else
		snprintf(path, PATH_MAX, "%s/.local/share/syrinx/voices", home ? home : "");
}

static bool voice_files_is_model(const char *name)
{
	size_t len = strlen(name);

	return len > 5 && name[0] != '.' && strcmp(name + len - 5, ".onnx") == 0;
}

bool voice_files_installed(char path[PATH_MAX], size_t n)
{
	char folder[PATH_MAX];
	struct dirent *entry;
	bool found = false;
	DIR *dir;

	voice_files_folder(folder);
	dir = opendir(folder);
	while (dir && !found && (entry = readdir(dir))) {
		if (!voice_files_is_model(entry->d_name) || n-- > 0)
			continue;
		found = (size_t)snprintf(path, PATH_MAX, "%s/%s", folder, entry->d_name) < PATH_MAX;
	}
	if (dir)
		closedir(dir);
	return found;
}

char *voice_files_read(const char *path, size_t *len)
{
	FILE *file = fopen(path, "rb");
	char *bytes;
	long size;

	if (!file)
		fail_msg("%s cannot be read", path);
	assert_int_equal(fseek(file, 0, SEEK_END), 0);
	size = ftell(file);
	assert_true(size >= 0);
	rewind(file);
	*len = (size_t)size;
	bytes = malloc(*len + 1);
	assert_non_null(bytes);
	assert_int_equal(fread(bytes, 1, *len, file), *len);
	fclose(file);
	return bytes;
}
