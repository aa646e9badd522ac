/*
 * unicode.h: what kind of character a code point is, whatever the locale.
 *
 * The C library's iswupper and its like depend on the process's locale, and
 * ICU would be a large guest for nine questions: a table of ranges made by
 * tools/unicode-tables answers them.
 */
#ifndef TEXT_UNICODE_H
#define TEXT_UNICODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum unicode_kind {
	UNICODE_OTHER, /* punctuation, controls, unassigned */
	UNICODE_BLANK, /* blanks and controls that stand for one */
	UNICODE_NEWLINE, /* ends a line */
	UNICODE_UPPER, /* upper or title case */
	UNICODE_LOWER,
	UNICODE_LETTER, /* of a script without case, or one whose sentences ignore it */
	UNICODE_DIGIT,
	UNICODE_NUMBER, /* fractions, superscripts, Roman numerals */
	UNICODE_MARK, /* combines with the character before it */
	UNICODE_OPEN, /* brackets and quotes by category: how they are used differs */
	UNICODE_CLOSE,
	UNICODE_SIGN, /* a symbol that is read: %, €, +, @ */
	UNICODE_PICTURE, /* emoji and other symbols that are not */
	UNICODE_FORMAT, /* joiners, soft hyphen, direction marks */
	/* Only in the table: a run where the cases take turns. */
	UNICODE_EVEN_UPPER,
	UNICODE_ODD_UPPER,
};

struct unicode_range {
	uint32_t first, last;
	uint8_t kind;
};

extern const uint8_t unicode_ascii[128];
extern const struct unicode_range unicode_ranges[];
extern const size_t unicode_ranges_len;

enum unicode_kind unicode_kind(uint32_t c);

/* The lower case of Latin, Greek, Cyrillic and Armenian capitals; anything
 * else is returned as it is.  For looking words up, not for showing them. */
uint32_t unicode_lower(uint32_t c);

/* The capital of such a letter, where it is one character. */
uint32_t unicode_upper(uint32_t c);

static inline bool unicode_is_blank(enum unicode_kind kind)
{
	return kind == UNICODE_BLANK || kind == UNICODE_NEWLINE;
}

static inline bool unicode_is_letter(enum unicode_kind kind)
{
	return kind == UNICODE_UPPER || kind == UNICODE_LOWER || kind == UNICODE_LETTER;
}

/* True for what an engine makes a sound of when it stands alone. */
static inline bool unicode_is_spoken(enum unicode_kind kind)
{
	return unicode_is_letter(kind) || kind == UNICODE_DIGIT || kind == UNICODE_NUMBER ||
	       kind == UNICODE_SIGN;
}

#endif
