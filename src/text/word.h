/*
 * word.h: the word that is being read, as far as a dot after it must know.
 *
 * A word is what stands between blanks.  Its parts between dots and hyphens
 * are pieces: "U.S." has two of one letter, "file.txt" one of four and one of
 * three.  The key is what language.h looks up; when the word before ended in
 * a dot too, the key holds both ("z.b" for "z. B.").
 */
#ifndef TEXT_WORD_H
#define TEXT_WORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "text/language.h"
#include "text/unicode.h"

/* A place between two code points, counted from the first text. */
struct place {
	size_t byte;
	size_t count; /* code points */
};

/* Longer than any list entry, and than two of them. */
#define WORD_KEY_MAX 32

struct word {
	struct place begin; /* of its number, when letters of a script without blanks precede */
	uint32_t last; /* the code point before */
	enum unicode_kind last_kind;
	uint32_t first_letter;
	unsigned letters; /* of the last piece */
	unsigned digits; /* of the last run of them */
	bool is_capital;
	bool is_spelled; /* had a letter or a digit */
	bool is_plain; /* nothing but digits so far */
	bool is_dotted; /* all earlier pieces were single letters */
	bool has_pieces; /* more than one */
	bool has_dot; /* between two of them: "example.com" */
	bool is_address; /* has '/' or '@' */
	bool opens_number; /* ends so that a number may go on */
	bool key_is_lost; /* too long, or with digits */
	uint8_t key_len, key_begin; /* where this word's part of the key begins */
	char key[WORD_KEY_MAX];
};

/* A blank has ended the last word; with its key kept, the next adds to it. */
void word_begin(struct word *word, struct place at, bool keep_key);

/* A code point that is not blank.  True at the word's first letter or digit. */
bool word_step(struct word *word, uint32_t c, enum unicode_kind kind, struct place at);

/* What a single dot now would mean; is_first: no other word in its sentence. */
enum hold word_hold(const struct word *word, const struct language *language, bool is_first);

/* False when a dot after it may be that of an abbreviation that no list has: one
 * letter, or none that is a vowel ("т.", "tbsp."). */
bool word_is_plain(const struct word *word);

/* True when its next code point could be more of it: "inter", "3.", "don'".  Not
 * after what closes a word, nor in scripts that have no blanks between words. */
bool word_may_go_on(const struct word *word);

/* True when this word (in lower case) is the key of this or the last word. */
bool word_is(const struct word *word, const char *wanted);

#endif
