/*
 * prosody.h: <prosody rate="slow">: its rate, and whether tags are properly paired.
 *
 * A span does not nest and is closed before the end of the turn; messages and sentences may
 * end inside it. A violation is a fault of the whole turn: its author gets an error message
 * instead of unexpected speech.
 */
#ifndef TEXT_PROSODY_H
#define TEXT_PROSODY_H

#include <stdbool.h>
#include <stddef.h>

#include "text/tag.h"

#define PROSODY_RATE_MIN 0.8
#define PROSODY_RATE_MAX 1.2

/* The rate that a complete opening tag requests, limited to the allowed range. Returns NULL,
 * or what is wrong, for its author to read; the rate is not written then. */
const char *prosody_parse(double *rate, const char *tag, size_t len);

/* The spans of one turn; initially all zeros. */
struct prosody {
	bool is_open;
	const char *fault; /* the first one, or NULL */
};

/* Processes the next complete <prosody> or </prosody>: its text and the result of tag.h. Must
 * not be called for other tags. */
void prosody_tag(struct prosody *prosody, const struct tag *tag, const char *text, size_t len);

/* Processes something that begins like a <prosody> tag but is not a tag. */
void prosody_malformed(struct prosody *prosody);

/* Processes the end of the turn. */
void prosody_end(struct prosody *prosody);

/* What is wrong with the spans of a text that is a whole turn, or NULL. */
const char *prosody_check(const char *text, size_t len);

#endif
