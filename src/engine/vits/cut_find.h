/*
 * cut_find.h: where a VITS graph is cut.
 */
#ifndef ENGINE_VITS_CUT_FIND_H
#define ENGINE_VITS_CUT_FIND_H

#include "engine/vits/cut.h"

struct cut_values {
	struct onnx_str names[CUT_SHARED_MAX];
	size_t count;
};

/* The values at the joints, as the graph calls them. */
struct cut_joints {
	struct onnx_str duration_noise; /* empty: there is none */
	struct onnx_str latent_noise;
	struct onnx_str durations, mean, deviation;
	struct onnx_str latent, features, hidden, output;
	struct cut_values flow_takes, head_takes, tail_takes; /* of the text piece */
	bool has_speakers;
};

/* ENOTSUP with a reason, ENOMEM. */
int cut_find(struct cut_joints *joints, const struct onnx *onnx, char *why, size_t why_size);

#endif
