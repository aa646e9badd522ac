/*
 * onnx_extract.c: writes pieces of a model as separate models (see onnx.h).
 *
 * Nodes are in an order in which they can be computed, so one sweep from the last to the
 * first finds everything that is needed, without a stack or recursion.
 */
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "engine/neural/onnx_private.h"

struct onnx_extract_piece {
	const struct onnx *onnx;
	const struct onnx_port *inputs;
	size_t input_count;
	const struct onnx_port *outputs;
	size_t output_count;
	/* Whether each of them belongs to the piece. */
	bool *needs_node, *needs_weight, *needs_whole_input, *needs_input;
	bool flags[];
};

static struct onnx_extract_piece *onnx_extract_piece_alloc(const struct onnx *onnx,
							   size_t input_count)
{
	struct onnx_extract_piece *piece =
		mem_zalloc(sizeof(*piece) + onnx->node_count + onnx->weight_count +
				   onnx->input_count + input_count,
			   NULL);

	if (!piece)
		return NULL;
	piece->onnx = onnx;
	piece->input_count = input_count;
	piece->needs_node = piece->flags;
	piece->needs_weight = piece->needs_node + onnx->node_count;
	piece->needs_whole_input = piece->needs_weight + onnx->weight_count;
	piece->needs_input = piece->needs_whole_input + onnx->input_count;
	return piece;
}

/* Whether the value is an input of the piece rather than computed in it. */
static bool onnx_extract_is_given(const struct onnx_extract_piece *piece, struct onnx_str value,
				  size_t *at)
{
	for (size_t i = 0; i < piece->input_count; ++i)
		if (onnx_str_equal(piece->inputs[i].name, value)) {
			*at = i;
			return true;
		}
	return false;
}

static void onnx_extract_need_value(struct onnx_extract_piece *piece, struct onnx_str value,
				    uint32_t maker)
{
	size_t given;
	uint32_t at;

	if (onnx_extract_is_given(piece, value, &given))
		piece->needs_input[given] = true;
	else if (maker != ONNX_NO_NODE)
		piece->needs_node[maker] = true;
	else if (onnx_look_up(piece->onnx, value, ONNX_WEIGHT, &at))
		piece->needs_weight[at] = true;
	else if (onnx_look_up(piece->onnx, value, ONNX_INPUT, &at))
		piece->needs_whole_input[at] = true;
}

/* A value must not be both an input and computed. */
static int onnx_extract_need_node(struct onnx_extract_piece *piece, const struct onnx_node *node)
{
	size_t given;

	for (size_t k = 0; k < node->output_count; ++k)
		if (node->outputs[k].len > 0 &&
		    onnx_extract_is_given(piece, node->outputs[k], &given))
			return EINVAL;
	for (size_t k = 0; k < node->input_count + node->captured_count; ++k)
		if (node->inputs[k].len > 0)
			onnx_extract_need_value(piece, node->inputs[k], node->makers[k]);
	return 0;
}

static int onnx_extract_find_needs(struct onnx_extract_piece *piece)
{
	const struct onnx *onnx = piece->onnx;
	size_t given;
	uint32_t maker;

	for (size_t i = 0; i < piece->output_count; ++i) {
		if (onnx_extract_is_given(piece, piece->outputs[i].name, &given) ||
		    !onnx_look_up(onnx, piece->outputs[i].name, ONNX_MADE, &maker))
			return ENOENT;
		piece->needs_node[maker] = true;
	}
	for (size_t i = onnx->node_count; i-- > 0;) {
		int err = piece->needs_node[i] ? onnx_extract_need_node(piece, &onnx->nodes[i]) : 0;

		if (err)
			return err;
	}
	return 0;
}

struct dim {
	const struct onnx_port *port;
	size_t port_at;
	unsigned at;
};

/* Every free dimension has a unique name, because the runtime assumes that equal names mean
 * equal lengths. */
static void onnx_extract_write_dim(struct protobuf_writer *writer, const void *arg)
{
	const struct dim *dim = arg;
	char name[48];
	int len = snprintf(name, sizeof(name), "free_%zu_%u", dim->port_at, dim->at);

	protobuf_write_bytes(writer, DIM_NAME,
			     (struct onnx_str){.bytes = name, .len = (size_t)len});
}

static void onnx_extract_write_shape(struct protobuf_writer *writer, const void *arg)
{
	struct dim dim = *(const struct dim *)arg;

	for (dim.at = 0; dim.at < dim.port->rank; ++dim.at)
		protobuf_write_message(writer, SHAPE_DIM, onnx_extract_write_dim, &dim);
}

static void onnx_extract_write_tensor_type(struct protobuf_writer *writer, const void *arg)
{
	const struct dim *dim = arg;

	protobuf_write_number(writer, TENSOR_TYPE_ELEM, (uint64_t)dim->port->elem_type);
	if (dim->port->rank != ONNX_ANY_RANK)
		protobuf_write_message(writer, TENSOR_TYPE_SHAPE, onnx_extract_write_shape, arg);
}

static void onnx_extract_write_type(struct protobuf_writer *writer, const void *arg)
{
	protobuf_write_message(writer, TYPE_TENSOR, onnx_extract_write_tensor_type, arg);
}

static void onnx_extract_write_port(struct protobuf_writer *writer, const void *arg)
{
	const struct dim *dim = arg;

	protobuf_write_bytes(writer, VALUE_NAME, dim->port->name);
	protobuf_write_message(writer, VALUE_TYPE, onnx_extract_write_type, arg);
}

static void onnx_extract_write_name(struct protobuf_writer *writer, const struct onnx *onnx)
{
	struct protobuf_field field;

	if (onnx_find(&field, onnx->graph, GRAPH_NAME, PROTOBUF_BYTES) == 0)
		protobuf_write_raw(writer, field.whole);
}

static void onnx_extract_write_inputs(struct protobuf_writer *writer,
				      const struct onnx_extract_piece *piece)
{
	const struct onnx *onnx = piece->onnx;

	for (size_t i = 0; i < onnx->input_count; ++i)
		if (piece->needs_whole_input[i])
			protobuf_write_bytes(writer, GRAPH_INPUT, onnx->inputs[i].message);
	for (size_t i = 0; i < piece->input_count; ++i)
		if (piece->needs_input[i])
			protobuf_write_message(writer, GRAPH_INPUT, onnx_extract_write_port,
					       &(struct dim){&piece->inputs[i], i, 0});
}

static void onnx_extract_write_graph(struct protobuf_writer *writer, const void *arg)
{
	const struct onnx_extract_piece *piece = arg;
	const struct onnx *onnx = piece->onnx;

	for (size_t i = 0; i < onnx->node_count; ++i)
		if (piece->needs_node[i])
			protobuf_write_bytes(writer, GRAPH_NODE, onnx->nodes[i].message);
	onnx_extract_write_name(writer, onnx);
	for (size_t i = 0; i < onnx->weight_count; ++i)
		if (piece->needs_weight[i])
			protobuf_write_bytes(writer, GRAPH_WEIGHT, onnx->weights[i].message);
	onnx_extract_write_inputs(writer, piece);
	for (size_t i = 0; i < piece->output_count; ++i)
		protobuf_write_message(
			writer, GRAPH_OUTPUT, onnx_extract_write_port,
			&(struct dim){&piece->outputs[i], piece->input_count + i, 0});
}

/* Versions, metadata and functions are copied unchanged. */
static void onnx_extract_write_model(struct protobuf_writer *writer,
				     const struct onnx_extract_piece *piece)
{
	struct protobuf_reader reader = protobuf_reader(piece->onnx->file);
	struct protobuf_field field;

	while (protobuf_next(&reader, &field) == 0)
		if (field.number != MODEL_GRAPH && field.number != MODEL_TRAINING)
			protobuf_write_raw(writer, field.whole);
	protobuf_write_message(writer, MODEL_GRAPH, onnx_extract_write_graph, piece);
}

static int onnx_extract_write_piece(const struct onnx_extract_piece *piece, char **bytesp,
				    size_t *lenp)
{
	struct protobuf_writer count = {0};
	struct protobuf_writer writer = {0};

	onnx_extract_write_model(&count, piece);
	writer.bytes = malloc(count.len);
	if (!writer.bytes)
		return ENOMEM;
	onnx_extract_write_model(&writer, piece);
	assert(writer.len == count.len);
	*bytesp = writer.bytes;
	*lenp = writer.len;
	return 0;
}

int onnx_extract(const struct onnx *onnx, const struct onnx_port *inputs, size_t input_count,
		 const struct onnx_port *outputs, size_t output_count, char **bytesp, size_t *lenp)
{
	struct onnx_extract_piece *piece = onnx_extract_piece_alloc(onnx, input_count);
	int err;

	if (!piece)
		return ENOMEM;
	piece->inputs = inputs;
	piece->outputs = outputs;
	piece->output_count = output_count;
	err = onnx_extract_find_needs(piece);
	if (!err)
		err = onnx_extract_write_piece(piece, bytesp, lenp);
	mem_deref(piece);
	return err;
}
