/*
 * punctuation.h: the marks that end sentences and clauses, and the quotes and
 * brackets around them.
 */
#ifndef TEXT_PUNCTUATION_H
#define TEXT_PUNCTUATION_H

#include <stdbool.h>
#include <stdint.h>

enum punctuation {
	PUNCTUATION_NONE,
	PUNCTUATION_DOT, /* '.': also in numbers and abbreviations */
	PUNCTUATION_ELLIPSIS, /* '…' */
	PUNCTUATION_STRONG, /* '!', '?' */
	PUNCTUATION_FULL, /* a stop that always ends a sentence: '。', '।', '؟' */
	PUNCTUATION_COMMA, /* ends a clause when a blank follows: ',', ';', ':' */
	PUNCTUATION_DASH, /* ends a clause between blanks: '-', '–' */
	PUNCTUATION_PAUSE, /* ends a clause in any position: '—', '、', '،' */
	PUNCTUATION_CLOSE, /* a quote, bracket or emphasis mark that may follow a stop */
	PUNCTUATION_OPEN, /* a quote or bracket that only opens */
	PUNCTUATION_INVERTED, /* '¿', '¡' */
};

enum punctuation punctuation_of(uint32_t c);

static inline bool punctuation_is_stop(enum punctuation p)
{
	return p >= PUNCTUATION_DOT && p <= PUNCTUATION_FULL;
}

#endif
