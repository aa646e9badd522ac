/*
 * recorded.h: what the models' own packages understand of some recordings (see recorded/README.md).
 */
#ifndef TEST_ENGINE_HEAR_RECORDED_H
#define TEST_ENGINE_HEAR_RECORDED_H

#include <stddef.h>
#include <stdint.h>

struct recorded_clip {
	char name[32];
	int16_t *samples;
	size_t count;
};

/* All recordings, in the order of their names. */
size_t recorded_read_clips(struct recorded_clip **clipsp);
void recorded_free_clips(struct recorded_clip *clips, size_t count);

/* The n-th line about a recording in a file, after its name; NULL: there is none. Valid until the next
 * call. */
const char *recorded_line(const char *file, const char *clip, size_t n);

#endif
