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

/* Reads bytes [begin, end) of the cursor's text and appends what is said. */
void normalize(struct mapped *out, struct mapped_cursor *in, size_t begin, size_t end,
	       const struct language *language);

#endif
