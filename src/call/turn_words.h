/*
 * turn_words.h: the words of a language that tell whether a turn is over.
 *
 * To add a language, add a row to the table in turn_words.c.  Lists are in the format of phrase.h: lower
 * case, with accents, commas between phrases and no blanks around them.  In doubt a word is left out: a
 * word that is wrongly in a list makes callers wait, one that is missing costs little, because how it
 * was said counts as well.
 */
#ifndef CALL_TURN_WORDS_H
#define CALL_TURN_WORDS_H

#include <stddef.h>

#define TURN_WORDS_NUMBERS_MAX 12

/* Something that a question can ask for, and the digits that it has at least when it is complete. */
struct turn_words_number {
	const char *word;
	unsigned digits;
};

struct turn_words {
	const char *language;
	const char *
		open; /* nothing ends with them: conjunctions, articles, possessives, most prepositions */
	const char *
		half_open; /* little ends with them: auxiliaries, prepositions that are also adverbs */
	const char *subordinators; /* a sentence that begins with one has a second part */
	const char *fillers; /* sounds that hold the turn */
	const char *holds; /* requests for time, after which the caller comes back */
	const char *closers; /* end most turns that end with them */
	const char *answers; /* a short answer to a question consists of them */
	const char *
		interrogatives; /* a question with one of them is not to be answered with yes or no */
	const char *invitations; /* of an agent that wants to hear a longer answer */
	const char *units, *teens,
		*tens; /* number words of one digit, of two, and of two that a unit
					   * can follow: "twenty one" */
	const char *connectors; /* between the parts of an address that is spelled out */
	const char *spelled; /* what questions ask for whose answers are spelled out */
	struct turn_words_number
		numbers[TURN_WORDS_NUMBERS_MAX]; /* the longest word first; ended by NULL */
};

/* The table of a language: a code such as "de" or "pt-BR"; "": English.  NULL: there is none. */
const struct turn_words *turn_words_find(const char *language);

#endif
