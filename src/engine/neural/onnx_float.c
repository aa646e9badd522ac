/*
 * onnx_float.c: replaces the quantised convolutions of a model with floats (see
 * onnx_float.h).
 *
 * Exporters write such a convolution like this; some omit the bias:
 *
 *     x → DynamicQuantizeLinear → ConvInteger → Add → Cast → Mul → y
 *                 ↓ scale           ↑ weight     ↑            ↑
 *                 └── Mul ← weight's scale    bias / scale    scale of both
 *
 * The last Mul becomes Conv(x, DequantizeLinear(weight), bias). All its inputs are computed
 * before it, so the order of nodes remains valid.
 */
#include "engine/neural/onnx_float.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/neural/onnx_private.h"

/* A convolution to be replaced. */
struct conv {
	const struct onnx_node *integer; /* has the attributes of the convolution */
	struct onnx_str x;
	struct onnx_str weight, scale, zero; /* zero may be empty, which means 0 */
	struct onnx_str bias; /* empty: no bias */
	struct onnx_str y; /* empty: this node is not replaced */
	size_t at;
};

struct rewrite {
	const struct onnx *onnx;
	struct conv *convs; /* indexed by node */
};

static const struct onnx_node *onnx_float_made_by(const struct onnx *onnx,
						  const struct onnx_node *node, size_t input,
						  const char *op)
{
	const struct onnx_node *maker =
		node && input < node->input_count ? onnx_maker(onnx, node->inputs[input]) : NULL;

	return maker && onnx_str_is(maker->op, op) && maker->input_count > 0 ? maker : NULL;
}

#define NO_WEIGHT SIZE_MAX

/* The number of dimensions of a weight; NO_WEIGHT when it is not a weight. */
static size_t onnx_float_weight_rank(const struct onnx *onnx, struct onnx_str name)
{
	struct protobuf_reader reader;
	struct protobuf_field field;
	size_t rank = 0;
	uint32_t at;

	if (!onnx_look_up(onnx, name, ONNX_WEIGHT, &at))
		return NO_WEIGHT;
	reader = protobuf_reader(onnx->weights[at].message);
	while (protobuf_next(&reader, &field) == 0) {
		if (field.number != TENSOR_DIM)
			continue;
		if (field.kind == PROTOBUF_NUMBER)
			++rank;
		for (size_t i = 0; field.kind == PROTOBUF_BYTES && i < field.bytes.len; ++i)
			rank += !(field.bytes.bytes[i] & 0x80); /* the last byte of a number */
	}
	return rank;
}

/* Whether both inputs of a quantised convolution, values and zero point, come from `quantise`. */
static bool onnx_float_takes_quantised(const struct onnx_node *integer,
				       const struct onnx_node *quantise)
{
	return quantise->output_count == 3 && integer->input_count >= 3 &&
	       onnx_str_equal(integer->inputs[0], quantise->outputs[0]) &&
	       onnx_str_equal(integer->inputs[2], quantise->outputs[2]);
}

static bool onnx_float_find_weight(struct conv *conv, const struct onnx *onnx,
				   const struct onnx_node *scales, const struct onnx_node *quantise)
{
	const struct onnx_node *integer = conv->integer;
	size_t k;

	if (!scales || scales->input_count != 2)
		return false;
	k = onnx_str_equal(scales->inputs[0], quantise->outputs[1]) ? 1 : 0;
	if (!onnx_str_equal(scales->inputs[1 - k], quantise->outputs[1]))
		return false;
	conv->x = quantise->inputs[0];
	conv->weight = integer->inputs[1];
	conv->scale = scales->inputs[k];
	if (integer->input_count > 3)
		conv->zero = integer->inputs[3];
	/* Only a single scale for the whole weight is supported. */
	return onnx_float_weight_rank(onnx, conv->weight) != NO_WEIGHT &&
	       onnx_float_weight_rank(onnx, conv->scale) == 0 &&
	       (conv->zero.len == 0 || onnx_float_weight_rank(onnx, conv->zero) == 0);
}

/* Reshape(Cast(Floor(bias / scale))). */
static bool onnx_float_find_bias(struct conv *conv, const struct onnx *onnx,
				 const struct onnx_node *add, size_t input, struct onnx_str scale)
{
	const struct onnx_node *node = onnx_float_made_by(onnx, add, input, "Reshape");

	node = onnx_float_made_by(onnx, node, 0, "Cast");
	node = onnx_float_made_by(onnx, node, 0, "Floor");
	node = onnx_float_made_by(onnx, node, 0, "Div");
	if (!node || node->input_count != 2 || !onnx_str_equal(node->inputs[1], scale))
		return false;
	conv->bias = node->inputs[0];
	return onnx_float_weight_rank(onnx, conv->bias) == 1;
}

/* Whether a Mul with the integers as its input `k` ends a convolution. */
static bool onnx_float_match(struct conv *conv, const struct onnx *onnx,
			     const struct onnx_node *mul, size_t k)
{
	const struct onnx_node *cast = onnx_float_made_by(onnx, mul, k, "Cast");
	const struct onnx_node *add = onnx_float_made_by(onnx, cast, 0, "Add");
	const struct onnx_node *scales = onnx_float_made_by(onnx, mul, 1 - k, "Mul");
	const struct onnx_node *quantise;

	*conv = (struct conv){0};
	conv->integer = onnx_float_made_by(onnx, cast, 0, "ConvInteger");
	for (size_t i = 0; add && i < 2 && !conv->integer; ++i) {
		conv->integer = onnx_float_made_by(onnx, add, i, "ConvInteger");
		if (conv->integer &&
		    !onnx_float_find_bias(conv, onnx, add, 1 - i, mul->inputs[1 - k]))
			return false;
	}
	quantise = onnx_float_made_by(onnx, conv->integer, 0, "DynamicQuantizeLinear");
	if (!quantise || !onnx_float_takes_quantised(conv->integer, quantise) ||
	    !onnx_float_find_weight(conv, onnx, scales, quantise))
		return false;
	conv->y = mul->outputs[0];
	return true;
}

static size_t onnx_float_find_convs(const struct rewrite *rewrite)
{
	const struct onnx *onnx = rewrite->onnx;
	size_t count = 0;

	for (size_t i = 0; i < onnx->node_count; ++i) {
		const struct onnx_node *node = &onnx->nodes[i];
		struct conv conv;

		if (!onnx_str_is(node->op, "Mul") || node->input_count != 2 ||
		    node->output_count != 1)
			continue;
		if (!onnx_float_match(&conv, onnx, node, 0) &&
		    !onnx_float_match(&conv, onnx, node, 1))
			continue;
		conv.at = i;
		rewrite->convs[i] = conv;
		++count;
	}
	return count;
}

static void onnx_float_write_string(struct protobuf_writer *writer, uint32_t number,
				    const char *string)
{
	protobuf_write_bytes(writer, number,
			     (struct onnx_str){.bytes = string, .len = strlen(string)});
}

/* The name of the weight as floats, chosen so that it does not occur in models. */
static void onnx_float_write_weight_name(struct protobuf_writer *writer, uint32_t number,
					 const struct conv *conv)
{
	char name[48];

	snprintf(name, sizeof(name), "syrinx weight %zu", conv->at);
	onnx_float_write_string(writer, number, name);
}

static void onnx_float_write_dequantise(struct protobuf_writer *writer, const void *arg)
{
	const struct conv *conv = arg;

	protobuf_write_bytes(writer, NODE_INPUT, conv->weight);
	protobuf_write_bytes(writer, NODE_INPUT, conv->scale);
	if (conv->zero.len > 0)
		protobuf_write_bytes(writer, NODE_INPUT, conv->zero);
	onnx_float_write_weight_name(writer, NODE_OUTPUT, conv);
	onnx_float_write_string(writer, NODE_OP, "DequantizeLinear");
}

static void onnx_float_write_conv(struct protobuf_writer *writer, const void *arg)
{
	const struct conv *conv = arg;
	struct protobuf_reader reader = protobuf_reader(conv->integer->message);
	struct protobuf_field field;

	protobuf_write_bytes(writer, NODE_INPUT, conv->x);
	onnx_float_write_weight_name(writer, NODE_INPUT, conv);
	if (conv->bias.len > 0)
		protobuf_write_bytes(writer, NODE_INPUT, conv->bias);
	protobuf_write_bytes(writer, NODE_OUTPUT, conv->y);
	onnx_float_write_string(writer, NODE_OP, "Conv");
	while (protobuf_next(&reader, &field) == 0)
		if (field.number == NODE_ATTRIBUTE)
			protobuf_write_raw(writer, field.whole);
}

static void onnx_float_write_graph(struct protobuf_writer *writer, const void *arg)
{
	const struct rewrite *rewrite = arg;
	struct protobuf_reader reader = protobuf_reader(rewrite->onnx->graph);
	struct protobuf_field field;
	size_t node = 0;

	while (protobuf_next(&reader, &field) == 0) {
		const struct conv *conv = NULL;

		if (field.number == GRAPH_NODE)
			conv = &rewrite->convs[node++];
		if (conv && conv->y.len > 0) {
			protobuf_write_message(writer, GRAPH_NODE, onnx_float_write_dequantise,
					       conv);
			protobuf_write_message(writer, GRAPH_NODE, onnx_float_write_conv, conv);
		} else {
			protobuf_write_raw(writer, field.whole);
		}
	}
	assert(node == rewrite->onnx->node_count);
}

static void onnx_float_write_model(struct protobuf_writer *writer, const struct rewrite *rewrite)
{
	struct protobuf_reader reader = protobuf_reader(rewrite->onnx->file);
	struct protobuf_field field;

	while (protobuf_next(&reader, &field) == 0)
		if (field.number != MODEL_GRAPH)
			protobuf_write_raw(writer, field.whole);
	protobuf_write_message(writer, MODEL_GRAPH, onnx_float_write_graph, rewrite);
}

int onnx_float_convolutions(const struct onnx *onnx, char **bytesp, size_t *lenp, size_t *countp)
{
	struct rewrite rewrite = {.onnx = onnx};
	struct protobuf_writer size = {0};
	struct protobuf_writer writer = {0};

	rewrite.convs = calloc(onnx->node_count + 1, sizeof(*rewrite.convs));
	if (!rewrite.convs)
		return ENOMEM;
	*countp = onnx_float_find_convs(&rewrite);
	*bytesp = NULL;
	*lenp = 0;
	if (*countp > 0) {
		onnx_float_write_model(&size, &rewrite);
		writer.bytes = malloc(size.len);
		if (writer.bytes)
			onnx_float_write_model(&writer, &rewrite);
		*bytesp = writer.bytes;
		*lenp = writer.len;
	}
	free(rewrite.convs);
	return *countp > 0 && !*bytesp ? ENOMEM : 0;
}
