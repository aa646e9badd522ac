/*
 * cut_find.h: finds the values at which a VITS graph is divided.
 */
#ifndef ENGINE_VITS_CUT_FIND_H
#define ENGINE_VITS_CUT_FIND_H

#include "engine/vits/cut.h"

struct cut_values {
	struct onnx_str names[CUT_SHARED_MAX];
	size_t count;
};

/* The values between the pieces, by their names in the graph. */
struct cut_joints {
	struct onnx_str duration_noise; /* empty: the graph has none */
	struct onnx_str latent_noise;
	struct onnx_str durations, mean, deviation;
	struct onnx_str latent, features, hidden, output;
	struct cut_values flow_takes, head_takes, tail_takes; /* shared values of the text piece */
	bool has_speakers;
};

/* ENOTSUP with a reason in `why`, ENOMEM. */
int cut_find(struct cut_joints *joints, const struct onnx *onnx, char *why, size_t why_size);

#endif
