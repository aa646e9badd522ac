/*
 * model.h: a loaded model, and one utterance synthesized with it.
 *
 * A model is loaded on one thread and never changes afterwards: any number of threads can
 * have takes of it at once. A take, one utterance being synthesized, belongs to one thread.
 * Both are objects of base/mem.h; a model must outlive its takes.
 *
 * A take is computed one window at a time: take_begin computes what must be known about the
 * whole utterance (how long each id lasts), take_decode the samples of the next frames.
 * Except for rounding, the samples do not depend on how the frames are divided into windows,
 * and they are always the same for the same key.
 */
#ifndef ENGINE_VITS_MODEL_H
#define ENGINE_VITS_MODEL_H

#include <stddef.h>
#include <stdint.h>

#include "engine/neural/runtime.h"
#include "engine/vits/model_file.h"
#include "engine/vits/noise.h"

struct model;
struct take;

/* Loads the graph of a model file. `onnx` is needed only during the call; `file` must outlive the
 * model, which may refer to its speakers. ENOTSUP: the graph is not understood; EINVAL: the
 * runtime refuses it; ENOMEM. `why` is a reason to show to people. */
int model_open(struct model **modelp, struct runtime *runtime, const struct onnx *onnx,
	       const struct model_file *file, char why[RUNTIME_WHY_SIZE]);

struct take_settings {
	const struct model_speaker *speaker; /* one of the model file's own */
	float noise_scale; /* how much the sound varies */
	float length_scale; /* 2 is half the speed */
	float noise_w; /* how much the rhythm varies */
	struct noise_key key;
};

/* Begins an utterance: afterwards its durations are known, but none of its samples. The ids are
 * needed only during the call. EINVAL: the runtime failed; ENOMEM. */
int take_begin(struct take **takep, const struct model *model, const int64_t *ids, size_t id_count,
	       const struct take_settings *settings, char why[RUNTIME_WHY_SIZE]);

size_t take_frames(const struct take *take);
/* The number of samples in a frame. */
size_t take_frame_len(const struct take *take);
/* For each id how many frames it lasts; NULL when the model does not report it. Valid as long as
 * the take. */
const float *take_durations(const struct take *take);

/* The samples of frames [from, to), between -1 and 1 except for overshoot. Windows must be
 * requested in order. The samples are valid until the next call. EINVAL: the runtime failed;
 * ENOMEM. */
int take_decode(struct take *take, size_t from, size_t to, const float **samplesp,
		char why[RUNTIME_WHY_SIZE]);

#endif
