/*
 * dictionary_model.h: dictionaries matched in the plainest way, to compare with.
 *
 * It knows a small alphabet in which every rule of text/dictionary.h can be
 * broken, each character with what the rules say of it written down by hand,
 * and tries every entry at every place.
 */
#ifndef TEST_TEXT_DICTIONARY_MODEL_H
#define TEST_TEXT_DICTIONARY_MODEL_H

#include "text/dictionary.h"

/* Characters that text and words may have. */
#define DICTIONARY_MODEL_TEXT_MAX 2048

struct dictionary_model {
	const struct dictionary_entry *entries;
	size_t count;
};

/* Text of the alphabet, a character for each byte; NUL-terminated.  Gives its
 * length; out has 8 bytes for each character and one more. */
size_t dictionary_model_spell(char *out, const unsigned char *bytes, size_t n);

/* What lexicon_find should do for these dictionaries. */
bool dictionary_model_find(struct lexicon_hit *hit, const struct dictionary_model *dictionaries,
			   size_t count, const char *text, size_t from);

#endif
