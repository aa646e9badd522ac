/*
 * tape.h: the audio of a stream that may be needed again.
 *
 * Samples are appended at its end and released at its beginning, and are found by their position in
 * the stream.  They are in blocks, so that a stream whose audio is released soon takes little memory
 * and a long one is never copied.  They are kept in the form in which they are sent to workers: 16
 * bits, little-endian.
 *
 * Pure; used on the loop's thread.
 */
#ifndef HEARING_TAPE_H
#define HEARING_TAPE_H

#include <stddef.h>
#include <stdint.h>

#include "hearing/hearing.h"

/* A second of audio, and a whole number of frames. */
#define TAPE_BLOCK (32u * HEARING_FRAME)

/* More blocks than the longest tape has, wherever in a block it begins. */
#define TAPE_BLOCKS_MAX (HEARING_KEPT_MAX / TAPE_BLOCK + 2u)

/* All zero: an empty tape at the beginning of the stream. */
struct tape {
	uint64_t start, end; /* the positions [start, end) are kept */
	unsigned char *blocks[TAPE_BLOCKS_MAX]; /* position n is in block n / TAPE_BLOCK % MAX */
};

/* How many samples can be appended. */
size_t tape_room(const struct tape *tape);

/* ENOBUFS: there is no room for all of them; ENOMEM.  Nothing has changed then. */
int tape_append(struct tape *tape, const int16_t *samples, size_t count);

/* Releases what is before this position, which may be anywhere. */
void tape_release(struct tape *tape, uint64_t position);

/* The samples from this position on, which must be kept, as far as they are in one place: *count of
 * them. */
const unsigned char *tape_read(const struct tape *tape, uint64_t position, size_t *count);

void tape_reset(struct tape *tape);

#endif
