/*
 * char_times.h: computes when each character of a chunk is heard.
 *
 * Engines report the times of words.  The characters of a word share its time evenly, and those
 * between two words share the pause.  Markup is left out: it is not heard, and transcripts that
 * clients build from the characters must not show it.  Pure, for any thread.
 */
#ifndef WIRE_CHAR_TIMES_H
#define WIRE_CHAR_TIMES_H

#include <stddef.h>

#include "wire/dialect.h"

struct char_time {
	const char *text; /* one code point; a slice of the chunk's text */
	size_t len;
	double start_ms, end_ms; /* from the chunk's start */
};

/* Iterates over a chunk's characters in order; initialized by char_times_begin. */
struct char_times {
	const struct dialect_words *said;
	size_t at; /* byte offset of the next character */
	unsigned index; /* the number of the next character */
	size_t word; /* the word that the next character is in or before */

	/* The current span: consecutive characters that share a period of time. */
	unsigned span_to; /* the number of the first character after the span */
	double start_ms, step_ms; /* the start and duration of the next character */
};

void char_times_begin(struct char_times *times, const struct dialect_words *said);
/* Returns the next character that is heard; false after the last one. */
bool char_times_next(struct char_times *times, struct char_time *next);

#endif
