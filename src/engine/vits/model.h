/*
 * model.h: a model that is loaded, and one utterance being made from it.
 *
 * A model is made on one thread and never changes: any number of threads can
 * have takes of it at once.  A take belongs to one thread.
 *
 * A take is made a window at a time: take_begin computes what must be known of
 * the whole utterance (how long each id lasts), take_decode the samples of the
 * next frames.  The samples do not depend on how the frames are divided into
 * windows, but for rounding, and are the same for the same key every time.
 */
#ifndef ENGINE_VITS_MODEL_H
#define ENGINE_VITS_MODEL_H

#include <stddef.h>
#include <stdint.h>

#include "engine/vits/model_file.h"
#include "engine/vits/noise.h"
#include "engine/vits/runtime.h"

struct model;
struct take;

/* Loads the graph of a file that was read.  `onnx` is needed only for the call.
 * ENOTSUP: a graph that is not understood; EINVAL: the runtime refuses it;
 * ENOMEM.  `why` is for people. */
int model_open(struct model **modelp, struct runtime *runtime, const struct onnx *onnx,
	       const struct model_file *file, char why[RUNTIME_WHY_SIZE]);

struct take_settings {
	const struct model_speaker *speaker;
	float noise_scale; /* variety of the sound */
	float length_scale; /* 2 is half as fast */
	float noise_w; /* variety of the rhythm */
	struct noise_key key;
};

/* How an utterance begins: durations are known, nothing is to be heard yet. */
int take_begin(struct take **takep, const struct model *model, const int64_t *ids, size_t id_count,
	       const struct take_settings *settings, char why[RUNTIME_WHY_SIZE]);

size_t take_frames(const struct take *take);
/* Samples that a frame has. */
size_t take_frame_len(const struct take *take);
/* For each id how many frames it lasts; NULL when the model does not tell. */
const float *take_durations(const struct take *take);

/* The samples of frames [from, to), each between -1 and 1 but for overshoot;
 * windows are asked for in order.  They are good until the next call.  EINVAL:
 * the runtime failed; ENOMEM. */
int take_decode(struct take *take, size_t from, size_t to, const float **samplesp,
		char why[RUNTIME_WHY_SIZE]);

#endif
