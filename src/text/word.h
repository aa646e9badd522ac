/*
 * word.h: the current word, as far as the meaning of a dot after it depends on it.
 *
 * A word extends from one blank to the next. Its parts between dots and hyphens are pieces:
 * "U.S." has two of one letter, "file.txt" one of four and one of three. The key is what
 * language.h looks up; when the previous word also ended in a dot, the key includes both
 * ("z.b" for "z. B.").
 */
#ifndef TEXT_WORD_H
#define TEXT_WORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "text/language.h"
#include "text/unicode.h"

/* A position between two code points, counted from the beginning of the text. */
struct text_position {
	size_t byte;
	size_t count; /* code points */
};

/* Longer than any two list entries. */
#define WORD_KEY_MAX 32

struct word {
	/* Where it begins.  If digits follow letters of a script without blanks, where they
	 * begin. */
	struct text_position begin;
	uint32_t last; /* the previous code point */
	enum unicode_kind last_kind;
	uint32_t first_letter;
	unsigned letters; /* in the last piece */
	unsigned digits; /* in the last run of digits */
	bool is_capital; /* begins with a capital */
	bool is_spelled; /* has a letter or a digit */
	bool is_plain; /* only digits so far, possibly after signs */
	bool is_dotted; /* all earlier pieces were single letters */
	bool has_pieces; /* has more than one piece */
	bool has_dot; /* has a dot between two pieces: "example.com" */
	bool is_address; /* has '/' or '@' */
	bool opens_number; /* ends in a way that a number can continue */
	bool key_is_lost; /* the key is too long or contains digits */
	uint8_t key_len, key_begin; /* where this word's part of the key begins */
	char key[WORD_KEY_MAX];
};

/* Begins a word after a blank. With keep_key the key of the last word is extended. */
void word_begin(struct word *word, struct text_position at, bool keep_key);

/* Processes a code point that is not blank. True at the word's first letter or digit. */
bool word_step(struct word *word, uint32_t c, enum unicode_kind kind, struct text_position at);

/* What a single dot would mean here; is_first: it is the first word of its sentence. */
enum hold word_hold(const struct word *word, const struct language *language, bool is_first);

/* False when a dot after the word may belong to an abbreviation that no list has: a single
 * letter, or no vowel ("т.", "tbsp."). */
bool word_is_plain(const struct word *word);

/* True when the next code point can belong to the word: "inter", "3.", "don'". Not after what
 * closes a word, nor in scripts without blanks between words. */
bool word_may_go_on(const struct word *word);

/* True when `wanted` (in lower case) is the key of this or the last word. */
bool word_is(const struct word *word, const char *wanted);

#endif
