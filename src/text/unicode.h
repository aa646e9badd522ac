/*
 * unicode.h: classifies code points independently of the locale.
 *
 * The C library's iswupper and similar functions depend on the locale, and ICU would be a
 * large dependency for nine questions, so a table of ranges made by tools/unicode-tables is
 * used.
 */
#ifndef TEXT_UNICODE_H
#define TEXT_UNICODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum unicode_kind {
	UNICODE_OTHER, /* punctuation, controls, unassigned */
	UNICODE_BLANK, /* blanks, and controls that act as one */
	UNICODE_NEWLINE, /* ends a line */
	UNICODE_UPPER, /* upper or title case */
	UNICODE_LOWER,
	UNICODE_LETTER, /* of a script without case, or one whose sentences ignore it */
	UNICODE_DIGIT,
	UNICODE_NUMBER, /* fractions, superscripts, Roman numerals */
	UNICODE_MARK, /* combines with the character before it */
	UNICODE_OPEN, /* brackets and quotes by category; their use differs */
	UNICODE_CLOSE,
	UNICODE_SIGN, /* a symbol that is read aloud: %, €, +, @ */
	UNICODE_PICTURE, /* emoji and other symbols that are not read aloud */
	UNICODE_FORMAT, /* joiners, soft hyphen, direction marks */
	/* Only in the table: a run of alternating upper and lower case. */
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

/* The lower case of Latin, Greek, Cyrillic and Armenian capitals; other characters are
 * returned unchanged. For looking up words, not for displaying them. */
uint32_t unicode_lower(uint32_t c);

/* The capital of such a letter, if it is a single character. */
uint32_t unicode_upper(uint32_t c);

static inline bool unicode_is_blank(enum unicode_kind kind)
{
	return kind == UNICODE_BLANK || kind == UNICODE_NEWLINE;
}

static inline bool unicode_is_letter(enum unicode_kind kind)
{
	return kind == UNICODE_UPPER || kind == UNICODE_LOWER || kind == UNICODE_LETTER;
}

/* True for characters that an engine speaks when they occur alone. */
static inline bool unicode_is_spoken(enum unicode_kind kind)
{
	return unicode_is_letter(kind) || kind == UNICODE_DIGIT || kind == UNICODE_NUMBER ||
	       kind == UNICODE_SIGN;
}

#endif
