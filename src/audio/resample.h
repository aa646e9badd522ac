/*
 * resample.h: from one sample rate to another, over the chunks of a turn.
 *
 * Output sample n is the input at time n × in_rate ÷ out_rate: no delay, only
 * a look-ahead of at most 5 ms that a chunk's end fills with zeros.  After
 * every resample_end_chunk exactly floor(samples in × out_rate ÷ in_rate)
 * samples have come out since the start; the next chunk goes on with phase and
 * past samples as if there had been no seam.  How the input is cut into writes
 * never changes a sample.  Equal rates: the input itself.
 *
 * Filter tables are shared by all resamplers of a thread and kept when the last
 * of them has gone, because the next turn wants the same.
 */
#ifndef AUDIO_RESAMPLE_H
#define AUDIO_RESAMPLE_H

#include <stddef.h>
#include <stdint.h>

struct resample;

/* Rates from 8000 to 48000.  EINVAL for another, ENOMEM. */
int resample_alloc(struct resample **resamplep, unsigned in_rate, unsigned out_rate);

/* The most samples that a write of count and the chunk's end after it give. */
size_t resample_room(const struct resample *resample, size_t count);

/* Both give the number of samples written to out, which has room for them. */
size_t resample_write(struct resample *resample, int16_t *out, const int16_t *in, size_t count);
size_t resample_end_chunk(struct resample *resample, int16_t *out);

/* After a chunk's end: silence is heard before the next chunk, whose beginning
 * must not ring with what came before it.  Counting goes on. */
void resample_rest(struct resample *resample);

/* Drops this thread's tables; resamplers that live keep theirs.  For the end
 * of a thread, and for tests that count objects. */
void resample_forget(void);

#endif
