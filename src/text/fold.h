/*
 * fold.h: case folding for every script that has cases.
 *
 * For comparing words, not for displaying them. Each letter folds to a single letter: a
 * capital sharp s becomes a sharp s and not "ss", a final sigma a sigma. I and İ become i in
 * every language, so that Istanbul equals İstanbul; ı is a separate letter.
 */
#ifndef TEXT_FOLD_H
#define TEXT_FOLD_H

#include <stddef.h>
#include <stdint.h>

struct fold_row {
	uint32_t first, last;
	uint32_t step; /* 1: every letter, 2: every second one */
	int32_t distance;
};

extern const struct fold_row fold_rows[];
extern const size_t fold_rows_len;

/* Folds what is not ASCII. */
uint32_t fold_wide(uint32_t c);

static inline uint32_t fold_letter(uint32_t c)
{
	if (c >= 0x80)
		return fold_wide(c);
	return c - 'A' < 26 ? c + 32 : c;
}

#endif
