/*
 * word_times.h: when the client's words are heard in a chunk.
 *
 * Engines tell when they speak the words that they were given; clients want to
 * know of the words that they wrote.  Parts are noted one after the other: an
 * engine's words are kept until their part has ended, because only then is
 * known where it lies in the chunk.  Words that stand for the same characters
 * ("five euros" for "€5") become one.  Belongs to one turn.
 */
#ifndef SESSION_WORD_TIMES_H
#define SESSION_WORD_TIMES_H

#include "audio/pipeline.h"
#include "base/buf.h"
#include "synth/speech.h"
#include "wire/reply.h"

struct word_times {
	struct buf heard; /* struct speech_word each, of the part that is spoken */
	struct buf words; /* struct reply_word each, of the chunk */
};

void word_times_init(struct word_times *times);
void word_times_reset(struct word_times *times);
void word_times_clear(struct word_times *times); /* for the next chunk */

/* The engine's next word of the part. */
void word_times_hear(struct word_times *times, const struct speech_word *word);

/* Where a part lies. */
struct word_times_part {
	const struct spoken_part *spoken;
	const struct pipeline *pipeline; /* it has ended there */
	unsigned engine_rate, sample_rate;
	uint64_t chunk_start; /* samples of the turn before this chunk */
};

/* The part has ended.  The text is the chunk's, and stays where it is. */
void word_times_end_part(struct word_times *times, const struct word_times_part *part,
			 const char *text, size_t len);

/* In the order of time; valid until the next part. */
const struct reply_word *word_times_get(const struct word_times *times, size_t *count);

#endif
