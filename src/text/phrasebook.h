/*
 * phrasebook.h: phrases of lexemes, all looked for at once.
 *
 * An Aho-Corasick automaton over lexemes that reads a text from its end to its
 * beginning: then each step tells the longest phrase that begins at the lexeme
 * just read, whatever was found around it, and the whole costs a few steps for
 * each lexeme.  (Read forwards, it would tell the ends of phrases, and who wants
 * the longest one from a place would have to run ahead and back.)
 *
 * A lexeme is known by its hash, in the usual case with one look; when hashes
 * collide it is a search, so that nobody can make it slow by choosing words.
 *
 * Immutable once made, one owner.
 */
#ifndef TEXT_PHRASEBOOK_H
#define TEXT_PHRASEBOOK_H

#include "text/lexeme.h"

struct phrasebook;

struct phrasebook_entry {
	const char *phrase;
	size_t value; /* for the caller: which entry it was */
};

/* Copies what it needs.  Phrases without a lexeme are left out, and those that
 * are not the first of their like.  Letters are folded, or their case counts.
 * ENOMEM. */
int phrasebook_alloc(struct phrasebook **bookp, const struct phrasebook_entry *entries,
		     size_t count, bool folds);

/* The state after the lexeme before the one that was read last; 0 is the first. */
uint32_t phrasebook_step(const struct phrasebook *book, uint32_t state, const struct lexeme *lexeme,
			 const char *text);

/* The longest phrase that begins with the lexeme read last: its length in
 * lexemes, 0 when there is none. */
uint32_t phrasebook_longest(const struct phrasebook *book, uint32_t state, size_t *value);

#endif
