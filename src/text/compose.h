/*
 * compose.h: a letter and the mark after it as one character (NFC).
 *
 * Most text comes composed; that from macOS file names and some keyboards does
 * not, and the same word must be the same whichever way it was typed.
 */
#ifndef TEXT_COMPOSE_H
#define TEXT_COMPOSE_H

#include <stddef.h>
#include <stdint.h>

struct compose_row {
	uint32_t base, mark, whole;
};

extern const struct compose_row compose_rows[]; /* sorted by base, then mark */
extern const size_t compose_rows_len;

/* The one character that both make, 0 when there is none.  A mark that belongs
 * before one that the base already has finds its place ("ê" and a dot below).
 * Hangul's letters make syllables. */
uint32_t compose_pair(uint32_t base, uint32_t mark);

/* As utf8_decode, but takes the marks that can join with the character: gives
 * what they make and the length of them all. */
size_t compose_decode(uint32_t *code_point, const char *bytes, size_t n);

#endif
