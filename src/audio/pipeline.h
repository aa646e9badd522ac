/*
 * pipeline.h: from an engine's samples to the bytes of a frame, for one turn.
 *
 *     s16 at the engine's rate
 *       → stretch   (only when the engine cannot change its own speed)
 *       → resample  (to the client's rate)
 *       → frame     (small at first, then growing)
 *       → encode    (µ-law, A-law; PCM16 for all others, whose encoders are slow
 *                    and run elsewhere: encoder.h)
 *
 * A chunk consists of parts, each of them the speech for one text. There may be silence
 * between parts, and the speed may change there.
 *
 * All stages keep their state over the parts of a turn, so there is no click at a seam and
 * no sample is lost or duplicated. After pipeline_end_part the number of samples made is
 * floor(samples in × ratio), counted over the turn, plus the silences. With stretching, each
 * stage is rounded down in turn, and the stretcher's count restarts when the speed changes.
 * How a part is divided into writes never changes a sample. Pure: no clock, no I/O.
 */
#ifndef AUDIO_PIPELINE_H
#define AUDIO_PIPELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "audio/format.h"

/* Frames of a turn last 20 ms, then 40, 80, 120, 160 and from then on this maximum: always a
 * multiple of 20 ms except for the last frame of a chunk. */
#define AUDIO_FRAME_MAX_MS 200

/* How much audio may wait for pipeline_next; an engine's message rarely holds a second. */
#define AUDIO_PENDING_MAX_S 30

struct pipeline;

/* stretch_speed is 0.25 to 4, used with four decimals; 1.0 means no stretching. EINVAL for an
 * unsupported rate or a speed out of range. */
int pipeline_alloc(struct pipeline **pipelinep, const struct audio_format *format,
		   double stretch_speed);

/* Takes samples at engine_rate (8000 to 48000; it may change only between parts, which
 * restarts the count). The caller fetches the result with pipeline_next before the next write.
 * EINVAL for an unsupported rate, ENOBUFS when more than AUDIO_PENDING_MAX_S would wait
 * (nothing was taken), ENOMEM. */
int pipeline_write(struct pipeline *pipeline, const int16_t *samples, size_t count,
		   unsigned engine_rate);

/* Called after the part's last sample was written: drains the tails of the filters. Whole
 * units of 20 ms can be fetched; a shorter rest waits for the next part. */
int pipeline_end_part(struct pipeline *pipeline);

/* Sets the speed of the parts that follow. EINVAL for a speed out of range, and inside a part. */
int pipeline_set_speed(struct pipeline *pipeline, double stretch_speed);

/* Inserts this many samples of silence at the client's rate between two parts, to be fetched
 * as at the end of a part. EINVAL inside a part, ENOBUFS as for pipeline_write, ENOMEM. */
int pipeline_silence(struct pipeline *pipeline, size_t samples);

/* Ends the chunk, and its last part if that is still open. */
int pipeline_end_chunk(struct pipeline *pipeline);

/* The next frame that is ready, encoded; false when more samples are needed. After
 * pipeline_end_chunk the rest of the chunk is its last frame, however short; a rest shorter
 * than 20 ms joins the previous frame if that one was not yet fetched. The bytes are valid
 * until the next call of any function of this pipeline. */
struct audio_frame {
	const uint8_t *bytes;
	size_t len;
	size_t samples;
};
bool pipeline_next(struct pipeline *pipeline, struct audio_frame *frame);

/* Samples returned so far, at the client's rate. */
uint64_t pipeline_samples_out(const struct pipeline *pipeline);

/* When sample n of a part (at the engine's rate) is heard, in samples at the client's rate
 * since the start of the turn. It refers to the part that ended last and never exceeds its
 * end. */
uint64_t pipeline_place(const struct pipeline *pipeline, uint64_t engine_sample,
			unsigned engine_rate);

#endif
