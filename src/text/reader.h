/*
 * reader.h: how the text of one turn is read.
 *
 *   chunk → tags → dictionaries → normalization → parts (spoken.h)
 *
 * A reader lives as long as its turn: a <prosody> may span chunks, and so may a
 * <spell> that is longer than the chunker's buffer.  Everything else is decided
 * within a chunk, so that how the text was split over messages
 * cannot matter.  Pure and linear in the text's length.
 */
#ifndef TEXT_READER_H
#define TEXT_READER_H

#include "text/dictionary.h"
#include "text/language.h"
#include "text/spoken.h"

struct reader {
	const struct language *language;
	const struct lexicon *lexicon; /* NULL: no dictionary; its owner keeps it */
	bool normalizes; /* numbers and the like become words */
	bool reads_phonemes; /* the engine can be given IPA */
	unsigned markup; /* flags of markup.h */
	double rate; /* of the <prosody> that is open, 0: none */
	bool in_spell; /* a <spell> was cut by the chunker: it goes on */
	unsigned spell_group;
};

/* Reads a chunk.  ENOMEM. */
int reader_read(struct spoken **spokenp, struct reader *reader, const char *text, size_t len);

#endif
