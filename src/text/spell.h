/*
 * spell.h: <spell>: characters read one by one.
 *
 * Letters become capitals, digits number words, signs the language's words for them, and a
 * blank the word for "space"; commas between them make short pauses. Long runs are grouped:
 * there is a longer pause after every `group` characters, counted from the last blank, dot,
 * dash or at sign.
 */
#ifndef TEXT_SPELL_H
#define TEXT_SPELL_H

#include "text/language.h"
#include "text/reader_parts.h"

#define SPELL_GROUP_PAUSE_MS 500

/* The group attribute of the opening tag; 0: no groups. */
unsigned spell_group(const char *tag, size_t len);

/* Reads n bytes of the client's text, which begin at code point `from`; tags inside are
 * ignored. */
void spell_read(struct reader_parts *parts, const struct language *language, const char *text,
		size_t n, uint32_t from, unsigned group);

#endif
