/*
 * latin.h: text for an engine that reads ASCII only.
 *
 * Letters with marks become the letters they are built on, typographic signs
 * their typewriter forms, and what is neither becomes a blank, so that an
 * English voice reads "naïve" and “café” and steps over what it cannot read.
 * Every byte remembers where it came from, for word times.
 */
#ifndef ENGINE_LATIN_H
#define ENGINE_LATIN_H

#include <stddef.h>
#include <stdint.h>

struct latin {
	char *text; /* NUL-terminated ASCII */
	size_t len;
	uint32_t *origin; /* len + 1 entries: the byte in the given text */
};

/* Refcounted (mem_deref).  ENOMEM. */
int latin_alloc(struct latin **latinp, const char *text, size_t len);

#endif
