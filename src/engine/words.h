/*
 * words.h: divides a text into the words that get word times.
 *
 * A word extends from one blank to the next, without the punctuation around it; a long dash,
 * an ellipsis and the full-width signs of Chinese and Japanese also end a word. Bytes that
 * have phonemes belong to one word, including blanks. A run of signs ("&", "=") may be a
 * word or not, depending on whether the engine reads it.
 *
 * Text in a script without blanks is one long word here; only an engine that reads the
 * language knows where its words are.
 */
#ifndef ENGINE_WORDS_H
#define ENGINE_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/engine.h"

struct words {
	const struct engine_text *text;
	size_t at; /* the part of the text from here on was not read yet */
	size_t span; /* the first of the text's phonemes that ends after `at` */
};

struct words_word {
	size_t start, end; /* bytes */
	size_t run_end; /* including the punctuation that follows */
	size_t letters; /* how long it takes to say, roughly: letters and digits; 0: only signs */
};

/* The text must outlive `words`, which owns nothing. */
void words_init(struct words *words, const struct engine_text *text);

/* The next word; false at the end of the text. */
bool words_next(struct words *words, struct words_word *word);

bool words_is_blank(uint32_t c);

/* Punctuation that does not belong to an adjacent word. */
bool words_is_punctuation(uint32_t c);

/* A letter or a digit, in any script. */
bool words_is_letter(uint32_t c);

/* A character that belongs to the one before it: an accent, a joiner. */
bool words_is_mark(uint32_t c);

/* True when a word can begin with this character inside a run of letters: scripts that are
 * written without blanks, except for their vowel signs and tone marks. */
bool words_may_begin_inside(uint32_t c);

#endif
