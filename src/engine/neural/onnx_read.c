/*
 * onnx_read.c: reads a model file into arrays (see onnx.h).
 *
 * The same code walks the file twice: first to count, without arrays, then to fill them. So
 * an index takes exactly the memory it needs, and nothing can be written that was not
 * counted.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/mem.h"
#include "engine/neural/onnx_private.h"

/* Nested graphs inside nodes: exporters write one or two levels. */
#define DEPTH_MAX 8

struct onnx_reading {
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

typedef int(field_h)(struct onnx_reading *reading, const struct protobuf_field *field);

static int onnx_read_walk(struct onnx_reading *reading, struct onnx_str message, field_h *each)
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

/* Like onnx_read_walk, for a field that must be a message. */
static int onnx_read_walk_into(struct onnx_reading *reading, const struct protobuf_field *field,
			       field_h *each)
{
	return field->kind == PROTOBUF_BYTES ? onnx_read_walk(reading, field->bytes, each) : EINVAL;
}

static int onnx_read_take_part(struct onnx_reading *reading)
{
	if (++reading->parts <= ONNX_PARTS_MAX)
		return 0;
	return onnx_refuse(reading->why, reading->why_size, "the graph has too many parts");
}

static int onnx_read_add_name(struct onnx_reading *reading, const struct protobuf_field *field)
{
	struct onnx *onnx = reading->onnx;

	if (field->kind != PROTOBUF_BYTES)
		return EINVAL;
	if (onnx->names)
		onnx->names[onnx->name_count] = field->bytes;
	++onnx->name_count;
	return onnx_read_take_part(reading);
}

/* Rejects a tensor whose numbers are in another file, which could be any file on this machine. */
static int onnx_read_check_tensor(struct onnx_reading *reading, const struct protobuf_field *field)
{
	if (field->number == TENSOR_EXTERNAL ||
	    (field->number == TENSOR_LOCATION && field->value != 0))
		return onnx_refuse(reading->why, reading->why_size,
				   "some of its weights are in another file");
	return 0;
}

static int onnx_read_inner_graph(struct onnx_reading *reading, const struct protobuf_field *field);

static int onnx_read_attribute(struct onnx_reading *reading, const struct protobuf_field *field)
{
	switch (field->number) {
	case ATTRIBUTE_TENSOR:
	case ATTRIBUTE_TENSORS:
		return onnx_read_walk_into(reading, field, onnx_read_check_tensor);
	case ATTRIBUTE_GRAPH:
	case ATTRIBUTE_GRAPHS:
		return onnx_read_inner_graph(reading, field);
	case ATTRIBUTE_SPARSE:
	case ATTRIBUTE_SPARSES:
		return onnx_refuse(reading->why, reading->why_size, "it has sparse constants");
	default:
		return 0;
	}
}

static int onnx_read_inner_node(struct onnx_reading *reading, const struct protobuf_field *field)
{
	if (field->number == NODE_INPUT)
		return onnx_read_add_name(reading, field);
	if (field->number == NODE_ATTRIBUTE)
		return onnx_read_walk_into(reading, field, onnx_read_attribute);
	return 0;
}

static int onnx_read_inner_output(struct onnx_reading *reading, const struct protobuf_field *field)
{
	return field->number == VALUE_NAME ? onnx_read_add_name(reading, field) : 0;
}

static int onnx_read_inner_field(struct onnx_reading *reading, const struct protobuf_field *field)
{
	switch (field->number) {
	case GRAPH_NODE:
		return onnx_read_walk_into(reading, field, onnx_read_inner_node);
	case GRAPH_WEIGHT:
		return onnx_read_walk_into(reading, field, onnx_read_check_tensor);
	case GRAPH_OUTPUT:
		return onnx_read_walk_into(reading, field, onnx_read_inner_output);
	case GRAPH_SPARSE_WEIGHT:
		return onnx_refuse(reading->why, reading->why_size, "it has sparse weights");
	default:
		return 0;
	}
}

/* Collects all names that a graph inside a node reads. Its own names are included, which is
 * harmless because names are unique over all graphs of a model. */
static int onnx_read_inner_graph(struct onnx_reading *reading, const struct protobuf_field *field)
{
	int err;

	if (reading->depth == DEPTH_MAX)
		return onnx_refuse(reading->why, reading->why_size,
				   "graphs are nested more than %d deep", DEPTH_MAX);
	++reading->depth;
	err = onnx_read_walk_into(reading, field, onnx_read_inner_field);
	--reading->depth;
	return err;
}

static int onnx_read_node_input(struct onnx_reading *reading, const struct protobuf_field *field)
{
	return field->number == NODE_INPUT ? onnx_read_add_name(reading, field) : 0;
}

static int onnx_read_node_captured(struct onnx_reading *reading, const struct protobuf_field *field)
{
	return field->number == NODE_ATTRIBUTE
		       ? onnx_read_walk_into(reading, field, onnx_read_attribute)
		       : 0;
}

static int onnx_read_node_output(struct onnx_reading *reading, const struct protobuf_field *field)
{
	return field->number == NODE_OUTPUT ? onnx_read_add_name(reading, field) : 0;
}

static int onnx_read_op(struct onnx_node *node)
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

/* The message is walked once for each list, so that each list is contiguous in any order of
 * fields. */
static int onnx_read_node(struct onnx_reading *reading, struct onnx_str message)
{
	struct onnx *onnx = reading->onnx;
	struct onnx_node node = {.message = message};
	size_t starts[4];
	static field_h *const lists[] = {onnx_read_node_input, onnx_read_node_captured,
					 onnx_read_node_output};
	int err = onnx_read_op(&node);

	for (size_t i = 0; i < 3 && !err; ++i) {
		starts[i] = onnx->name_count;
		err = onnx_read_walk(reading, message, lists[i]);
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
	return onnx_read_take_part(reading);
}

/* A named part: a weight, or the declared type of a value. */
static int onnx_read_part(struct onnx_reading *reading, struct onnx_part *parts, size_t *count,
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
	return onnx_read_take_part(reading);
}

static int onnx_read_weight(struct onnx_reading *reading, struct onnx_str message)
{
	struct onnx *onnx = reading->onnx;
	int err = onnx_read_walk(reading, message, onnx_read_check_tensor);

	return err ? err
		   : onnx_read_part(reading, onnx->weights, &onnx->weight_count, message,
				    TENSOR_NAME);
}

static int onnx_read_value(struct onnx_reading *reading, struct onnx_part *parts, size_t *count,
			   struct onnx_str message)
{
	return onnx_read_part(reading, parts, count, message, VALUE_NAME);
}

static int onnx_read_output(struct onnx_reading *reading, struct onnx_str message)
{
	struct onnx *onnx = reading->onnx;
	int err = onnx_read_value(reading, onnx->outputs, &onnx->output_count, message);

	return err ? err
		   : onnx_read_value(reading, onnx->described, &onnx->described_count, message);
}

static int onnx_read_graph_field(struct onnx_reading *reading, const struct protobuf_field *field)
{
	struct onnx *onnx = reading->onnx;

	if (field->number == GRAPH_SPARSE_WEIGHT)
		return onnx_refuse(reading->why, reading->why_size, "it has sparse weights");
	if (field->kind != PROTOBUF_BYTES)
		return EINVAL;
	switch (field->number) {
	case GRAPH_NODE:
		return onnx_read_node(reading, field->bytes);
	case GRAPH_WEIGHT:
		return onnx_read_weight(reading, field->bytes);
	case GRAPH_INPUT:
		return onnx_read_value(reading, onnx->inputs, &onnx->input_count, field->bytes);
	case GRAPH_OUTPUT:
		return onnx_read_output(reading, field->bytes);
	case GRAPH_VALUE:
		return onnx_read_value(reading, onnx->described, &onnx->described_count,
				       field->bytes);
	default:
		return 0;
	}
}

/* The nodes of a function are only checked for external weights; the names collected here are
 * discarded. */
static int onnx_read_function(struct onnx_reading *reading, const struct protobuf_field *field)
{
	return field->number == FUNCTION_NODE
		       ? onnx_read_walk_into(reading, field, onnx_read_node_captured)
		       : 0;
}

static int onnx_read_check_function(struct onnx_reading *reading,
				    const struct protobuf_field *field)
{
	struct onnx scratch = {0};
	struct onnx_reading inside = *reading;

	inside.onnx = &scratch;
	return onnx_read_walk_into(&inside, field, onnx_read_function);
}

static int onnx_read_model_field(struct onnx_reading *reading, const struct protobuf_field *field)
{
	struct onnx *onnx = reading->onnx;

	if (field->number == MODEL_FUNCTION)
		return onnx_read_check_function(reading, field);
	if (field->number != MODEL_GRAPH)
		return 0;
	if (field->kind != PROTOBUF_BYTES)
		return EINVAL;
	if (onnx->graph.bytes)
		return onnx_refuse(reading->why, reading->why_size, "it has two graphs");
	onnx->graph = field->bytes;
	return 0;
}

static int onnx_read_graph(struct onnx *onnx, char *why, size_t why_size)
{
	struct onnx_reading reading = {.onnx = onnx, .why = why, .why_size = why_size};

	onnx->node_count = onnx->name_count = onnx->weight_count = 0;
	onnx->input_count = onnx->output_count = onnx->described_count = 0;
	return onnx_read_walk(&reading, onnx->graph, onnx_read_graph_field);
}

static int onnx_read_alloc_arrays(struct onnx *onnx)
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
	struct onnx_reading reading = {.onnx = onnx, .why = why, .why_size = why_size};
	int err = onnx_read_walk(&reading, onnx->file, onnx_read_model_field);

	if (!err && !onnx->graph.bytes)
		err = EINVAL;
	if (!err)
		err = onnx_read_graph(onnx, why, why_size);
	if (!err)
		err = onnx_read_alloc_arrays(onnx);
	if (!err)
		err = onnx_read_graph(onnx, why, why_size);
	return err;
}
