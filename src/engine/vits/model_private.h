/*
 * model_private.h: the functions that a family of models implements (see model.h).
 *
 * The objects of a family begin with these structs.
 */
#ifndef ENGINE_VITS_MODEL_PRIVATE_H
#define ENGINE_VITS_MODEL_PRIVATE_H

#include "engine/vits/model.h"

struct model_family_ops {
	int (*open)(struct model **modelp, struct runtime *runtime, const struct onnx *onnx,
		    const struct model_file *file, char why[RUNTIME_WHY_SIZE]);
	int (*begin)(struct take **takep, const struct model *model, const int64_t *ids,
		     size_t id_count, const struct take_settings *settings,
		     char why[RUNTIME_WHY_SIZE]);
	int (*decode)(struct take *take, size_t from, size_t to, const float **samplesp,
		      char why[RUNTIME_WHY_SIZE]);
};

extern const struct model_family_ops model_vits;
extern const struct model_family_ops model_kokoro;

struct model {
	const struct model_family_ops *family;
};

struct take {
	const struct model *model;
	size_t frames;
	size_t frame_len;
	const float *durations; /* of each id; NULL: not known */
};

#endif
