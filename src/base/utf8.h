/*
 * utf8.h: UTF-8 as RFC 3629 has it, checked as it arrives.
 *
 * WebSocket messages come in pieces that may end inside a character, and an
 * invalid byte must be noticed when it comes (RFC 6455, 8.1), hence a state
 * that outlives the piece.
 */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct utf8_state {
	uint8_t left; /* continuation bytes still to come */
	uint8_t low, high; /* bounds of the next one */
};

/* Takes n bytes more; false as soon as they cannot be UTF-8. */
bool utf8_check(struct utf8_state *state, const char *bytes, size_t n);

/* True when no character is unfinished. */
static inline bool utf8_is_complete(const struct utf8_state *state)
{
	return state->left == 0;
}

/* Decodes the code point at bytes (n > 0) and gives its length in bytes; an
 * invalid or cut sequence gives U+FFFD and length 1. */
size_t utf8_decode(uint32_t *code_point, const char *bytes, size_t n);

/* Writes a code point (at most 4 bytes) and gives its length; surrogates and
 * values past U+10FFFF become U+FFFD. */
size_t utf8_encode(char *bytes, uint32_t code_point);

/* Code points in valid UTF-8. */
size_t utf8_count(const char *bytes, size_t n);

/* How much of a text fits into max bytes without cutting a character in two. */
size_t utf8_cut(const char *text, size_t len, size_t max);

#endif
