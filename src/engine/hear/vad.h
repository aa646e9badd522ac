/*
 * vad.h: voice activity with Silero's detector: how probable it is that somebody speaks.
 *
 * The model scores one frame after another and passes what it remembers on to the next. All streams
 * share its weights, and each has its own memory. Frames of several streams are scored in one run,
 * because a frame alone costs mostly the calls around the computation.
 *
 * A detector never changes after it was opened. A memory belongs to one thread at a time.
 */
#ifndef ENGINE_HEAR_VAD_H
#define ENGINE_HEAR_VAD_H

#include <stddef.h>
#include <stdint.h>

#include "engine/neural/runtime.h"

/* Samples of a frame, at 16 kHz: 32 ms. */
#define VAD_FRAME 512u

/* The samples before a frame that are scored with it. */
#define VAD_CONTEXT 64u

/* The numbers that the model passes on. */
#define VAD_STATE 256u

/* The most frames of one run. */
#define VAD_BATCH_MAX 32u

/* What is remembered of a stream; all zeros at its beginning. */
struct vad_memory {
	float state[VAD_STATE];
	float context[VAD_CONTEXT];
};

struct vad;

/* An object of base/mem.h, from the bytes of a model, which are not needed afterwards. EINVAL: it is
 * not a detector, or the runtime refuses it; `why` is a reason for people. ENOMEM. */
int vad_open(struct vad **vadp, struct runtime *runtime, const void *bytes, size_t len,
	     char why[RUNTIME_WHY_SIZE]);

/* The next frame of a stream. */
struct vad_frame {
	struct vad_memory *memory;
	const int16_t *samples; /* VAD_FRAME of them */
	float probability; /* the result */
};

/* Scores the next frames of `count` different streams, at most VAD_BATCH_MAX. After an error the
 * memories are unchanged. */
int vad_score(const struct vad *vad, struct vad_frame *frames, size_t count,
	      char why[RUNTIME_WHY_SIZE]);

#endif
