/*
 * prosody.h: <prosody rate="slow">: how fast it says, and whether spans are in
 * order.
 *
 * A span is opened once, holds no other span and is closed by the end of the
 * turn; messages and sentences may end inside it.  A tag that is not like that
 * is a fault of the whole turn: its author is told what is wrong with it,
 * rather than hear something else than was meant.
 */
#ifndef TEXT_PROSODY_H
#define TEXT_PROSODY_H

#include <stdbool.h>
#include <stddef.h>

#include "text/tag.h"

#define PROSODY_RATE_MIN 0.8
#define PROSODY_RATE_MAX 1.2

/* The rate that a whole opening tag asks for; numbers beyond the limits become
 * the limits.  NULL, or what is wrong, for its author to read: then the rate is
 * not written. */
const char *prosody_parse(double *rate, const char *tag, size_t len);

/* The spans of one turn; begins zeroed. */
struct prosody {
	bool is_open;
	const char *fault; /* the first one, or NULL */
};

/* The next <prosody> or </prosody>, whole: its text and what tag.h made of it.
 * Other tags are not for here. */
void prosody_tag(struct prosody *prosody, const struct tag *tag, const char *text, size_t len);

/* Something that began like one and is no tag. */
void prosody_malformed(struct prosody *prosody);

/* The turn's end. */
void prosody_end(struct prosody *prosody);

/* What is wrong with the spans of a text that is a whole turn, or NULL. */
const char *prosody_check(const char *text, size_t len);

#endif
