/*
 * grapheme.h: where a text may be cut without tearing a character apart.
 *
 * An approximation of UAX #29 by ranges: marks, joiners, variation selectors
 * and skin tones stay with what they follow, a joiner also keeps what follows
 * it, regional indicators pair up, Hangul letters build syllables, and CR LF
 * is one.  Left out, because a cut there is still readable: prepended marks
 * and Indic conjuncts.
 */
#ifndef TEXT_GRAPHEME_H
#define TEXT_GRAPHEME_H

#include <stdbool.h>
#include <stdint.h>

struct grapheme {
	uint32_t last; /* 0 at the start */
	bool half_flag; /* last is a regional indicator that waits for its pair */
};

/* Takes the next code point; true when a new character begins with it. */
bool grapheme_step(struct grapheme *grapheme, uint32_t c);

/* True when what was taken cannot be the whole of its last character: after a
 * joiner, half a flag, or a Hangul letter that opens a syllable. */
bool grapheme_is_open(const struct grapheme *grapheme);

#endif
