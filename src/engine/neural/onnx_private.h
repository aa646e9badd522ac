/*
 * onnx_private.h: the index of a model, shared by the files that implement onnx.h.
 */
#ifndef ENGINE_NEURAL_ONNX_PRIVATE_H
#define ENGINE_NEURAL_ONNX_PRIVATE_H

#include "engine/neural/onnx.h"
#include "engine/neural/protobuf.h"

/* Field numbers of ONNX's messages. Other fields are copied or dropped without being read. */
enum {
	MODEL_GRAPH = 7,
	MODEL_NOTE = 14,
	MODEL_TRAINING = 20,
	MODEL_FUNCTION = 25,
	NOTE_KEY = 1,
	NOTE_VALUE = 2,
	FUNCTION_NODE = 7,
	GRAPH_NODE = 1,
	GRAPH_NAME = 2,
	GRAPH_WEIGHT = 5,
	GRAPH_INPUT = 11,
	GRAPH_OUTPUT = 12,
	GRAPH_VALUE = 13,
	GRAPH_SPARSE_WEIGHT = 15,
	NODE_INPUT = 1,
	NODE_OUTPUT = 2,
	NODE_OP = 4,
	NODE_ATTRIBUTE = 5,
	NODE_DOMAIN = 7,
	ATTRIBUTE_NAME = 1,
	ATTRIBUTE_FLOAT = 2,
	ATTRIBUTE_INT = 3,
	ATTRIBUTE_TENSOR = 5,
	ATTRIBUTE_GRAPH = 6,
	ATTRIBUTE_TENSORS = 10,
	ATTRIBUTE_GRAPHS = 11,
	ATTRIBUTE_SPARSE = 22,
	ATTRIBUTE_SPARSES = 23,
	TENSOR_DIM = 1,
	TENSOR_ELEM_TYPE = 2,
	TENSOR_NAME = 8,
	TENSOR_EXTERNAL = 13,
	TENSOR_LOCATION = 14,
	VALUE_NAME = 1,
	VALUE_TYPE = 2,
	TYPE_TENSOR = 1,
	TENSOR_TYPE_ELEM = 1,
	TENSOR_TYPE_SHAPE = 2,
	SHAPE_DIM = 1,
	DIM_NAME = 2,
};

/* A weight, an input, an output, or the declared type of a value. */
struct onnx_part {
	struct onnx_str name;
	struct onnx_str message;
};

/* What a name can refer to. */
enum onnx_role { ONNX_MADE, ONNX_WEIGHT, ONNX_INPUT, ONNX_DESCRIBED };

struct onnx_entry {
	uint64_t hash;
	struct onnx_str name;
	enum onnx_role role;
	uint32_t at; /* index in the array of the role */
};

struct onnx {
	struct onnx_str file;
	struct onnx_str graph;
	struct onnx_node *nodes;
	size_t node_count;
	struct onnx_str *names; /* of all nodes, one after the other */
	size_t name_count;
	uint32_t *makers; /* parallel to the names */
	struct onnx_part *weights;
	size_t weight_count;
	struct onnx_part *inputs;
	size_t input_count;
	struct onnx_part *outputs;
	size_t output_count;
	struct onnx_part *described; /* values with a declared type, including the outputs */
	size_t described_count;
	struct onnx_entry *entries; /* sorted by hash, name, role */
	size_t entry_count;
};

/* The last field of that number, as the format defines. ENOENT, or EINVAL when the message is
 * damaged or the field has another type. */
int onnx_find(struct protobuf_field *field, struct onnx_str message, uint32_t number,
	      enum protobuf_kind kind);

/* The index of a name in the array of a role; false when it has no such role. */
bool onnx_look_up(const struct onnx *onnx, struct onnx_str name, enum onnx_role role, uint32_t *at);

/* onnx_read.c: fills everything except the entries and the makers. */
int onnx_read(struct onnx *onnx, char *why, size_t why_size);

/* Writes a reason for people into `why` and returns EINVAL. */
int onnx_refuse(char *why, size_t why_size, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
