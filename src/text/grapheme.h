/*
 * grapheme.h: where a text may be cut without dividing a user-perceived character.
 *
 * An approximation of UAX #29 by ranges: marks, joiners, variation selectors and skin tones
 * belong to the preceding character, a joiner also to the following one, regional indicators
 * form pairs, Hangul letters form syllables, and CR LF is one character. Prepended marks and
 * Indic conjuncts are not supported, because text cut there is still readable.
 */
#ifndef TEXT_GRAPHEME_H
#define TEXT_GRAPHEME_H

#include <stdbool.h>
#include <stdint.h>

struct grapheme {
	uint32_t last; /* 0 at the start */
	bool half_flag; /* last is a regional indicator without its partner */
};

/* Takes the next code point; true when a new character begins with it. */
bool grapheme_step(struct grapheme *grapheme, uint32_t c);

/* True when the last character may be incomplete: after a joiner, half a flag, or a Hangul
 * letter that opens a syllable. */
bool grapheme_is_open(const struct grapheme *grapheme);

#endif
