/*
 * embedding.c: the table of a decoder's tokens (see embedding.h).
 */
#include "engine/hear/embedding.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "base/mem.h"
#include "engine/neural/onnx_weight.h"

/* Numbers that are multiplied beside each other, which compilers make vector instructions of. */
#define LANES 16

struct embedding {
	size_t count, width; /* the width is a multiple of LANES */
	float scale;
	int zero;
	/* A table of signed numbers is stored with 128 added to each. */
	uint8_t numbers[];
};

static const struct onnx_node *
embedding_maker(const struct onnx *onnx, const struct onnx_node *node, size_t input, const char *op)
{
	const struct onnx_node *maker =
		node && input < node->input_count ? onnx_maker(onnx, node->inputs[input]) : NULL;

	return maker && onnx_str_is(maker->op, op) && maker->input_count > 0 &&
			       maker->output_count == 1
		       ? maker
		       : NULL;
}

/* How a table becomes floats. */
struct embedding_scale {
	float scale, zero;
};

static int embedding_read_scale(struct embedding_scale *scale, const struct onnx *onnx,
				const struct onnx_node *dequantize)
{
	if (dequantize->input_count < 3 ||
	    onnx_weight_find_number(&scale->scale, onnx, dequantize->inputs[1]) != 0 ||
	    onnx_weight_find_number(&scale->zero, onnx, dequantize->inputs[2]) != 0)
		return ENOTSUP;
	return 0;
}

static int embedding_copy(struct embedding **embeddingp, const struct onnx_weight *table,
			  const struct embedding_scale *scale)
{
	size_t count = table->dims[0];
	size_t width = table->dims[1];
	uint8_t flip = table->elem_type == ONNX_INT8 ? 0x80 : 0;
	struct embedding *embedding = mem_zalloc(sizeof(*embedding) + count * width, NULL);

	if (!embedding)
		return ENOMEM;
	embedding->count = count;
	embedding->width = width;
	embedding->scale = scale->scale;
	embedding->zero = (int)scale->zero + flip;
	for (size_t i = 0; i < count * width; ++i)
		embedding->numbers[i] = (uint8_t)table->raw.bytes[i] ^ flip;
	*embeddingp = embedding;
	return 0;
}

/* Gather → DequantizeLinear, with the same table. */
static struct onnx_str embedding_find_column(const struct onnx *onnx, struct onnx_str table)
{
	for (size_t i = 0; i < onnx_node_count(onnx); ++i) {
		const struct onnx_node *node = onnx_node_at(onnx, i);
		const struct onnx_node *gather = embedding_maker(onnx, node, 0, "Gather");

		if (onnx_str_is(node->op, "DequantizeLinear") && node->output_count == 1 &&
		    gather && onnx_str_equal(gather->inputs[0], table) &&
		    onnx_node_int(gather, "axis", 0) == 0)
			return node->outputs[0];
	}
	return (struct onnx_str){0};
}

int embedding_find(struct embedding **embeddingp, const struct onnx *onnx, struct onnx_str *output,
		   struct onnx_str *column)
{
	const struct onnx_node *product =
		onnx_maker(onnx, (struct onnx_str){.bytes = "logits", .len = strlen("logits")});
	const struct onnx_node *dequantize;
	const struct onnx_node *transpose;
	struct embedding_scale scale;
	struct onnx_weight table;
	int err;

	/* A branch that took the place of an If gives its value the If's name like this. */
	if (product && onnx_str_is(product->op, "Identity"))
		product = embedding_maker(onnx, product, 0, "MatMul");
	if (!product || !onnx_str_is(product->op, "MatMul"))
		return ENOTSUP;
	dequantize = embedding_maker(onnx, product, 1, "DequantizeLinear");
	transpose = embedding_maker(onnx, dequantize, 0, "Transpose");
	if (!transpose || onnx_weight_find(&table, onnx, transpose->inputs[0]) != 0 ||
	    table.elem_type == ONNX_FLOAT || table.rank != 2 || table.dims[0] == 0 ||
	    table.dims[1] == 0 || table.dims[1] % LANES != 0)
		return ENOTSUP;
	err = embedding_read_scale(&scale, onnx, dequantize);
	if (!err)
		err = embedding_copy(embeddingp, &table, &scale);
	if (err)
		return err;
	*output = product->inputs[0];
	*column = embedding_find_column(onnx, transpose->inputs[0]);
	return 0;
}

size_t embedding_count(const struct embedding *embedding)
{
	return embedding->count;
}

size_t embedding_width(const struct embedding *embedding)
{
	return embedding->width;
}

void embedding_column(const struct embedding *embedding, float *column, size_t token)
{
	const uint8_t *numbers = embedding->numbers + token * embedding->width;

	for (size_t i = 0; i < embedding->width; ++i)
		column[i] = (float)((int)numbers[i] - embedding->zero) * embedding->scale;
}

void embedding_score(const struct embedding *embedding, float *scores, const float *output)
{
	float sum = 0;

	for (size_t i = 0; i < embedding->width; ++i)
		sum += output[i];
	for (size_t token = 0; token < embedding->count; ++token) {
		const uint8_t *numbers = embedding->numbers + token * embedding->width;
		float products[LANES] = {0};
		float product = 0;

		for (size_t i = 0; i < embedding->width; i += LANES)
			for (size_t k = 0; k < LANES; ++k)
				products[k] += (float)numbers[i + k] * output[i + k];
		for (size_t k = 0; k < LANES; ++k)
			product += products[k];
		scores[token] = (product - (float)embedding->zero * sum) * embedding->scale;
	}
}
