/*
 * onnx_float.h: replaces the quantised convolutions of a model with floats.
 *
 * Quantising makes a model's file small and parts of it faster, but not convolutions: ONNX
 * Runtime has no fast 8-bit ones, and finding the range of their input also costs time. With
 * floats instead, Kokoro takes three fifths of the time. The weights remain as they are in
 * the file; the runtime converts them to floats.
 */
#ifndef ENGINE_NEURAL_ONNX_FLOAT_H
#define ENGINE_NEURAL_ONNX_FLOAT_H

#include "engine/neural/onnx.h"

/* Writes the model with such convolutions replaced; *countp is their number. With none, no
 * bytes are returned. The replaced nodes remain in the model unused; onnx_extract removes
 * them. The bytes are malloc'ed. ENOMEM. */
int onnx_float_convolutions(const struct onnx *onnx, char **bytesp, size_t *lenp, size_t *countp);

#endif
