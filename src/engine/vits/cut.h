/*
 * cut.h: divides a VITS graph into four pieces.
 *
 *     text      ids → mean and deviation of the latent, one column per frame, and
 *               how many frames each id lasts
 *     flow      a window of the latent → features
 *     head      a window of features → hidden columns, a few for each frame; it
 *               depends on a wide context and costs little
 *     tail      a window of hidden columns → samples, the same number for each frame;
 *               it depends only on its neighbours and costs most
 *
 * The random nodes of the graph are removed. The one that varies durations, which some
 * models lack, becomes an input of the text piece. The caller does the work of the other:
 * latent = mean + noise × deviation × noise_scale. Other values of the text piece that the
 * later pieces need (the speaker's vector, a mask over frames) are its shared outputs and
 * their inputs of the same name.
 *
 * Everything is found by what the nodes compute, not by the names or numbers that an
 * exporter gave them. Only the inputs of the whole graph must have Piper's names: input,
 * input_lengths, scales and, with several speakers, sid.
 */
#ifndef ENGINE_VITS_CUT_H
#define ENGINE_VITS_CUT_H

#include "engine/neural/onnx.h"

#define CUT_SHARED_MAX 4

struct cut_piece {
	char *bytes; /* a complete ONNX model */
	size_t len;
	char *shared[CUT_SHARED_MAX]; /* names of the shared values that are its inputs */
	size_t shared_count;
};

/* An object of base/mem.h. All values except the ids are floats. */
struct cut {
	/* text.shared: all shared values that it outputs */
	struct cut_piece text, flow, head, tail;
	char *duration_noise; /* input of the text piece: float [1, 2, ids]; NULL: it has none */
	char *durations; /* output of the text piece */
	char *mean; /* output of the text piece: float [1, channels, frames] */
	char *deviation; /* output of the text piece, of the same shape as the mean */
	char *latent; /* input of the flow, of the same shape */
	/* The noise of the latent before it is scaled, in no piece; cut_none makes it an input. */
	char *latent_noise;
	char *features; /* output of the flow and input of the head */
	char *hidden; /* output of the head and input of the tail */
	char *output; /* output of the tail */
	bool has_speakers; /* the text piece has the input `sid` */
};

/* The index and its file are needed only during the call. ENOTSUP: the graph belongs to
 * another family or was exported in an unknown way; `why` says what was not found. ENOMEM. */
int cut_vits(struct cut **cutp, const struct onnx *onnx, char *why, size_t why_size);

/* Writes the whole model with its random nodes as inputs, for comparison with the pieces: `cut`
 * is the result of cut_vits, and *latent_noisep becomes the name of the latent's noise. The bytes
 * and the name are malloc'ed. */
int cut_none(const struct onnx *onnx, const struct cut *cut, char **bytesp, size_t *lenp,
	     char **latent_noisep);

/* Frees the pieces' bytes after networks were made of them. */
void cut_drop_bytes(struct cut *cut);

#endif
