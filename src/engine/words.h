/*
 * words.h: the words of a text, as word times count them.
 *
 * A word is what stands between two blanks, without the punctuation around it;
 * a long dash, an ellipsis and the full-width signs of Chinese and Japanese end
 * one too.  Bytes that have phonemes are of one word, blanks included.  What is
 * made of signs alone ("&", "=") may be a word or not: that depends on whether
 * the engine reads it.
 *
 * Texts in scripts without blanks are one long word here; where its words are,
 * only an engine that reads the language knows.
 */
#ifndef ENGINE_WORDS_H
#define ENGINE_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/engine.h"

struct words {
	const struct engine_text *text;
	size_t at; /* what follows was not looked at */
	size_t span; /* the first of the text's phonemes that ends behind `at` */
};

struct word {
	size_t start, end; /* bytes */
	size_t run_end; /* with the punctuation that follows */
	size_t letters; /* what it takes to say it, roughly: letters and digits; 0: signs alone */
};

void words_init(struct words *words, const struct engine_text *text);

/* The next word; false at the end of the text. */
bool words_next(struct words *words, struct word *word);

bool words_is_blank(uint32_t c);

/* Punctuation that is no part of a word it stands beside. */
bool words_is_punctuation(uint32_t c);

/* A letter or a digit, in any script. */
bool words_is_letter(uint32_t c);

/* What stands with the sign before it: an accent, a joiner. */
bool words_is_mark(uint32_t c);

/* Whether a word can begin with this inside a run of letters: the scripts that
 * are written without blanks, without their vowel signs and tone marks. */
bool words_may_begin_inside(uint32_t c);

#endif
