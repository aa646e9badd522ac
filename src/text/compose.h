/*
 * compose.h: combines a letter and the mark after it into one character (NFC).
 *
 * Most text arrives composed; text from macOS file names and some keyboards does not, and
 * the same word must compare equal however it was typed.
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

/* The character that both combine to, 0 when there is none. A mark that precedes one that the
 * base already has in canonical order is also combined ("ê" and a dot below). Hangul letters
 * combine to syllables. */
uint32_t compose_pair(uint32_t base, uint32_t mark);

/* Like utf8_decode, but includes the marks that combine with the character: returns the result
 * and the total length. */
size_t compose_decode(uint32_t *code_point, const char *bytes, size_t n);

#endif
