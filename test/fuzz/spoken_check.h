/*
 * spoken_check.h: what must be true of everything that is read, whatever the
 * text was (text/spoken.h).
 */
#ifndef TEST_FUZZ_SPOKEN_CHECK_H
#define TEST_FUZZ_SPOKEN_CHECK_H

#include "text/spoken.h"

/* Makes text without NULs, valid UTF-8, from a driver's input.  Most bytes below 0x20 are replaced
 * by fragments that a mutation would hardly find (tags, money, dates).  Returns the length.  `out`
 * must have room for SPOKEN_CHECK_FRAGMENT_MAX bytes per byte of the input, and a NUL. */
#define SPOKEN_CHECK_FRAGMENT_MAX 24
size_t spoken_check_text(char *out, const uint8_t *bytes, size_t n);

/* Checks that parts are valid UTF-8 without control characters; that their pieces cover them
 * exactly and refer to positions in the chunk that never decrease; that verbatim pieces are the
 * same as in the chunk; and that phonemes are inside the part and do not overlap.  Returns the
 * number of bytes in all parts. */
size_t spoken_check(const struct spoken *spoken, const char *text, size_t len);

#endif
