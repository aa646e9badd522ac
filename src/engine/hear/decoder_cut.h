/*
 * decoder_cut.h: cuts the graph of a merged decoder (see decoder.h).
 */
#ifndef ENGINE_HEAR_DECODER_CUT_H
#define ENGINE_HEAR_DECODER_CUT_H

#include "engine/hear/decoder.h"
#include "engine/hear/embedding.h"
#include "engine/neural/onnx.h"

/* The longest name of a value that a decoder keeps, with the number of its layer. */
#define DECODER_NAME_SIZE 64

/* The most shapes that keys and values depend on. */
#define DECODER_SHAPES_MAX (2 * DECODER_LAYERS_MAX)

/* An object of base/mem.h. */
struct decoder_cut {
	char *cross, *step; /* complete ONNX models */
	size_t cross_len, step_len;
	size_t layers;
	char *attention[DECODER_LAYERS_MAX]; /* outputs of the step */
	/* The table of tokens, if the step does not compute scores but `output`, with which the table
	 * gives them; otherwise NULL, and `output` is the scores. */
	struct embedding *table;
	char *output;
	char *column; /* input of the step: the token's column of the table; NULL if it has none */
	bool step_takes_tokens; /* it also has the input input_ids, which it always has otherwise */
	/* Inputs of `cross`: the shape of what the decoder computes from tokens, int64 [3] */
	char *shapes[DECODER_SHAPES_MAX];
	size_t shape_count;
	bool cross_takes_tokens; /* it also has the input input_ids */
};

/* The index and its file are needed only during the call. ENOTSUP: the graph is no merged decoder;
 * `why` says what was not found. ENOMEM. */
int decoder_cut(struct decoder_cut **cutp, const struct onnx *onnx, char why[RUNTIME_WHY_SIZE]);

/* Frees the models' bytes after networks were made of them. */
void decoder_cut_drop_bytes(struct decoder_cut *cut);

#endif
