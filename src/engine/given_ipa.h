/*
 * given_ipa.h: brings phonemes that people wrote into one notation.
 *
 * Dictionaries hold what was typed or copied: an ASCII g, apostrophes for stress, ties, dots
 * between syllables, brackets. Engines get letters, marks (ː, stress, diacritics) and blanks
 * between words.
 */
#ifndef ENGINE_GIVEN_IPA_H
#define ENGINE_GIVEN_IPA_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/engine.h"
#include "workers/message.h"

/* No rewriting more than doubles the number of bytes. */
#define GIVEN_IPA_SIZE (2 * MESSAGE_IPA_MAX + 8)

struct given_ipa {
	char signs[GIVEN_IPA_SIZE]; /* NUL-terminated UTF-8; may be empty */
	size_t byte_start, byte_end; /* in the text */
};

bool given_ipa_is_vowel(uint32_t c);

/* Reads text->phonemes[i]. A stress mark, which people write before the syllable, is moved to
 * directly before the vowel. A possessive ending that follows in the text is included: a
 * dictionary lists "Xi" but not "Xi’s", and the ending alone would be spelled out. */
void given_ipa_read(struct given_ipa *ipa, const struct engine_text *text, size_t i,
		    bool is_english);

#endif
