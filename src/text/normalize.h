/*
 * normalize.h: text normalization: converts written text to the words that are spoken.
 *
 *     "Call Dr. Smith at 2:30 PM" → "Call Doctor Smith at two thirty PM"
 *
 * A table defines how a language says things (reading.h); the code here only recognizes what
 * is written: numbers, dates, addresses, markdown. Everything else is copied. The time is
 * linear in the length of the text.
 *
 * An index of each language is made when it is first used and kept for the process, without a
 * lock, so only one thread may normalize text.
 */
#ifndef TEXT_NORMALIZE_H
#define TEXT_NORMALIZE_H

#include "text/language.h"
#include "text/mapped.h"

/* Words that were already decided, for example by a dictionary: they are copied, and count as
 * words for the text around them ("Dr. " before a name). */
struct normalize_fixed {
	size_t begin, end; /* bytes of the cursor's text, not empty */
	size_t said; /* output: where they begin in the result, if is_said */
	bool is_said; /* output: false when they are part of something that is not spoken */
};

/* Reads the first `len` bytes of the cursor's text and appends the spoken form. Fixed words
 * must be in order and not overlap. */
void normalize(struct mapped *out, struct mapped_cursor *in, size_t len,
	       const struct language *language, struct normalize_fixed *fixed, size_t fixed_len);

#endif
