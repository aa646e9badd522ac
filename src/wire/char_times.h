/*
 * char_times.h: when each character of a chunk is heard.
 *
 * Engines tell the times of words.  The characters of a word share its time
 * evenly, and those between two words the pause between them.  Markup is left out: it
 * is not heard, and transcripts that clients make of the characters must not show it.
 */
#ifndef WIRE_CHAR_TIMES_H
#define WIRE_CHAR_TIMES_H

#include <stddef.h>

#include "wire/dialect.h"

struct char_time {
	const char *text; /* slice of the chunk's text: one code point */
	size_t len;
	double start_ms, end_ms; /* from the chunk's start */
};

/* Goes through a chunk's characters in order; begins with char_times_begin. */
struct char_times {
	const struct dialect_words *said;
	size_t at; /* byte of the next character */
	unsigned index; /* its number */
	size_t word; /* that it is in or before */

	/* The characters that share a time, and are being gone through. */
	unsigned span_to; /* the number of the first one after them */
	double start_ms, step_ms; /* of the next one */
};

void char_times_begin(struct char_times *times, const struct dialect_words *said);
bool char_times_next(struct char_times *times, struct char_time *next);

#endif
