/*
 * reader.h: converts the text of one turn to what engines speak.
 *
 *     chunk → tags → dictionaries → normalization → parts (spoken.h)
 *
 * A reader exists as long as its turn: a <prosody> may span chunks, and so may a <spell>
 * that is longer than the chunker's buffer. Everything else is decided within a chunk, so
 * the division of the text into messages does not matter. The time is linear in the length of
 * the text. Neither clock nor I/O, but one thread only: see normalize.h.
 */
#ifndef TEXT_READER_H
#define TEXT_READER_H

#include "text/dictionary.h"
#include "text/language.h"
#include "text/spoken.h"

struct reader {
	const struct language *language;
	const struct lexicon *lexicon; /* borrowed; NULL: no dictionaries */
	bool normalizes; /* numbers and the like become words */
	bool reads_phonemes; /* the engine accepts IPA */
	unsigned markup; /* flags of markup.h */
	double rate; /* of the open <prosody>; 0: none is open */
	bool in_spell; /* the previous chunk ended inside a <spell> */
	unsigned spell_group;
};

/* Reads a chunk.  ENOMEM. */
int reader_read(struct spoken **spokenp, struct reader *reader, const char *text, size_t len);

#endif
