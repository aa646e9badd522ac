/*
 * recorded.c: what the models' own packages understand of some recordings (see recorded.h).
 */
#include "recorded.h"

#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/count.h"
#include "ears.h"

static const char *const recorded_names[] = {"course", "pharmacy", "sorry"};

static void recorded_path(char path[PATH_MAX], const char *name)
{
	const char *folder = getenv("SYRINX_RECORDED");

	assert_non_null(folder);
	snprintf(path, PATH_MAX, "%s/%s", folder, name);
}

/* G.711. */
static int16_t recorded_expand(unsigned char byte)
{
	int code = ~byte & 0xff;
	int magnitude = (((code & 0x0f) << 3) + 0x84) << ((code & 0x70) >> 4);

	return (int16_t)(code & 0x80 ? 0x84 - magnitude : magnitude - 0x84);
}

static void recorded_read_clip(struct recorded_clip *clip, const char *name)
{
	char path[PATH_MAX];
	char file[48];
	char *bytes;

	snprintf(clip->name, sizeof(clip->name), "%s", name);
	snprintf(file, sizeof(file), "%s.ulaw", name);
	recorded_path(path, file);
	bytes = ears_read(path, &clip->count);
	clip->samples = calloc(clip->count, sizeof(*clip->samples));
	assert_non_null(clip->samples);
	for (size_t i = 0; i < clip->count; ++i)
		clip->samples[i] = recorded_expand((unsigned char)bytes[i]);
	free(bytes);
}

size_t recorded_read_clips(struct recorded_clip **clipsp)
{
	*clipsp = calloc(COUNT(recorded_names), sizeof(**clipsp));
	assert_non_null(*clipsp);
	for (size_t i = 0; i < COUNT(recorded_names); ++i)
		recorded_read_clip(&(*clipsp)[i], recorded_names[i]);
	return COUNT(recorded_names);
}

void recorded_free_clips(struct recorded_clip *clips, size_t count)
{
	for (size_t i = 0; i < count; ++i)
		free(clips[i].samples);
	free(clips);
}

const char *recorded_line(const char *file, const char *clip, size_t n)
{
	static char line[512];
	char path[PATH_MAX];
	char *text = NULL;
	FILE *stream;

	recorded_path(path, file);
	stream = fopen(path, "r");
	if (!stream)
		fail_msg("%s cannot be read", path);
	while (!text && fgets(line, sizeof(line), stream)) {
		size_t len = strlen(clip);

		line[strcspn(line, "\n")] = '\0';
		if (strncmp(line, clip, len) == 0 && line[len] == '\t' && n-- == 0)
			text = line + len + 1;
	}
	fclose(stream);
	return text;
}
