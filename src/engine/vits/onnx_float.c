/*
 * onnx_float.c: convolutions of a quantised model, in floats (see onnx_float.h).
 *
 * Exporters write such a convolution so, the bias being left out by some:
 *
 *   x → DynamicQuantizeLinear → ConvInteger → Add → Cast → Mul → y
 *               ↓ scale           ↑ weight     ↑            ↑
 *               └── Mul ← weight's scale    bias / scale    scale of both
 *
 * The last Mul becomes Conv(x, DequantizeLinear(weight), bias).  All that it
 * needs is made before it, so the order of nodes stays right.
 */
#include "engine/vits/onnx_float.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/vits/onnx_private.h"

/* A convolution that was found. */
struct conv {
	const struct onnx_node *integer; /* its attributes */
	struct onnx_str x;
	struct onnx_str weight, scale, zero; /* zero may be empty: it is 0 */
	struct onnx_str bias; /* empty: there is none */
	struct onnx_str y; /* empty: this node stays what it is */
	size_t at;
};

struct rewrite {
	const struct onnx *onnx;
	struct conv *convs; /* of each node */
};

static const struct onnx_node *made_by(const struct onnx *onnx, const struct onnx_node *node,
				       size_t input, const char *op)
{
	const struct onnx_node *maker =
		node && input < node->input_count ? onnx_maker(onnx, node->inputs[input]) : NULL;

	return maker && onnx_str_is(maker->op, op) && maker->input_count > 0 ? maker : NULL;
}

#define NO_WEIGHT SIZE_MAX

/* Dimensions of a weight; NO_WEIGHT: it is none. */
static size_t weight_rank(const struct onnx *onnx, struct onnx_str name)
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

/* The input of a quantised convolution is `quantise`'s: values and zero point. */
static bool takes_quantised(const struct onnx_node *integer, const struct onnx_node *quantise)
{
	return quantise->output_count == 3 && integer->input_count >= 3 &&
	       onnx_str_equal(integer->inputs[0], quantise->outputs[0]) &&
	       onnx_str_equal(integer->inputs[2], quantise->outputs[2]);
}

static bool find_weight(struct conv *conv, const struct onnx *onnx, const struct onnx_node *scales,
			const struct onnx_node *quantise)
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
	/* One scale for the whole weight: with more it would matter for what. */
	return weight_rank(onnx, conv->weight) != NO_WEIGHT &&
	       weight_rank(onnx, conv->scale) == 0 &&
	       (conv->zero.len == 0 || weight_rank(onnx, conv->zero) == 0);
}

/* Reshape(Cast(Floor(bias / scale))). */
static bool find_bias(struct conv *conv, const struct onnx *onnx, const struct onnx_node *add,
		      size_t input, struct onnx_str scale)
{
	const struct onnx_node *node = made_by(onnx, add, input, "Reshape");

	node = made_by(onnx, node, 0, "Cast");
	node = made_by(onnx, node, 0, "Floor");
	node = made_by(onnx, node, 0, "Div");
	if (!node || node->input_count != 2 || !onnx_str_equal(node->inputs[1], scale))
		return false;
	conv->bias = node->inputs[0];
	return weight_rank(onnx, conv->bias) == 1;
}

/* Whether a Mul whose input `k` are the whole numbers ends a convolution. */
static bool match(struct conv *conv, const struct onnx *onnx, const struct onnx_node *mul, size_t k)
{
	const struct onnx_node *cast = made_by(onnx, mul, k, "Cast");
	const struct onnx_node *add = made_by(onnx, cast, 0, "Add");
	const struct onnx_node *scales = made_by(onnx, mul, 1 - k, "Mul");
	const struct onnx_node *quantise;

	*conv = (struct conv){0};
	conv->integer = made_by(onnx, cast, 0, "ConvInteger");
	for (size_t i = 0; add && i < 2 && !conv->integer; ++i) {
		conv->integer = made_by(onnx, add, i, "ConvInteger");
		if (conv->integer && !find_bias(conv, onnx, add, 1 - i, mul->inputs[1 - k]))
			return false;
	}
	quantise = made_by(onnx, conv->integer, 0, "DynamicQuantizeLinear");
	if (!quantise || !takes_quantised(conv->integer, quantise) ||
	    !find_weight(conv, onnx, scales, quantise))
		return false;
	conv->y = mul->outputs[0];
	return true;
}

static size_t find_convs(const struct rewrite *rewrite)
{
	const struct onnx *onnx = rewrite->onnx;
	size_t count = 0;

	for (size_t i = 0; i < onnx->node_count; ++i) {
		const struct onnx_node *node = &onnx->nodes[i];
		struct conv conv;

		if (!onnx_str_is(node->op, "Mul") || node->input_count != 2 ||
		    node->output_count != 1)
			continue;
		if (!match(&conv, onnx, node, 0) && !match(&conv, onnx, node, 1))
			continue;
		conv.at = i;
		rewrite->convs[i] = conv;
		++count;
	}
	return count;
}

static void write_string(struct protobuf_writer *writer, uint32_t number, const char *string)
{
	protobuf_write_bytes(writer, number,
			     (struct onnx_str){.bytes = string, .len = strlen(string)});
}

/* The weight as floats; no exporter would think of this name. */
static void write_weight_name(struct protobuf_writer *writer, uint32_t number,
			      const struct conv *conv)
{
	char name[48];

	snprintf(name, sizeof(name), "syrinx weight %zu", conv->at);
	write_string(writer, number, name);
}

static void write_dequantise(struct protobuf_writer *writer, const void *arg)
{
	const struct conv *conv = arg;

	protobuf_write_bytes(writer, NODE_INPUT, conv->weight);
	protobuf_write_bytes(writer, NODE_INPUT, conv->scale);
	if (conv->zero.len > 0)
		protobuf_write_bytes(writer, NODE_INPUT, conv->zero);
	write_weight_name(writer, NODE_OUTPUT, conv);
	write_string(writer, NODE_OP, "DequantizeLinear");
}

static void write_conv(struct protobuf_writer *writer, const void *arg)
{
	const struct conv *conv = arg;
	struct protobuf_reader reader = protobuf_reader(conv->integer->message);
	struct protobuf_field field;

	protobuf_write_bytes(writer, NODE_INPUT, conv->x);
	write_weight_name(writer, NODE_INPUT, conv);
	if (conv->bias.len > 0)
		protobuf_write_bytes(writer, NODE_INPUT, conv->bias);
	protobuf_write_bytes(writer, NODE_OUTPUT, conv->y);
	write_string(writer, NODE_OP, "Conv");
	while (protobuf_next(&reader, &field) == 0)
		if (field.number == NODE_ATTRIBUTE)
			protobuf_write_raw(writer, field.whole);
}

static void write_graph(struct protobuf_writer *writer, const void *arg)
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
			protobuf_write_message(writer, GRAPH_NODE, write_dequantise, conv);
			protobuf_write_message(writer, GRAPH_NODE, write_conv, conv);
		} else {
			protobuf_write_raw(writer, field.whole);
		}
	}
	assert(node == rewrite->onnx->node_count);
}

static void write_model(struct protobuf_writer *writer, const struct rewrite *rewrite)
{
	struct protobuf_reader reader = protobuf_reader(rewrite->onnx->file);
	struct protobuf_field field;

	while (protobuf_next(&reader, &field) == 0)
		if (field.number != MODEL_GRAPH)
			protobuf_write_raw(writer, field.whole);
	protobuf_write_message(writer, MODEL_GRAPH, write_graph, rewrite);
}

int onnx_float_convolutions(const struct onnx *onnx, char **bytesp, size_t *lenp, size_t *countp)
{
	struct rewrite rewrite = {.onnx = onnx};
	struct protobuf_writer size = {0};
	struct protobuf_writer writer = {0};

	rewrite.convs = calloc(onnx->node_count + 1, sizeof(*rewrite.convs));
	if (!rewrite.convs)
		return ENOMEM;
	*countp = find_convs(&rewrite);
	*bytesp = NULL;
	*lenp = 0;
	if (*countp > 0) {
		write_model(&size, &rewrite);
		writer.bytes = malloc(size.len);
		if (writer.bytes)
			write_model(&writer, &rewrite);
		*bytesp = writer.bytes;
		*lenp = writer.len;
	}
	free(rewrite.convs);
	return *countp > 0 && !*bytesp ? ENOMEM : 0;
}
