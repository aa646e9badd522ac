/*
 * search.c: the form in which words are compared in a search (see search.h).
 */
#include "store/search.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "text/fold.h"

/* The maximum length of a folded letter in bytes, which may exceed that of the letter itself. */
#define LETTER_MAX 4

char *search_fold(const char *word)
{
	size_t len = strlen(word);
	char *folded = malloc(len * LETTER_MAX + 1);
	size_t out = 0;

	for (size_t i = 0; folded && i < len;) {
		uint32_t c;

		i += utf8_decode(&c, word + i, len - i);
		out += utf8_encode(folded + out, fold_letter(c));
	}
	if (folded)
		folded[out] = '\0';
	return folded;
}
