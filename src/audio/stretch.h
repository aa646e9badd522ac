/*
 * stretch.h: changes the tempo at the same pitch, over the chunks of a turn.
 *
 * For engines that cannot change their own speed (libsonic: overlap-add of pitch periods).
 * After every chunk exactly floor(samples in ÷ speed) samples have been returned since the
 * start; within a chunk the output lags by up to two pitch periods (31 ms). How the input is
 * divided into writes never changes a sample.
 */
#ifndef AUDIO_STRETCH_H
#define AUDIO_STRETCH_H

#include <stddef.h>
#include <stdint.h>

/* A speed is a whole number of ten-thousandths, so that counting is exact. */
#define STRETCH_UNIT 10000u
#define STRETCH_MIN 2500u
#define STRETCH_MAX 40000u

struct stretch;

/* EINVAL for a speed out of range, ENOMEM. */
int stretch_alloc(struct stretch **stretchp, unsigned sample_rate, unsigned speed);

/* The largest number of samples that a write of count and the end of the chunk after it
 * return. */
size_t stretch_room(const struct stretch *stretch, size_t count);

/* Takes samples. The caller must read all resulting samples (stretch_read) before the next write.
 * ENOMEM. */
int stretch_write(struct stretch *stretch, const int16_t *in, size_t count);

/* Called after the chunk's last sample was written: the samples still inside can be read. */
int stretch_end_chunk(struct stretch *stretch);

/* Where sample `sample` of a chunk is in the stretched chunk, in samples. It is exact to 10 ms at
 * speeds from 0.8 to 1.2, where at most one pitch period is inserted or removed at a time. */
uint64_t stretch_place(unsigned sample_rate, unsigned speed, uint64_t sample);

/* Returns the number of samples written to out, at most max; 0 when there are no more. */
size_t stretch_read(struct stretch *stretch, int16_t *out, size_t max);

#endif
