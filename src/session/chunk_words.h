/*
 * chunk_words.h: when the client's words are heard in a chunk.
 *
 * Engines tell when they speak the words that they were given; clients want to
 * know of the words that they wrote.  Parts are noted one after the other: an
 * engine's words are kept until their part has ended, because only then is
 * known where it lies in the chunk.  Words that stand for the same characters
 * ("five euros" for "€5") become one.  Belongs to one turn.
 */
#ifndef SESSION_CHUNK_WORDS_H
#define SESSION_CHUNK_WORDS_H

#include "audio/pipeline.h"
#include "base/buf.h"
#include "speech/speech.h"
#include "wire/reply.h"

struct chunk_words {
	struct buf heard; /* struct speech_word each, of the part that is spoken */
	struct buf told; /* struct reply_word each, of the chunk */
};

void chunk_words_init(struct chunk_words *words);
void chunk_words_reset(struct chunk_words *words);
void chunk_words_clear(struct chunk_words *words); /* for the next chunk */

/* The engine's next word of the part. */
void chunk_words_hear(struct chunk_words *words, const struct speech_word *word);

/* Where a part lies. */
struct chunk_words_part {
	const struct spoken_part *spoken;
	const struct pipeline *pipeline; /* it has ended there */
	unsigned engine_rate, sample_rate;
	uint64_t chunk_start; /* samples of the turn before this chunk */
};

/* The part has ended.  The text is the chunk's, and stays where it is. */
void chunk_words_end_part(struct chunk_words *words, const struct chunk_words_part *part,
			  const char *text, size_t len);

/* In the order of time; valid until the next part. */
const struct reply_word *chunk_words_get(const struct chunk_words *words, size_t *count);

#endif
