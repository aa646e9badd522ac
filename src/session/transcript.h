/*
 * transcript.h: which of a turn's words have been heard.
 *
 * Remembers each spoken chunk and the length of its audio, so that an agent can learn after a
 * barge-in what its user has heard and what not.  Belongs to one turn; runs on the loop's thread.
 */
#ifndef SESSION_TRANSCRIPT_H
#define SESSION_TRANSCRIPT_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/* The most bytes of text that are kept, about an hour of speech.  The oldest are dropped first. */
#define TRANSCRIPT_MAX (64 * 1024)

struct transcript {
	struct buf text; /* the chunks, separated by spaces */
	struct buf marks; /* an array of struct transcript_mark, one for each chunk */
	unsigned sample_rate;
};

void transcript_init(struct transcript *transcript, unsigned sample_rate);
void transcript_reset(struct transcript *transcript);

/* Pack a transcript into a single block of transcript_packed_size bytes, aligned like a uint64_t,
 * to keep it for a long time.  transcript_unpack gives a view of the block that can only be
 * read. */
size_t transcript_packed_size(const struct transcript *transcript);
void transcript_pack(void *packed, const struct transcript *transcript);
void transcript_unpack(struct transcript *transcript, void *packed);

/* Begin a chunk, add the audio that is sent for it, and end it. */
int transcript_add(struct transcript *transcript, const char *text, size_t len);
void transcript_audio(struct transcript *transcript, uint64_t samples);
void transcript_end(struct transcript *transcript);

/* How many bytes of transcript->text were heard when this many samples were played.  Inside a chunk
 * the position is proportional, moved back to the end of the last whole word, and never inside a
 * tag.  The length of a chunk that has not ended is estimated, and its last word never counts as
 * heard. */
size_t transcript_heard(const struct transcript *transcript, uint64_t samples);

#endif
