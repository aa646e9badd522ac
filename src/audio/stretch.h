/*
 * stretch.h: another tempo at the same pitch, over the chunks of a turn.
 *
 * For engines that have no speed of their own (libsonic, overlap-add of pitch
 * periods).  After every chunk exactly floor(samples in ÷ speed) samples have come out
 * since the start; within a chunk the output lags by up to two pitch periods
 * (31 ms).  How the input is cut into writes never changes a sample.
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

/* The most samples that a write of count and the chunk's end after it give. */
size_t stretch_room(const struct stretch *stretch, size_t count);

/* Takes samples; what they give is read before the next write, until nothing
 * is left.  ENOMEM. */
int stretch_write(struct stretch *stretch, const int16_t *in, size_t count);

/* The chunk's last sample was written: what is still inside can be read. */
int stretch_end_chunk(struct stretch *stretch);

/* Where sample n of a chunk is heard after its start: within 10 ms at speeds
 * from 0.8 to 1.2, where no more than a pitch period comes or goes at a time. */
uint64_t stretch_place(unsigned sample_rate, unsigned speed, uint64_t sample);

/* Gives the number of samples written to out, at most max; 0: no more now. */
size_t stretch_read(struct stretch *stretch, int16_t *out, size_t max);

#endif
