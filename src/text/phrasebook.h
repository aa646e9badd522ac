/*
 * phrasebook.h: searches for many phrases of lexemes at once.
 *
 * An Aho-Corasick automaton over lexemes that reads a text from its end to its beginning:
 * each step then gives the longest phrase that begins at the current lexeme, independently
 * of other matches, at the cost of a few steps per lexeme. (Reading forwards, it would give
 * the ends of phrases, and finding the longest one from a position would need backtracking.)
 *
 * A lexeme is identified by its hash, usually with one lookup; colliding hashes are
 * searched, so that chosen words cannot make it slow.
 *
 * Immutable once made; has one owner.
 */
#ifndef TEXT_PHRASEBOOK_H
#define TEXT_PHRASEBOOK_H

#include "text/lexeme.h"

struct phrasebook;

struct phrasebook_entry {
	const char *phrase;
	size_t value; /* chosen by the caller: identifies the entry */
};

/* Copies what it needs. Phrases without a lexeme and duplicates of earlier ones are ignored.
 * Case is folded if `folds`. ENOMEM. */
int phrasebook_alloc(struct phrasebook **bookp, const struct phrasebook_entry *entries,
		     size_t count, bool folds);

/* Returns the state after reading `lexeme`, which must be the one before the lexemes read so far.
 * The initial state, at the end of the text, is 0. */
uint32_t phrasebook_step(const struct phrasebook *book, uint32_t state, const struct lexeme *lexeme,
			 const char *text);

/* The length in lexemes of the longest phrase that begins with the lexeme read last; 0 when
 * there is none. */
uint32_t phrasebook_longest(const struct phrasebook *book, uint32_t state, size_t *value);

#endif
