/*
 * spoken.h: from the client's words to the words that an engine is given.
 *
 * Engines never see markup (eSpeak NG crashes on some).  Inline tags are
 * dropped and the text between them kept; every byte of the result remembers
 * where it stood in the client's text, so that word times can point there.
 * What is a tag is tag.h's business; one that stands for a pause leaves a blank
 * when it would otherwise glue two words together.  Control characters, line
 * ends among them, become blanks; nothing else is changed.
 */
#ifndef TEXT_SPOKEN_H
#define TEXT_SPOKEN_H

#include <stddef.h>
#include <stdint.h>

struct spoken {
	char *text; /* NUL-terminated UTF-8 */
	size_t len;
	uint32_t *origin; /* len + 1 entries: code point index in the client's text */
};

/* Refcounted (mem_deref).  ENOMEM. */
int spoken_alloc(struct spoken **spokenp, const char *text, size_t len);

#endif
