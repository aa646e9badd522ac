/*
 * transcript.h: which of a turn's words have been heard.
 *
 * Remembers each spoken chunk with the audio it became, so that after a
 * barge-in an agent can be told what its user heard and what not.
 */
#ifndef SESSION_TRANSCRIPT_H
#define SESSION_TRANSCRIPT_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/* Texts beyond this are forgotten, the oldest first: an hour of speech. */
#define TRANSCRIPT_MAX (64 * 1024)

struct transcript {
	struct buf text; /* the chunks, a blank between them */
	struct buf marks; /* struct mark each */
	unsigned sample_rate;
};

void transcript_init(struct transcript *transcript, unsigned sample_rate);
void transcript_reset(struct transcript *transcript);

/* In one piece of so many bytes, aligned as a uint64_t, to be kept for long; and read there, where
 * nothing can be added to it. */
size_t transcript_packed_size(const struct transcript *transcript);
void transcript_pack(void *packed, const struct transcript *transcript);
void transcript_unpack(struct transcript *transcript, void *packed);

/* A chunk begins; its audio is added as it is sent; it ends. */
int transcript_add(struct transcript *transcript, const char *text, size_t len);
void transcript_audio(struct transcript *transcript, uint64_t samples);
void transcript_end(struct transcript *transcript);

/* Bytes of transcript->text that were heard when so many samples were played:
 * inside a chunk in proportion, back to the end of the last whole word, and never
 * inside a tag.  The length of a chunk that has not ended is guessed, and its last word is never
 * taken for heard. */
size_t transcript_heard(const struct transcript *transcript, uint64_t samples);

#endif
