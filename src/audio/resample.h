/*
 * resample.h: converts one sample rate to another, over the chunks of a turn.
 *
 * Output sample n is the input at time n × in_rate ÷ out_rate. There is no delay, only a
 * look-ahead of at most 5 ms, which the end of a chunk fills with zeros. After every
 * resample_end_chunk exactly floor(samples in × out_rate ÷ in_rate) samples have been
 * returned since the start; the next chunk continues with the phase and the past samples as
 * if there were no seam. How the input is divided into writes never changes a sample. With
 * equal rates the output is the input.
 *
 * Filter tables are shared by all resamplers of a thread and are kept when the last of them
 * is freed, because the next turn usually needs the same.
 */
#ifndef AUDIO_RESAMPLE_H
#define AUDIO_RESAMPLE_H

#include <stddef.h>
#include <stdint.h>

struct resample;

/* Rates are 8000 to 48000. EINVAL for another, ENOMEM. */
int resample_alloc(struct resample **resamplep, unsigned in_rate, unsigned out_rate);

/* The largest number of samples that a write of count and the end of the chunk after it
 * return. */
size_t resample_room(const struct resample *resample, size_t count);

/* Both return the number of samples written to out, which must have room for them. */
size_t resample_write(struct resample *resample, int16_t *out, const int16_t *in, size_t count);
size_t resample_end_chunk(struct resample *resample, int16_t *out);

/* Called after the end of a chunk when silence is heard before the next one, whose beginning
 * must not ring with earlier samples. The count continues. */
void resample_rest(struct resample *resample);

/* Frees this thread's tables; existing resamplers keep theirs. For the end of a thread, and
 * for tests that count objects. */
void resample_forget(void);

#endif
