/*
 * latin.h: text for an engine that reads only ASCII.
 *
 * Letters with marks become their base letters, typographic signs their typewriter forms,
 * and everything else a blank, so that an English voice reads "naïve" and “café” and skips
 * what it cannot read. Every byte remembers where it came from, for word times.
 */
#ifndef ENGINE_LATIN_H
#define ENGINE_LATIN_H

#include <stddef.h>
#include <stdint.h>

struct latin {
	char *text; /* NUL-terminated ASCII */
	size_t len;
	/* For each byte, and for the NUL, its position in the given text. */
	uint32_t *origin;
};

/* Makes an object of base/mem.h, which owns both arrays. ENOMEM. */
int latin_alloc(struct latin **latinp, const char *text, size_t len);

#endif
