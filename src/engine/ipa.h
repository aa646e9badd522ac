/*
 * ipa.h: phonemes as people write them, in one way of writing.
 *
 * Dictionaries hold what was typed or copied: a keyboard's g, apostrophes for
 * stress, ties, dots between syllables, brackets.  Engines get letters, marks
 * (ː, stress, diacritics) and blanks between words.
 */
#ifndef ENGINE_IPA_H
#define ENGINE_IPA_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/engine.h"
#include "workers/message.h"

/* Nothing grows to more than twice its bytes. */
#define IPA_SIZE (2 * MESSAGE_IPA_MAX + 8)

struct ipa {
	char signs[IPA_SIZE]; /* NUL-terminated UTF-8; may be empty */
	size_t byte_start, byte_end; /* of the text */
};

bool ipa_is_vowel(uint32_t c);

/* The i-th phonemes of a text, with stress before vowels.  What hangs on them by an apostrophe is taken
 * along: nobody lists "Xi’s" beside "Xi", and alone it would be spelled. */
void ipa_read(struct ipa *ipa, const struct engine_text *text, size_t i, bool is_english);

#endif
