/*
 * fuzz_exposition.c: the text format of Prometheus, as any server may send it.
 *
 * Checked: every sample is inside the text and is found by its name and label, and there are no
 * more samples than the maximum.
 */
#include <assert.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "metrics/exposition.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

static void check_sample(const struct exposition *exposition,
			 const struct exposition_sample *sample, const char *text, size_t len)
{
	const struct exposition_sample *found;

	assert(sample->name >= text && sample->name < text + len && sample->name[0]);
	assert((sample->label != NULL) == (sample->label_count > 0));
	if (sample->label)
		assert(sample->label > sample->name && sample->label < text + len);
	if (sample->label_count > 1)
		return;
	found = exposition_find(exposition, sample->name, sample->label);
	assert(found && found <= sample); /* a name may occur twice */
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	struct exposition *exposition = malloc(sizeof(*exposition));
	char *text = malloc(len + 1);
	size_t line;
	int err;

	if (!exposition || !text)
		abort();
	memcpy(text, bytes, len);
	text[len] = '\0';
	err = exposition_parse(exposition, text, len, &line);
	assert(err == 0 || err == EBADMSG || err == ENOBUFS);
	assert(exposition->count <= EXPOSITION_SAMPLES_MAX && line <= len);
	for (size_t i = 0; i < exposition->count && i < 16; ++i)
		check_sample(exposition, &exposition->samples[i], text, len);
	free(text);
	free(exposition);
	return 0;
}
