/*
 * ears.c: models that tests of an engine that listens run on (see ears.h).
 */
#include "ears.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static void ears_folder(char path[PATH_MAX], const char *variable, const char *name)
{
	const char *folder = getenv(variable);
	const char *data = getenv("XDG_DATA_HOME");
	const char *home = getenv("HOME");

	if (folder && folder[0])
		snprintf(path, PATH_MAX, "%s", folder);
	else if (data && data[0] == '/')
		snprintf(path, PATH_MAX, "%s/syrinx/%s", data, name);
	else
		snprintf(path, PATH_MAX, "%s/.local/share/syrinx/%s", home ? home : "", name);
}

static void ears_find_runtime(char path[PATH_MAX])
{
	const char *elsewhere = getenv(RUNTIME_VARIABLE);
	char folder[PATH_MAX];

	if (elsewhere && elsewhere[0]) {
		snprintf(path, PATH_MAX, "%s", elsewhere);
		return;
	}
	ears_folder(folder, "SYRINX_MODELS", "models");
	snprintf(path, PATH_MAX, "%.4000s/%s", folder, RUNTIME_FILE);
	if (access(path, R_OK) == 0)
		return;
	ears_folder(folder, "SYRINX_VOICES", "voices");
	snprintf(path, PATH_MAX, "%.4000s/%s", folder, RUNTIME_FILE);
}

struct runtime *ears_open_runtime(void)
{
	struct runtime *runtime = NULL;
	char why[RUNTIME_WHY_SIZE] = "";
	char path[PATH_MAX];

	ears_find_runtime(path);
	if (runtime_open(&runtime, path, why) != 0)
		print_message("skipped: %s %s\n", path, why);
	else
		setenv(RUNTIME_VARIABLE, path, 1); /* what is tested finds the same one */
	return runtime;
}

void ears_tiny(char path[PATH_MAX], const char *name)
{
	const char *folder = getenv("SYRINX_TINY_EARS");

	assert_non_null(folder);
	snprintf(path, PATH_MAX, "%s/%s", folder, name);
}

bool ears_installed(char path[PATH_MAX], const char *model)
{
	char folder[PATH_MAX];

	ears_folder(folder, "SYRINX_MODELS", "models");
	snprintf(path, PATH_MAX, "%.3900s/%.100s", folder, model);
	if (access(path, R_OK) == 0)
		return true;
	print_message("skipped: %s is not installed\n", path);
	return false;
}

char *ears_read(const char *path, size_t *len)
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

float *ears_speak(const unsigned *tokens, size_t count)
{
	float *samples = calloc(count * EARS_FRAME + 1, sizeof(*samples));

	assert_non_null(samples);
	for (size_t i = 0; i < count; ++i)
		for (size_t k = 0; k < EARS_FRAME; ++k)
			samples[i * EARS_FRAME + k] = (float)tokens[i] / 100;
	return samples;
}
