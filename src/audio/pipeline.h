/*
 * pipeline.h: from an engine's samples to the bytes of a frame, for one turn.
 *
 *   s16 at the engine's rate
 *     → stretch   (only when the engine has no speed of its own)
 *     → resample  (to the client's rate)
 *     → frame     (small first, then growing)
 *     → encode    (µ-law, A-law; PCM16 for all others, whose encoders are slow
 *                  and run elsewhere: encoder.h)
 *
 * A chunk is made of parts, each of them what an engine gives for one text;
 * between parts there may be silence, and the speed may change.
 *
 * All stages keep their state over the parts of a turn: no click at a seam,
 * not one sample lost or doubled.  After pipeline_end_part the samples made
 * are floor(samples in × ratio), counted over the turn, and the silences; with
 * stretching, the floor of each stage after the other, the stretcher's counted
 * anew when the speed has changed.  How a part is cut into writes never changes
 * a sample.  Pure: no clock, no I/O.
 */
#ifndef AUDIO_PIPELINE_H
#define AUDIO_PIPELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "audio/format.h"

/* Frames of a turn last 20 ms, then 40, 80, 120, 160 and from there on this
 * longest duration: always a multiple of 20 ms but for the last one of a chunk. */
#define AUDIO_FRAME_MAX_MS 200

/* Audio that may wait inside for pipeline_next; an engine's message is seldom
 * a second long. */
#define AUDIO_PENDING_MAX_S 30

struct pipeline;

/* stretch_speed (0.25 to 4, taken to four decimals) 1.0: no stretching.  EINVAL
 * for a rate that is none of ours and for a speed out of range. */
int pipeline_alloc(struct pipeline **pipelinep, const struct audio_format *format,
		   double stretch_speed);

/* Takes samples at engine_rate (8000 to 48000; it may change between parts
 * only, and counting starts anew then).  What becomes of them is fetched with
 * pipeline_next before the next write.  EINVAL for a bad rate, ENOBUFS when
 * more than AUDIO_PENDING_MAX_S would wait (nothing was taken), ENOMEM. */
int pipeline_write(struct pipeline *pipeline, const int16_t *samples, size_t count,
		   unsigned engine_rate);

/* The part's last sample was written: drains the filters' tails.  What is whole
 * in 20 ms can be fetched; a rest under that waits for the next part. */
int pipeline_end_part(struct pipeline *pipeline);

/* Between parts: the speed of those that follow.  EINVAL for one out of range
 * and inside a part. */
int pipeline_set_speed(struct pipeline *pipeline, double stretch_speed);

/* Between parts: so many samples of silence at the client's rate, to be fetched
 * as at a part's end.  EINVAL inside a part, ENOBUFS as pipeline_write has it,
 * ENOMEM. */
int pipeline_silence(struct pipeline *pipeline, size_t samples);

/* The chunk's last part has ended, or ends here. */
int pipeline_end_chunk(struct pipeline *pipeline);

/* The next frame that is ready, encoded; false when more samples are needed.
 * After pipeline_end_chunk the rest of the chunk comes out as its last frame,
 * however short; a rest under 20 ms joins the frame before it if that is still
 * here.  The bytes are valid until the next call. */
struct audio_frame {
	const uint8_t *bytes;
	size_t len;
	size_t samples;
};
bool pipeline_next(struct pipeline *pipeline, struct audio_frame *frame);

/* Samples given out so far at the client's rate. */
uint64_t pipeline_samples_out(const struct pipeline *pipeline);

/* Where sample n of a part (at the engine's rate) is heard, in samples at the
 * client's rate since the turn's start.  Of the part that has ended last, and
 * never beyond its end. */
uint64_t pipeline_place(const struct pipeline *pipeline, uint64_t engine_sample,
			unsigned engine_rate);

#endif
