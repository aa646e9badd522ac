/*
 * fuzz_environment_file.c: the variables of a service, from a file that an administrator wrote.
 *
 * Checked: names are valid names of variables, and names and values are no longer than the text.
 */
#include <assert.h>
#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli/environment_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

static void fuzz_check_variable(const char *name, const char *value, void *arg)
{
	const size_t *len = arg;

	assert(isalpha((unsigned char)name[0]) || name[0] == '_');
	for (const char *c = name; *c; ++c)
		assert(isalnum((unsigned char)*c) || *c == '_');
	assert(strlen(name) + strlen(value) <= *len);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	char *text = malloc(len + 1);

	if (!text)
		return 0;
	if (len > 0)
		memcpy(text, bytes, len);
	text[len] = '\0';
	environment_file_parse(text, fuzz_check_variable, &len);
	free(text);
	return 0;
}
