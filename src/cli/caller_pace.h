/*
 * caller_pace.h: when the pieces of a microphone's audio are sent.
 *
 * A microphone never stops, and a piece of its audio can only be sent when its last sample was
 * recorded: piece n is due at the end of its time, not at its beginning. Times follow from the number
 * of samples, so they do not drift, whatever the length of a piece. Pure.
 */
#ifndef CLI_CALLER_PACE_H
#define CLI_CALLER_PACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The length of pieces that browsers send: 512 samples at 16 kHz. */
#define CALLER_PACE_PIECE_MS 32u

/* The samples of a piece at 48 kHz. */
#define CALLER_PACE_PIECE_MAX 1536u

struct caller_pace {
	uint64_t start_us; /* when the microphone was switched on */
	uint64_t sent; /* samples */
	unsigned rate;
	size_t piece; /* samples in a piece */
};

/* The rate is at most 48000. */
void caller_pace_begin(struct caller_pace *pace, uint64_t now_us, unsigned rate);

/* When a sample was recorded, counted from the beginning. */
uint64_t caller_pace_time_of(const struct caller_pace *pace, uint64_t sample);

/* When the next piece can be sent. */
uint64_t caller_pace_due_us(const struct caller_pace *pace);

/* Whether the next piece can be sent; if so, it is counted as sent. After a delay several pieces are
 * due at once, as with a microphone whose program was busy. */
bool caller_pace_take(struct caller_pace *pace, uint64_t now_us);

#endif
