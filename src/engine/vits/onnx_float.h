/*
 * onnx_float.h: convolutions of a quantised model, in floats.
 *
 * Quantising makes a model's file small, and some of it faster.  Convolutions
 * over 8-bit numbers are not: ONNX Runtime has no fast ones, and finding the
 * range of their input costs, too.  With floats instead Kokoro takes three
 * fifths of the time.  The weights stay as they are in the file; the runtime
 * turns them into floats.
 */
#ifndef ENGINE_VITS_ONNX_FLOAT_H
#define ENGINE_VITS_ONNX_FLOAT_H

#include "engine/vits/onnx.h"

/* Writes the model with such convolutions replaced; *countp says how many.  With
 * none there are no bytes.  What was replaced is still in the model, used by
 * nothing: onnx_extract leaves it out.  The bytes are malloc'ed.  ENOMEM. */
int onnx_float_convolutions(const struct onnx *onnx, char **bytesp, size_t *lenp, size_t *countp);

#endif
