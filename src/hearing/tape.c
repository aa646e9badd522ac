/*
 * tape.c: the audio of a stream that may be needed again (see tape.h).
 */
#include "hearing/tape.h"

#include <errno.h>
#include <stdlib.h>

#define TAPE_BLOCK_BYTES ((size_t)TAPE_BLOCK * 2u)

/* The index of the block that has this position. */
static size_t tape_index(uint64_t position)
{
	return (size_t)(position / TAPE_BLOCK % TAPE_BLOCKS_MAX);
}

size_t tape_room(const struct tape *tape)
{
	return HEARING_KEPT_MAX - (size_t)(tape->end - tape->start);
}

/* Allocates the blocks of [end, end + count) that do not exist yet.  After an error, those that were
 * allocated are used later or freed with the tape. */
static int tape_reserve(struct tape *tape, size_t count)
{
	uint64_t last = tape->end + count - 1;

	for (uint64_t at = tape->end; at / TAPE_BLOCK <= last / TAPE_BLOCK; at += TAPE_BLOCK) {
		size_t i = tape_index(at);

		if (!tape->blocks[i])
			tape->blocks[i] = malloc(TAPE_BLOCK_BYTES);
		if (!tape->blocks[i])
			return ENOMEM;
	}
	return 0;
}

int tape_append(struct tape *tape, const int16_t *samples, size_t count)
{
	int err;

	if (count == 0)
		return 0;
	if (count > tape_room(tape))
		return ENOBUFS;
	err = tape_reserve(tape, count);
	if (err)
		return err;
	for (size_t i = 0; i < count; ++i, ++tape->end) {
		unsigned char *at =
			tape->blocks[tape_index(tape->end)] + tape->end % TAPE_BLOCK * 2u;

		at[0] = (unsigned char)((uint16_t)samples[i] & 0xff);
		at[1] = (unsigned char)((uint16_t)samples[i] >> 8);
	}
	return 0;
}

void tape_release(struct tape *tape, uint64_t position)
{
	uint64_t to = position < tape->end ? position : tape->end;

	while (tape->start < to) {
		uint64_t next = (tape->start / TAPE_BLOCK + 1) * TAPE_BLOCK;

		if (next <= to) {
			free(tape->blocks[tape_index(tape->start)]);
			tape->blocks[tape_index(tape->start)] = NULL;
		}
		tape->start = next < to ? next : to;
	}
}

const unsigned char *tape_read(const struct tape *tape, uint64_t position, size_t *count)
{
	size_t in_block = TAPE_BLOCK - (size_t)(position % TAPE_BLOCK);
	uint64_t left = tape->end - position;

	*count = left < in_block ? (size_t)left : in_block;
	return tape->blocks[tape_index(position)] + position % TAPE_BLOCK * 2u;
}

void tape_reset(struct tape *tape)
{
	for (size_t i = 0; i < TAPE_BLOCKS_MAX; ++i)
		free(tape->blocks[i]);
	*tape = (struct tape){0};
}
