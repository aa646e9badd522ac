/*
 * spell.h: <spell>: characters read one by one.
 *
 * Letters become capitals, digits number words, signs the words that the
 * language has for them, a blank the word for "space"; commas between them make
 * the little pauses.  Long runs are grouped: a longer pause after every so many
 * characters, counted anew after a blank, a dot, a dash or an at sign.
 */
#ifndef TEXT_SPELL_H
#define TEXT_SPELL_H

#include "text/language.h"
#include "text/reader_parts.h"

#define SPELL_GROUP_PAUSE_MS 500

/* The group attribute of the opening tag: 0 for no groups. */
unsigned spell_group(const char *tag, size_t len);

/* Reads n bytes of the client's text, the first of them code point `from`;
 * tags inside are left out. */
void spell_read(struct reader_parts *parts, const struct language *language, const char *text,
		size_t n, uint32_t from, unsigned group);

#endif
