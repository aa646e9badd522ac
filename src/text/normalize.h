/*
 * normalize.h: what is written becomes what is said.
 *
 *   "Call Dr. Smith at 2:30 PM" → "Call Doctor Smith at two thirty PM"
 *
 * How a language says things is a table (reading.h); the code here knows only
 * what things there are: numbers, dates, addresses, markdown.  Everything else
 * is kept as it is.  Linear in the text's length.
 */
#ifndef TEXT_NORMALIZE_H
#define TEXT_NORMALIZE_H

#include "text/language.h"
#include "text/mapped.h"

/* Words that somebody else has decided on: they stay as they are, and are words
 * to what stands around them ("Dr. " before a name). */
struct normalize_fixed {
	size_t begin, end; /* bytes of the cursor's text, not empty */
	size_t said; /* set: where they begin in what is said, */
	bool is_said; /* unless they went with something that is not said */
};

/* Reads the first `len` bytes of the cursor's text and appends what is said.
 * Fixed words come in their order and do not overlap. */
void normalize(struct mapped *out, struct mapped_cursor *in, size_t len,
	       const struct language *language, struct normalize_fixed *fixed, size_t fixed_len);

#endif
