/*
 * pipeline.h: from an engine's samples to the bytes of a frame, for one turn.
 *
 *   s16 at the engine's rate
 *     → stretch   (only when the engine has no speed of its own)
 *     → resample  (to the client's rate)
 *     → frame     (small first, then growing)
 *     → encode    (PCM16, µ-law, A-law)
 *
 * All stages keep their state over the chunks of a turn: no click at a seam,
 * not one sample lost or doubled.  After pipeline_end_chunk the samples out
 * are floor(samples in × ratio), counted over the turn.  Pure: no clock, no I/O.
 */
#ifndef AUDIO_PIPELINE_H
#define AUDIO_PIPELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum audio_encoding { AUDIO_PCM16, AUDIO_MULAW, AUDIO_ALAW };

struct audio_format {
	enum audio_encoding encoding;
	unsigned sample_rate; /* 8000, 16000, 22050, 24000, 44100 */
};

/* A frame's longest duration; the first of a turn is 20 ms. */
#define AUDIO_FRAME_MAX_MS 200

struct pipeline;

/* stretch_speed 1.0: no stretching.  EINVAL for a rate that is none of ours. */
int pipeline_alloc(struct pipeline **pipelinep, const struct audio_format *format,
		   double stretch_speed);

/* Takes samples at engine_rate (8000 to 48000; it may change between chunks
 * only).  What becomes of them is fetched with pipeline_next before the next
 * write.  EINVAL for a bad rate, ENOMEM. */
int pipeline_write(struct pipeline *pipeline, const int16_t *samples, size_t count,
		   unsigned engine_rate);

/* The chunk's last sample was written: drains the filters' tails. */
int pipeline_end_chunk(struct pipeline *pipeline);

/* The next frame that is ready, encoded; false when more samples are needed.
 * After pipeline_end_chunk the rest of the chunk comes out as its last frame,
 * however short.  The bytes are valid until the next call. */
struct audio_frame {
	const uint8_t *bytes;
	size_t len;
	size_t samples;
};
bool pipeline_next(struct pipeline *pipeline, struct audio_frame *frame);

/* Samples given out so far at the client's rate. */
uint64_t pipeline_samples_out(const struct pipeline *pipeline);

/* Where sample n of the current chunk (at the engine's rate) is heard, in
 * milliseconds from the chunk's start. */
unsigned pipeline_chunk_ms(const struct pipeline *pipeline, uint64_t engine_sample,
			   unsigned engine_rate);

#endif
