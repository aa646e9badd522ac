/*
 * onnx_weight.h: the numbers of a model's weights.
 */
#ifndef ENGINE_NEURAL_ONNX_WEIGHT_H
#define ENGINE_NEURAL_ONNX_WEIGHT_H

#include "engine/neural/onnx.h"

/* More of ONNX's numbers of element types. */
enum { ONNX_UINT8 = 2, ONNX_INT8 = 3 };

#define ONNX_WEIGHT_RANK_MAX 4

struct onnx_weight {
	int elem_type;
	unsigned rank;
	size_t dims[ONNX_WEIGHT_RANK_MAX];
	struct onnx_str raw; /* the numbers, in order, little-endian */
};

/* Finds a weight that is written as raw bytes, which are as many as its shape and its type need.
 * ENOENT: there is none of that name.  EINVAL: it is written otherwise, or has another type than
 * float or 8 bits. */
int onnx_weight_find(struct onnx_weight *weight, const struct onnx *onnx, struct onnx_str name);

/* Finds a weight that is one number, a float or one of 8 bits, however it is written.  ENOENT,
 * EINVAL. */
int onnx_weight_find_number(float *number, const struct onnx *onnx, struct onnx_str name);

#endif
