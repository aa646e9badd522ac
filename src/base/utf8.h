/*
 * utf8.h: UTF-8 according to RFC 3629, checked as it arrives.
 *
 * WebSocket messages arrive in pieces that may end inside a character, and an invalid byte must be
 * reported when it arrives (RFC 6455, section 8.1), so the state is kept between pieces.
 */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zeroed before the first byte is checked. */
struct utf8_state {
	uint8_t left; /* continuation bytes that have not arrived yet */
	uint8_t low, high; /* bounds of the next continuation byte */
};

/* Checks n more bytes; returns false if they cannot be UTF-8, after which the state must not be
 * used any more. */
bool utf8_check(struct utf8_state *state, const char *bytes, size_t n);

/* True when no character is unfinished. */
static inline bool utf8_is_complete(const struct utf8_state *state)
{
	return state->left == 0;
}

/* Decodes the code point at bytes (n > 0) and returns its length in bytes; an invalid or incomplete
 * sequence gives U+FFFD and length 1. */
size_t utf8_decode(uint32_t *code_point, const char *bytes, size_t n);

/* Writes a code point (at most 4 bytes) and returns its length; surrogates and values beyond
 * U+10FFFF become U+FFFD. */
size_t utf8_encode(char *bytes, uint32_t code_point);

/* The number of code points in valid UTF-8. */
size_t utf8_count(const char *bytes, size_t n);

/* Returns how many bytes of a text fit into max bytes without splitting a character. */
size_t utf8_cut(const char *text, size_t len, size_t max);

#endif
