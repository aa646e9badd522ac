/*
 * embedding.h: the table with a column of numbers for each token of a decoder's vocabulary.
 *
 * The decoder reads the column of a token, and its output is compared with the columns of all tokens
 * to give each of them a score.  In models with 8-bit weights exporters write that comparison as
 *
 *     table → Transpose → DequantizeLinear → MatMul → logits
 *                                     output ↗
 *
 * which the runtime computes as it is written: in each step it turns the whole table into floats,
 * and that takes ten times as long as everything else.  Here, the table stays as it is, and the
 * multiplication converts its numbers on the way: the scores are the same floats.
 *
 * The object never changes after it was made.
 */
#ifndef ENGINE_HEAR_EMBEDDING_H
#define ENGINE_HEAR_EMBEDDING_H

#include <stddef.h>

#include "engine/neural/onnx.h"

struct embedding;

/* Finds the table of a graph in which `logits` are computed like this, and copies it into an object
 * of base/mem.h.  `output` becomes the value that is compared, float [1, tokens, width]; `column`
 * the value with the columns of the tokens that are read, of the same shape, or empty if it was not
 * found.  Both are names of the graph.  ENOTSUP: the scores are computed in another way.  ENOMEM. */
int embedding_find(struct embedding **embeddingp, const struct onnx *onnx, struct onnx_str *output,
		   struct onnx_str *column);

/* The number of tokens, and of the numbers in a column. */
size_t embedding_count(const struct embedding *embedding);
size_t embedding_width(const struct embedding *embedding);

/* Writes the column of a token, which is below the count. */
void embedding_column(const struct embedding *embedding, float *column, size_t token);

/* Writes the score of each token for an output of the decoder. */
void embedding_score(const struct embedding *embedding, float *scores, const float *output);

#endif
