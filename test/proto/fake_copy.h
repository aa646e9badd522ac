/*
 * fake_copy.h: bytes with a length as a string of their own, for the fakes.
 */
#ifndef TEST_PROTO_FAKE_COPY_H
#define TEST_PROTO_FAKE_COPY_H

#include <stdlib.h>
#include <string.h>

/* The caller's, to free.  Not strndup: the address sanitizer's strict checks of
 * strings want a NUL behind the original, and it has none. */
static inline char *fake_copy(const char *bytes, size_t len)
{
	char *copy = malloc(len + 1);

	if (!copy)
		abort();
	if (len > 0) /* bytes may be NULL when there are none */
		memcpy(copy, bytes, len);
	copy[len] = '\0';
	return copy;
}

#endif
