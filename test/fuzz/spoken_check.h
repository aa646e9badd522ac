/*
 * spoken_check.h: what must be true of everything that is read, whatever the
 * text was (text/spoken.h).
 */
#ifndef TEST_FUZZ_SPOKEN_CHECK_H
#define TEST_FUZZ_SPOKEN_CHECK_H

#include "text/spoken.h"

/* Text from a driver's input: NUL-free, valid UTF-8.  Most bytes below
 * 0x20 stand for fragments that a mutation would hardly find (tags, money,
 * dates).  Gives the length; out has room for the longest for each byte, and a
 * NUL. */
#define SPOKEN_CHECK_FRAGMENT_MAX 24
size_t spoken_check_text(char *out, const uint8_t *bytes, size_t n);

/* Parts are valid UTF-8 without control characters; their pieces cover them
 * exactly, lead into the chunk and never go back; what is verbatim is the same;
 * phonemes lie inside and apart.  Gives the bytes of all parts. */
size_t spoken_check(const struct spoken *spoken, const char *text, size_t len);

#endif
