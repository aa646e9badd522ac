/*
 * cut.h: a VITS graph in four pieces, and where they join.
 *
 *   text      ids → mean and deviation of the latent, a column a frame, and
 *             how many frames each id lasts
 *   flow      a window of the latent → features
 *   head      a window of features → hidden columns, a few for each frame; it
 *             looks far to the sides and costs little
 *   tail      a window of those → samples, the same number for each frame; it
 *             looks at its neighbours only and costs most
 *
 * The random nodes of the graph are gone.  The one that varies durations (some
 * models have none) becomes an input of the text piece.  The other one's work
 * is the caller's: latent = mean + noise × deviation × noise_scale.  What the
 * later pieces need of the first besides (the speaker's vector, a mask over
 * frames) are its shared outputs and their inputs of the same name.
 *
 * Everything is found by what the nodes do, not by how an exporter happened to
 * name or number them.  Only the inputs of the whole have to have Piper's names:
 * input, input_lengths, scales and, with speakers, sid.
 */
#ifndef ENGINE_VITS_CUT_H
#define ENGINE_VITS_CUT_H

#include "engine/vits/onnx.h"

#define CUT_SHARED_MAX 4

struct cut_piece {
	char *bytes; /* a model of its own */
	size_t len;
	char *shared[CUT_SHARED_MAX]; /* names of the shared values that it takes */
	size_t shared_count;
};

/* An object of base/mem.h.  All values but the ids are floats. */
struct cut {
	struct cut_piece text, flow, head, tail; /* text.shared: what it gives to any other */
	char *duration_noise; /* the text piece's input: float [1, 2, ids]; NULL: it has none */
	char *durations; /* the text piece's outputs … */
	char *mean; /* float [1, channels, frames] */
	char *deviation; /* the same shape */
	char *latent; /* the flow's input, the same shape */
	char *latent_noise; /* what is added to the mean: the whole model's, for cut_none */
	char *features; /* the flow's output and the head's input */
	char *hidden; /* the head's output and the tail's input */
	char *output; /* the tail's output */
	bool has_speakers; /* the text piece takes `sid` */
};

/* Needs the index and its file only until it returns.
 * ENOTSUP: the graph is of another family, or was exported in a way that is not
 * understood; `why` says what was looked for.  ENOMEM. */
int cut_vits(struct cut **cutp, const struct onnx *onnx, char *why, size_t why_size);

/* The whole model with its random nodes as inputs, for comparing: the second
 * one's name is *latent_noisep.  Both are malloc'ed. */
int cut_none(const struct onnx *onnx, const struct cut *cut, char **bytesp, size_t *lenp,
	     char **latent_noisep);

/* Gives the pieces' bytes back once networks were made of them. */
void cut_drop_bytes(struct cut *cut);

#endif
