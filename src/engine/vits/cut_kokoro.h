/*
 * cut_kokoro.h: a Kokoro graph, made ready to be run.
 *
 * Nothing is cut off: its decoder looks at the whole utterance.  What changes
 * are its ends.  How long each id lasts, which the graph computes on its way,
 * becomes an output; and random nodes, which some exports have, become inputs
 * that are given silence, so that the same text always sounds the same.  And
 * where it is quantised its convolutions are done in floats (onnx_float.h).
 */
#ifndef ENGINE_VITS_CUT_KOKORO_H
#define ENGINE_VITS_CUT_KOKORO_H

#include "engine/vits/onnx.h"

/* Random nodes of one graph.  Exports that have any have three. */
#define CUT_KOKORO_NOISES_MAX 8

/* Dimensions of one: what a tensor has room for (runtime.h). */
#define CUT_KOKORO_RANK_MAX 4

/* A random value.  It is added to sines, or scaled by what is: one zero stands
 * for all of its numbers, so that nobody needs to know how many there are. */
struct cut_kokoro_noise {
	char *name;
	unsigned rank;
};

/* An object of base/mem.h. */
struct cut_kokoro {
	char *bytes; /* a model of its own */
	size_t len;
	char *ids; /* its inputs: int64 [1, ids] */
	char *style; /* float [1, numbers] */
	char *speed; /* float [1] */
	struct cut_kokoro_noise noises[CUT_KOKORO_NOISES_MAX];
	size_t noise_count;
	char *samples; /* its outputs: float */
	char *durations; /* float [1, ids], in some unit; NULL: not found */
};

/* Needs the index and its file only until it returns.
 * ENOTSUP: the graph is of another family; `why` says what it lacks.  ENOMEM. */
int cut_kokoro(struct cut_kokoro **cutp, const struct onnx *onnx, char *why, size_t why_size);

/* Gives the bytes back once a network was made of them. */
void cut_kokoro_drop_bytes(struct cut_kokoro *cut);

#endif
