/*
 * language.h: the properties of a language: where its sentences end, and how it reads
 * figures and signs (reading.h).
 *
 * One row per language, in language_XX.c or, for the short ones, in language_more.c. A list
 * is one string of lower-case words with a blank before and after each; dots inside a word
 * are included, the last one and the blanks of "z. B." are not ("z.b"). An entry that begins
 * with a capital is an abbreviation only when it is written so ("Gen" is a rank, "gen" is
 * not).
 */
#ifndef TEXT_LANGUAGE_H
#define TEXT_LANGUAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "text/reading.h"

/* How strongly a dot is prevented from ending a sentence, weakest first. */
enum hold {
	HOLD_NONE, /* an ordinary word */
	HOLD_WORD, /* an ordinary word, but before a number an abbreviation: "no. 5" */
	HOLD_CAPITAL, /* ends a sentence when the next word is capitalised: "etc." */
	/* ends a sentence only when the next word often begins one: "5 p.m. Then", "Vol. II" */
	HOLD_STARTER,
	HOLD_NEVER, /* a title or "for example": something always follows */
};

struct language {
	const char *code;
	bool ordinals; /* "3." is read "third" */
	/* nouns are capitalised, so a capital does not indicate the beginning of a sentence */
	bool nouns_big;
	const char *never;
	const char *starter;
	const char *capital;
	const char *word;
	const char *starters; /* words that often begin a sentence */
	const struct reading_rules *reading; /* NULL: engines read figures themselves */
	/* for <spell> in a language without reading rules; includes a blank */
	const struct sign *spelled_signs;
};

extern const struct language language_de, language_en, language_es, language_fr, language_it,
	language_nl, language_pl, language_pt;
extern const struct language language_more[];
extern const size_t language_more_len;

/* The row of a two-letter code; English for "", minimal rules for an unknown code. */
const struct language *language_find(const char *code);

/* What the dot after this word means; word is in lower case, is_capital says whether it was
 * written with a capital. */
enum hold language_hold(const struct language *language, const char *word, bool is_capital);

/* True when the word (in lower case) often begins a sentence. */
bool language_starts(const struct language *language, const char *word);

#endif
