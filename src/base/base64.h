/*
 * base64.h: base64 with padding (RFC 4648, section 4).
 *
 * Every audio frame leaves through the encoder, on the event loop; the decoder
 * serves clients and tests, which read a frame now and then.  Pure, any thread.
 */
#ifndef BASE_BASE64_H
#define BASE_BASE64_H

#include <stddef.h>
#include <stdint.h>

/* Characters that n bytes become. */
static inline size_t base64_encoded_len(size_t n)
{
	return (n + 2) / 3 * 4;
}

/* Room that n characters need when decoded. */
static inline size_t base64_decoded_max(size_t n)
{
	return n / 4 * 3;
}

/* Writes base64_encoded_len(n) characters, no NUL, and gives their number. */
size_t base64_encode(char *out, const void *bytes, size_t n);

/* The same without vector instructions: what base64_encode falls back to, here
 * so that tests can compare the two on one machine. */
size_t base64_encode_portable(char *out, const void *bytes, size_t n);

/* Strict: EINVAL for a length that is no multiple of four, a character outside
 * the alphabet (blanks and newlines too), padding anywhere but at the end, and
 * last characters whose unused bits are set.  out has base64_decoded_max(n)
 * bytes; after an error their content means nothing. */
int base64_decode(void *out, size_t *lenp, const char *chars, size_t n);

#endif
