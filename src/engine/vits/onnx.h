/*
 * onnx.h: as much of the ONNX file format as looking into a graph and cutting
 * pieces out of it needs.
 *
 * A model file is one protobuf message.  Parsing makes an index of its nodes,
 * weights, inputs, outputs and notes; names and bytes stay where they are in
 * the file, so the file's bytes must outlive the index.  Whatever the bytes
 * are, parsing ends with an answer: it is fuzzed.
 */
#ifndef ENGINE_VITS_ONNX_H
#define ENGINE_VITS_ONNX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A piece of the file. */
struct onnx_str {
	const char *bytes;
	size_t len;
};

bool onnx_str_is(struct onnx_str str, const char *literal);

struct onnx_node {
	struct onnx_str op; /* "Conv" */
	struct onnx_str *inputs; /* names of values; an empty one is left out */
	size_t input_count;
	struct onnx_str *outputs;
	size_t output_count;
	struct onnx_str message; /* the node as it stands in the file */
};

struct onnx;

/* EINVAL: the bytes are no ONNX model, or one with parts that we do not know
 * how to carry (weights in other files, graphs inside nodes that are to be
 * cut); `why` says what, for people.  ENOMEM. */
int onnx_parse(struct onnx **onnxp, const void *bytes, size_t len, char *why, size_t why_size);

size_t onnx_node_count(const struct onnx *onnx);
const struct onnx_node *onnx_node_at(const struct onnx *onnx, size_t i);

/* The node that makes a value; NULL: it is an input, a weight, or nothing. */
const struct onnx_node *onnx_maker(const struct onnx *onnx, struct onnx_str value);

bool onnx_is_input(const struct onnx *onnx, struct onnx_str value);
bool onnx_is_weight(const struct onnx *onnx, struct onnx_str value);

size_t onnx_input_count(const struct onnx *onnx);
struct onnx_str onnx_input_at(const struct onnx *onnx, size_t i);
size_t onnx_output_count(const struct onnx *onnx);
struct onnx_str onnx_output_at(const struct onnx *onnx, size_t i);

/* A note that the exporter left in the file (metadata_props); an empty string
 * with NULL bytes when there is none. */
struct onnx_str onnx_note(const struct onnx *onnx, const char *key);

/* A value at which a piece is cut off, or which it is to give. */
struct onnx_port {
	struct onnx_str name;
	int elem_type; /* ONNX's number: 1 float, 7 int64 */
	unsigned rank; /* dimensions, all of them free; inputs of the whole model keep theirs */
};

/* Writes the smallest model that computes `outputs` when `inputs` are given:
 * all nodes between them, with their weights.  Inputs of the whole model that
 * are needed stay inputs and need not be named.  The bytes are malloc'ed.
 * ENOENT: an output is made by nothing. */
int onnx_extract(const struct onnx *onnx, const struct onnx_port *inputs, size_t input_count,
		 const struct onnx_port *outputs, size_t output_count, char **bytesp, size_t *lenp);

#endif
