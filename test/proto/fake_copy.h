/*
 * fake_copy.h: copies bytes into a NUL-terminated string, for the fakes.
 */
#ifndef TEST_PROTO_FAKE_COPY_H
#define TEST_PROTO_FAKE_COPY_H

#include <stdlib.h>
#include <string.h>

/* Free the copy with free.  strndup is not used, because the strict string checks of the address
 * sanitizer require a NUL after the original, which has none. */
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
