/*
 * cut_kokoro.h: prepares a Kokoro graph for running.
 *
 * The graph is not divided, because its decoder depends on the whole utterance; only its
 * inputs and outputs change. The duration of each id, which the graph computes internally,
 * becomes an output. Random nodes, which some exports have, become inputs that are given
 * zeros, so that the same text always sounds the same. Quantised convolutions are computed
 * with floats (onnx_float.h).
 */
#ifndef ENGINE_VITS_CUT_KOKORO_H
#define ENGINE_VITS_CUT_KOKORO_H

#include "engine/neural/onnx.h"

/* Random nodes of one graph. Exports that have any have three. */
#define CUT_KOKORO_NOISES_MAX 8

/* Dimensions of a random value: as many as a tensor can have (runtime.h). */
#define CUT_KOKORO_RANK_MAX 4

/* A random value. It is added to sines, or scaled by a value that is: a single zero is
 * broadcast to all of its numbers, so their count need not be known. */
struct cut_kokoro_noise {
	char *name;
	unsigned rank;
};

/* An object of base/mem.h. */
struct cut_kokoro {
	char *bytes; /* a complete ONNX model */
	size_t len;
	char *ids; /* input: int64 [1, ids] */
	char *style; /* input: float [1, numbers] */
	char *speed; /* input: float [1] */
	struct cut_kokoro_noise noises[CUT_KOKORO_NOISES_MAX];
	size_t noise_count;
	char *samples; /* output: float */
	char *durations; /* output: float [1, ids], in an unspecified unit; NULL: not found */
};

/* The index and its file are needed only during the call. ENOTSUP: the graph belongs to
 * another family; `why` says what it lacks. ENOMEM. */
int cut_kokoro(struct cut_kokoro **cutp, const struct onnx *onnx, char *why, size_t why_size);

/* Frees the bytes after a network was made of them. */
void cut_kokoro_drop_bytes(struct cut_kokoro *cut);

#endif
