/*
 * onnx_branch.c: replaces an If by one of its branches (see onnx_branch.h).
 *
 * The nodes of a branch read values of the graph around it, all of which are computed before the If,
 * so they can take its place. Names are unique in a graph and the graphs inside it, as the format
 * requires. If they are not, the result is refused when it is parsed.
 */
#include "engine/neural/onnx_branch.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "engine/neural/onnx_private.h"

struct onnx_branch_work {
	const struct onnx *onnx;
	const struct onnx_node *node;
	struct onnx_str graph; /* of the branch */
};

static int onnx_branch_find(struct onnx_str *graph, const struct onnx_node *node,
			    const char *branch)
{
	struct protobuf_reader reader = protobuf_reader(node->message);
	struct protobuf_field attribute;

	while (protobuf_next(&reader, &attribute) == 0) {
		struct protobuf_field field;

		if (attribute.number != NODE_ATTRIBUTE ||
		    onnx_find(&field, attribute.bytes, ATTRIBUTE_NAME, PROTOBUF_BYTES) != 0 ||
		    !onnx_str_is(field.bytes, branch) ||
		    onnx_find(&field, attribute.bytes, ATTRIBUTE_GRAPH, PROTOBUF_BYTES) != 0)
			continue;
		*graph = field.bytes;
		return 0;
	}
	return EINVAL;
}

static size_t onnx_branch_count_outputs(struct onnx_str graph)
{
	struct protobuf_reader reader = protobuf_reader(graph);
	struct protobuf_field field;
	size_t count = 0;

	while (protobuf_next(&reader, &field) == 0)
		count += field.number == GRAPH_OUTPUT && field.kind == PROTOBUF_BYTES;
	return count;
}

struct onnx_branch_rename {
	struct onnx_str from, to;
};

static void onnx_branch_write_identity(struct protobuf_writer *writer, const void *arg)
{
	const struct onnx_branch_rename *rename = arg;

	protobuf_write_bytes(writer, NODE_INPUT, rename->from);
	protobuf_write_bytes(writer, NODE_OUTPUT, rename->to);
	protobuf_write_bytes(writer, NODE_OP, (struct onnx_str){.bytes = "Identity", .len = 8});
}

/* The branch's nodes, and one for each output that has another name outside. */
static void onnx_branch_write_nodes(struct protobuf_writer *writer,
				    const struct onnx_branch_work *work)
{
	struct protobuf_reader reader = protobuf_reader(work->graph);
	struct protobuf_field field;
	size_t output = 0;

	while (protobuf_next(&reader, &field) == 0)
		if (field.number == GRAPH_NODE)
			protobuf_write_raw(writer, field.whole);
	reader = protobuf_reader(work->graph);
	while (protobuf_next(&reader, &field) == 0) {
		struct onnx_branch_rename rename;
		struct protobuf_field name;

		if (field.number != GRAPH_OUTPUT || field.kind != PROTOBUF_BYTES)
			continue;
		rename.to = work->node->outputs[output++];
		if (onnx_find(&name, field.bytes, VALUE_NAME, PROTOBUF_BYTES) != 0)
			continue;
		rename.from = name.bytes;
		if (rename.to.len > 0 && !onnx_str_equal(rename.from, rename.to))
			protobuf_write_message(writer, GRAPH_NODE, onnx_branch_write_identity,
					       &rename);
	}
}

static void onnx_branch_write_graph(struct protobuf_writer *writer, const void *arg)
{
	const struct onnx_branch_work *work = arg;
	struct protobuf_reader reader = protobuf_reader(work->onnx->graph);
	struct protobuf_field field;

	while (protobuf_next(&reader, &field) == 0) {
		if (field.number == GRAPH_NODE && field.bytes.bytes == work->node->message.bytes)
			onnx_branch_write_nodes(writer, work);
		else
			protobuf_write_raw(writer, field.whole);
	}
	reader = protobuf_reader(work->graph);
	while (protobuf_next(&reader, &field) == 0)
		if (field.number == GRAPH_WEIGHT || field.number == GRAPH_VALUE ||
		    field.number == GRAPH_SPARSE_WEIGHT)
			protobuf_write_raw(writer, field.whole);
}

static void onnx_branch_write_model(struct protobuf_writer *writer,
				    const struct onnx_branch_work *work)
{
	struct protobuf_reader reader = protobuf_reader(work->onnx->file);
	struct protobuf_field field;

	while (protobuf_next(&reader, &field) == 0)
		if (field.number != MODEL_GRAPH)
			protobuf_write_raw(writer, field.whole);
	protobuf_write_message(writer, MODEL_GRAPH, onnx_branch_write_graph, work);
}

int onnx_branch(const struct onnx *onnx, const struct onnx_node *node, const char *branch,
		char **bytesp, size_t *lenp)
{
	struct onnx_branch_work work = {.onnx = onnx, .node = node};
	struct protobuf_writer size = {0};
	struct protobuf_writer writer = {0};

	if (!onnx_str_is(node->op, "If") || onnx_branch_find(&work.graph, node, branch) != 0 ||
	    onnx_branch_count_outputs(work.graph) != node->output_count)
		return EINVAL;
	onnx_branch_write_model(&size, &work);
	writer.bytes = malloc(size.len);
	if (!writer.bytes)
		return ENOMEM;
	onnx_branch_write_model(&writer, &work);
	assert(writer.len == size.len);
	*bytesp = writer.bytes;
	*lenp = writer.len;
	return 0;
}
