/*
 * chunk_words.h: the times of the client's words in a chunk.
 *
 * Engines report the times of the words that they were given; clients want the times of the words
 * that they wrote.  An engine's words are kept until their part of the chunk has ended, because
 * only then is the position of the part in the chunk known.  Words that stand for the same
 * characters ("five euros" for "€5") are merged.  Belongs to one turn; runs on the loop's thread.
 */
#ifndef SESSION_CHUNK_WORDS_H
#define SESSION_CHUNK_WORDS_H

#include "audio/pipeline.h"
#include "base/buf.h"
#include "speech/speech.h"
#include "wire/reply.h"

struct chunk_words {
	struct buf engine_words; /* an array of struct speech_word: the current part */
	struct buf client_words; /* an array of struct reply_word: the parts that have ended */
};

void chunk_words_init(struct chunk_words *words);
void chunk_words_reset(struct chunk_words *words);
void chunk_words_clear(struct chunk_words *words); /* for the next chunk */

/* Adds the engine's next word of the current part. */
void chunk_words_hear(struct chunk_words *words, const struct speech_word *word);

/* A part that has ended, and its position. */
struct chunk_words_part {
	const struct spoken_part *spoken;
	const struct pipeline *pipeline; /* the part has ended in this pipeline */
	unsigned engine_rate, sample_rate;
	uint64_t chunk_start; /* samples of the turn before this chunk */
};

/* Ends the current part.  `text` is the text of the chunk; the words point into it. */
void chunk_words_end_part(struct chunk_words *words, const struct chunk_words_part *part,
			  const char *text, size_t len);

/* The words of the chunk so far, sorted by time; valid until the next part ends. */
const struct reply_word *chunk_words_get(const struct chunk_words *words, size_t *count);

#endif
