/*
 * loudness.h: how loud audio is, over time: where words begin and end, and where to divide a piece.
 */
#ifndef ENGINE_HEAR_LOUDNESS_H
#define ENGINE_HEAR_LOUDNESS_H

#include <stddef.h>

/* Samples of a step of time: 5 ms. */
#define LOUDNESS_STEP 80u

struct loudness {
	float *levels; /* the effective value of each step */
	size_t count;
	float threshold; /* what is louder is a sound */
};

/* Measures samples from -1 to 1. ENOMEM. */
int loudness_measure(struct loudness *loudness, const float *samples, size_t count);

void loudness_reset(struct loudness *loudness);

/* Moves the ends of a span of samples to the first and the last sound in it, in steps. A span without
 * any is left alone. */
void loudness_trim(const struct loudness *loudness, size_t *start, size_t *end);

/* The middle of the quietest fifth of a second that begins in samples [from, to). */
size_t loudness_quietest(const float *samples, size_t from, size_t to);

#endif
