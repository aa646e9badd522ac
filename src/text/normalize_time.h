/*
 * normalize_time.h: a time of day as written (see normalize_private.h).
 */
#ifndef TEXT_NORMALIZE_TIME_H
#define TEXT_NORMALIZE_TIME_H

#include "text/normalize_private.h"

struct time {
	uint64_t h, m, s;
	bool has_minutes, has_seconds;
	bool has_word; /* "Uhr", or a word before the time */
	const char *half; /* "AM" */
	size_t next;
};

/* Parses the time at token i; false when there is none. */
bool normalize_time_parse(const struct normalizer *n, struct time *time, size_t i);

/* Says the time at token i. */
void normalize_time_say(struct normalizer *n, size_t i, const struct time *time);

#endif
