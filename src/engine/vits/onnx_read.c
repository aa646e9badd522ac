/*
 * onnx_read.c: a model file becomes arrays (see onnx.h).
 *
 * The same code walks the file twice: first to count, with no arrays there,
 * then to fill them.  So an index takes exactly the memory it needs, and what
 * was not counted cannot be written.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/mem.h"
#include "engine/vits/onnx_private.h"

/* Graphs inside nodes inside graphs: exporters write one or two. */
#define DEPTH_MAX 8

struct reading {
	struct onnx *onnx;
	size_t parts;
	unsigned depth;
	char *why;
	size_t why_size;
};

void onnx_say(char *why, size_t why_size, const char *format, va_list args)
{
	vsnprintf(why, why_size, format, args);
	for (size_t i = 0; i < why_size && why[i]; ++i)
		if (why[i] < ' ' || why[i] > '~')
			why[i] = '?';
}

int onnx_refuse(char *why, size_t why_size, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	onnx_say(why, why_size, format, args);
	va_end(args);
	return EINVAL;
}

typedef int(field_h)(struct reading *reading, const struct protobuf_field *field);

static int walk(struct reading *reading, struct onnx_str message, field_h *each)
{
	struct protobuf_reader reader = protobuf_reader(message);
	struct protobuf_field field;
	int err;

	while ((err = protobuf_next(&reader, &field)) == 0) {
		err = each(reading, &field);
		if (err)
			return err;
	}
	return err == ENODATA ? 0 : err;
}

/* Like walk, for a field that must be a message. */
static int walk_into(struct reading *reading, const struct protobuf_field *field, field_h *each)
{
	return field->kind == PROTOBUF_BYTES ? walk(reading, field->bytes, each) : EINVAL;
}

static int take_part(struct reading *reading)
{
	if (++reading->parts <= ONNX_PARTS_MAX)
		return 0;
	return onnx_refuse(reading->why, reading->why_size, "the graph has too many parts");
}

static int add_name(struct reading *reading, const struct protobuf_field *field)
{
	struct onnx *onnx = reading->onnx;

	if (field->kind != PROTOBUF_BYTES)
		return EINVAL;
	if (onnx->names)
		onnx->names[onnx->name_count] = field->bytes;
	++onnx->name_count;
	return take_part(reading);
}

/* A number or a file name that says the numbers are elsewhere: such a file
 * could be any on this machine. */
static int check_tensor(struct reading *reading, const struct protobuf_field *field)
{
	if (field->number == TENSOR_EXTERNAL ||
	    (field->number == TENSOR_LOCATION && field->value != 0))
		return onnx_refuse(reading->why, reading->why_size,
				   "some of its weights are in another file");
	return 0;
}

static int read_inner_graph(struct reading *reading, const struct protobuf_field *field);

static int read_attribute(struct reading *reading, const struct protobuf_field *field)
{
	switch (field->number) {
	case ATTRIBUTE_TENSOR:
	case ATTRIBUTE_TENSORS:
		return walk_into(reading, field, check_tensor);
	case ATTRIBUTE_GRAPH:
	case ATTRIBUTE_GRAPHS:
		return read_inner_graph(reading, field);
	case ATTRIBUTE_SPARSE:
	case ATTRIBUTE_SPARSES:
		return onnx_refuse(reading->why, reading->why_size, "it has sparse constants");
	default:
		return 0;
	}
}

static int read_inner_node(struct reading *reading, const struct protobuf_field *field)
{
	if (field->number == NODE_INPUT)
		return add_name(reading, field);
	if (field->number == NODE_ATTRIBUTE)
		return walk_into(reading, field, read_attribute);
	return 0;
}

static int read_inner_output(struct reading *reading, const struct protobuf_field *field)
{
	return field->number == VALUE_NAME ? add_name(reading, field) : 0;
}

static int read_inner_field(struct reading *reading, const struct protobuf_field *field)
{
	switch (field->number) {
	case GRAPH_NODE:
		return walk_into(reading, field, read_inner_node);
	case GRAPH_WEIGHT:
		return walk_into(reading, field, check_tensor);
	case GRAPH_OUTPUT:
		return walk_into(reading, field, read_inner_output);
	case GRAPH_SPARSE_WEIGHT:
		return onnx_refuse(reading->why, reading->why_size, "it has sparse weights");
	default:
		return 0;
	}
}

/* All names that a graph inside a node reads.  Its own are among them; names
 * are unique over all graphs of a model, so they mean nothing outside. */
static int read_inner_graph(struct reading *reading, const struct protobuf_field *field)
{
	int err;

	if (reading->depth == DEPTH_MAX)
		return onnx_refuse(reading->why, reading->why_size,
				   "graphs are nested more than %d deep", DEPTH_MAX);
	++reading->depth;
	err = walk_into(reading, field, read_inner_field);
	--reading->depth;
	return err;
}

static int read_node_input(struct reading *reading, const struct protobuf_field *field)
{
	return field->number == NODE_INPUT ? add_name(reading, field) : 0;
}

static int read_node_captured(struct reading *reading, const struct protobuf_field *field)
{
	return field->number == NODE_ATTRIBUTE ? walk_into(reading, field, read_attribute) : 0;
}

static int read_node_output(struct reading *reading, const struct protobuf_field *field)
{
	return field->number == NODE_OUTPUT ? add_name(reading, field) : 0;
}

static int read_op(struct onnx_node *node)
{
	struct protobuf_field field;
	int err = onnx_find(&field, node->message, NODE_DOMAIN, PROTOBUF_BYTES);

	if (err == 0 && field.bytes.len > 0 && !onnx_str_is(field.bytes, "ai.onnx"))
		return 0;
	if (err && err != ENOENT)
		return err;
	err = onnx_find(&field, node->message, NODE_OP, PROTOBUF_BYTES);
	if (err == 0)
		node->op = field.bytes;
	return err == ENOENT ? 0 : err;
}

/* The message is walked once for each list, so that each is in one piece
 * however the fields are mixed. */
static int read_node(struct reading *reading, struct onnx_str message)
{
	struct onnx *onnx = reading->onnx;
	struct onnx_node node = {.message = message};
	size_t starts[4];
	static field_h *const lists[] = {read_node_input, read_node_captured, read_node_output};
	int err = read_op(&node);

	for (size_t i = 0; i < 3 && !err; ++i) {
		starts[i] = onnx->name_count;
		err = walk(reading, message, lists[i]);
	}
	if (err)
		return err;
	starts[3] = onnx->name_count;
	node.input_count = starts[1] - starts[0];
	node.captured_count = starts[2] - starts[1];
	node.output_count = starts[3] - starts[2];
	if (onnx->nodes) {
		node.inputs = onnx->names + starts[0];
		node.makers = onnx->makers + starts[0];
		node.outputs = onnx->names + starts[2];
		onnx->nodes[onnx->node_count] = node;
	}
	++onnx->node_count;
	return take_part(reading);
}

/* A part with a name: of a weight, or of what is said about a value. */
static int read_part(struct reading *reading, struct onnx_part *parts, size_t *count,
		     struct onnx_str message, uint32_t name_field)
{
	struct onnx_part part = {.message = message};
	struct protobuf_field field;
	int err = onnx_find(&field, message, name_field, PROTOBUF_BYTES);

	if (err && err != ENOENT)
		return err;
	if (err == 0)
		part.name = field.bytes;
	if (parts)
		parts[*count] = part;
	++*count;
	return take_part(reading);
}

static int read_weight(struct reading *reading, struct onnx_str message)
{
	struct onnx *onnx = reading->onnx;
	int err = walk(reading, message, check_tensor);

	return err ? err
		   : read_part(reading, onnx->weights, &onnx->weight_count, message, TENSOR_NAME);
}

static int read_value(struct reading *reading, struct onnx_part *parts, size_t *count,
		      struct onnx_str message)
{
	return read_part(reading, parts, count, message, VALUE_NAME);
}

static int read_output(struct reading *reading, struct onnx_str message)
{
	struct onnx *onnx = reading->onnx;
	int err = read_value(reading, onnx->outputs, &onnx->output_count, message);

	return err ? err : read_value(reading, onnx->described, &onnx->described_count, message);
}

static int read_graph_field(struct reading *reading, const struct protobuf_field *field)
{
	struct onnx *onnx = reading->onnx;

	if (field->number == GRAPH_SPARSE_WEIGHT)
		return onnx_refuse(reading->why, reading->why_size, "it has sparse weights");
	if (field->kind != PROTOBUF_BYTES)
		return EINVAL;
	switch (field->number) {
	case GRAPH_NODE:
		return read_node(reading, field->bytes);
	case GRAPH_WEIGHT:
		return read_weight(reading, field->bytes);
	case GRAPH_INPUT:
		return read_value(reading, onnx->inputs, &onnx->input_count, field->bytes);
	case GRAPH_OUTPUT:
		return read_output(reading, field->bytes);
	case GRAPH_VALUE:
		return read_value(reading, onnx->described, &onnx->described_count, field->bytes);
	default:
		return 0;
	}
}

/* A function's nodes are only looked at for weights elsewhere; the names that
 * this collects are not counted in. */
static int read_function(struct reading *reading, const struct protobuf_field *field)
{
	return field->number == FUNCTION_NODE ? walk_into(reading, field, read_node_captured) : 0;
}

static int check_function(struct reading *reading, const struct protobuf_field *field)
{
	struct onnx scratch = {0};
	struct reading inside = *reading;

	inside.onnx = &scratch;
	return walk_into(&inside, field, read_function);
}

static int read_model_field(struct reading *reading, const struct protobuf_field *field)
{
	struct onnx *onnx = reading->onnx;

	if (field->number == MODEL_FUNCTION)
		return check_function(reading, field);
	if (field->number != MODEL_GRAPH)
		return 0;
	if (field->kind != PROTOBUF_BYTES)
		return EINVAL;
	if (onnx->graph.bytes)
		return onnx_refuse(reading->why, reading->why_size, "it has two graphs");
	onnx->graph = field->bytes;
	return 0;
}

static int read_graph(struct onnx *onnx, char *why, size_t why_size)
{
	struct reading reading = {.onnx = onnx, .why = why, .why_size = why_size};

	onnx->node_count = onnx->name_count = onnx->weight_count = 0;
	onnx->input_count = onnx->output_count = onnx->described_count = 0;
	return walk(&reading, onnx->graph, read_graph_field);
}

static int alloc_arrays(struct onnx *onnx)
{
	onnx->nodes = mem_zalloc(onnx->node_count * sizeof(*onnx->nodes), NULL);
	onnx->names = mem_zalloc(onnx->name_count * sizeof(*onnx->names), NULL);
	onnx->makers = mem_zalloc(onnx->name_count * sizeof(*onnx->makers), NULL);
	onnx->weights = mem_zalloc(onnx->weight_count * sizeof(*onnx->weights), NULL);
	onnx->inputs = mem_zalloc(onnx->input_count * sizeof(*onnx->inputs), NULL);
	onnx->outputs = mem_zalloc(onnx->output_count * sizeof(*onnx->outputs), NULL);
	onnx->described = mem_zalloc(onnx->described_count * sizeof(*onnx->described), NULL);
	if (!onnx->nodes || !onnx->names || !onnx->makers || !onnx->weights || !onnx->inputs ||
	    !onnx->outputs || !onnx->described)
		return ENOMEM;
	return 0;
}

int onnx_read(struct onnx *onnx, char *why, size_t why_size)
{
	struct reading reading = {.onnx = onnx, .why = why, .why_size = why_size};
	int err = walk(&reading, onnx->file, read_model_field);

	if (!err && !onnx->graph.bytes)
		err = EINVAL;
	if (!err)
		err = read_graph(onnx, why, why_size);
	if (!err)
		err = alloc_arrays(onnx);
	if (!err)
		err = read_graph(onnx, why, why_size);
	return err;
}
