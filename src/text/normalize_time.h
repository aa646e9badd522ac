/*
 * normalize_time.h: a time of the day as it is written (see normalize_private.h).
 */
#ifndef TEXT_NORMALIZE_TIME_H
#define TEXT_NORMALIZE_TIME_H

#include "text/normalize_private.h"

struct time {
	uint64_t h, m, s;
	bool has_minutes, has_seconds;
	bool has_word; /* "Uhr", or one before it */
	const char *half; /* "AM" */
	size_t next;
};

/* The time at token i; false when there is none. */
bool time_parse(const struct normalizer *n, struct time *time, size_t i);

/* Says the one at token i. */
void time_say(struct normalizer *n, size_t i, const struct time *time);

#endif
