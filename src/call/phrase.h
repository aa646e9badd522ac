/*
 * phrase.h: words of a transcript, one after another, in the form in which tables of words have them.
 *
 * A word is a run of letters, digits and apostrophes, in lower case; what is between two words is the
 * mark of the first.  A number such as "3.50" or "12/5" is one word.  Any bytes are safe: what is not
 * UTF-8 separates words, and of a word that is longer than any in a table the beginning is kept.
 *
 * Tables are strings of phrases with commas between them: "and,as well as,or".
 *
 * Pure: no clock, no allocation.
 */
#ifndef CALL_PHRASE_H
#define CALL_PHRASE_H

#include <stdbool.h>
#include <stddef.h>

#define PHRASE_WORD_SIZE 48

/* What follows a word. */
enum phrase_mark {
	PHRASE_NOTHING,
	PHRASE_TRAILING, /* a comma, a colon, a dash or dots: it goes on */
	PHRASE_STOP, /* a full stop or an exclamation mark */
	PHRASE_QUESTION,
};

struct phrase_word {
	char text[PHRASE_WORD_SIZE]; /* in lower case, ended by a NUL */
	size_t len;
	unsigned letters, digits; /* how many of each, also of those that are not kept */
	bool is_figure; /* digits with a sign between them: an amount, a time, a date */
	enum phrase_mark mark;
};

struct phrase {
	const char *text;
	size_t len, at;
};

/* Reads the next word; false: there is none. */
bool phrase_next(struct phrase *phrase, struct phrase_word *word);

/* The last words of a text with a blank between them, as far as there is room. */
struct phrase_tail {
	char text[2 * PHRASE_WORD_SIZE];
	size_t len;
};

void phrase_tail_add(struct phrase_tail *tail, const struct phrase_word *word);

/* Whether the tail ends with one of the phrases of a table. */
bool phrase_tail_is(const struct phrase_tail *tail, const char *table);

#endif
