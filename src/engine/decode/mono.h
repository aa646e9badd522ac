/*
 * mono.h: turns audio of any rate and number of channels into the samples that are listened to:
 * 16 bits, one channel, 16 kHz.
 *
 * The channels are averaged. Rates that the resampler does not have are halved or doubled until it
 * has them. n seconds of input give n seconds of output, rounded down to whole samples.
 */
#ifndef ENGINE_DECODE_MONO_H
#define ENGINE_DECODE_MONO_H

#include <stddef.h>
#include <stdint.h>

#define MONO_RATE 16000u

/* Below the least of these nobody understands speech, and no recorder writes more than the greatest. */
#define MONO_RATE_MIN 1000u
#define MONO_RATE_MAX 768000u

#define MONO_FRAMES_MAX 1024u /* frames that may be written at once */

/* The samples that one call returns at most: each frame of the lowest rate gives 16, and what the
 * resamplers kept back before is far below a thousand. */
#define MONO_SAMPLES_MAX (16u * MONO_FRAMES_MAX + 1024u)

struct mono;

/* EINVAL for a rate out of range or no channel, ENOMEM. */
int mono_alloc(struct mono **monop, unsigned rate, unsigned channels);

/* Converts `count` frames of interleaved channels, in which 1 is full scale; what is beyond is
 * clipped, and what is not a number is silence. Returns the number of samples written to `out`, which
 * has room for MONO_SAMPLES_MAX. */
size_t mono_write(struct mono *mono, int16_t *out, const float *frames, size_t count);

/* The same for the samples that were kept back, at the end. */
size_t mono_end(struct mono *mono, int16_t *out);

#endif
