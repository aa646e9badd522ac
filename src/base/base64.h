/*
 * base64.h: base64 with padding (RFC 4648, section 4).
 *
 * Every audio frame is encoded on the event loop, so the encoder is fast; the decoder serves
 * clients and tests, which read a frame now and then.  Pure; any thread may use it.
 */
#ifndef BASE_BASE64_H
#define BASE_BASE64_H

#include <stddef.h>
#include <stdint.h>

/* How many characters n bytes become. */
static inline size_t base64_encoded_len(size_t n)
{
	return (n + 2) / 3 * 4;
}

/* How many bytes n characters need at most when decoded. */
static inline size_t base64_decoded_max(size_t n)
{
	return n / 4 * 3;
}

/* Writes base64_encoded_len(n) characters without a NUL; returns their number. */
size_t base64_encode(char *out, const void *bytes, size_t n);

/* The same without vector instructions.  base64_encode falls back to it; it is exported so that
 * tests can compare the two on one machine. */
size_t base64_encode_portable(char *out, const void *bytes, size_t n);

/* Strict: EINVAL for a length that is not a multiple of four, a character outside the alphabet
 * (including blanks and newlines), padding anywhere but at the end, and last characters whose
 * unused bits are set.  out has room for base64_decoded_max(n) bytes; after an error their content
 * is undefined. */
int base64_decode(void *out, size_t *lenp, const char *chars, size_t n);

#endif
