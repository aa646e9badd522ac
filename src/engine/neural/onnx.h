/*
 * onnx.h: the part of the ONNX file format that is needed to inspect a graph and to extract
 * pieces of it.
 *
 * A model file is one protobuf message. Parsing makes an index of its nodes, weights,
 * inputs, outputs and metadata; names and bytes are not copied, so the file's bytes must
 * outlive the index. Parsing terminates with a result for any bytes: it is fuzzed.
 *
 * An index never changes after it was made, so any thread may read it.
 */
#ifndef ENGINE_NEURAL_ONNX_H
#define ENGINE_NEURAL_ONNX_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The maximum number of nodes, names, weights and descriptions in one model: a hundred times
 * as many as the largest voices have. It bounds the memory of an index. */
#define ONNX_PARTS_MAX (UINT32_C(1) << 20)

/* A range of bytes of the file. */
struct onnx_str {
	const char *bytes;
	size_t len;
};

bool onnx_str_is(struct onnx_str str, const char *literal);
bool onnx_str_equal(struct onnx_str a, struct onnx_str b);

/* A NUL-terminated copy, malloc'ed; or NULL. */
char *onnx_str_copy(struct onnx_str str);

/* Formats a reason for people. Unprintable characters become question marks, since names in a
 * file can be anything. */
void onnx_say(char *why, size_t why_size, const char *format, va_list args)
	__attribute__((format(printf, 3, 0)));

#define ONNX_NO_NODE UINT32_MAX

struct onnx_node {
	struct onnx_str op; /* "Conv"; empty for an operator that is not part of ONNX */
	struct onnx_str *inputs; /* names of values; an empty one is an omitted input */
	size_t input_count;
	/* The names after the inputs, which graphs inside the node (If, Loop) read. Those that
	 * no other node produces are local to such a graph. */
	size_t captured_count;
	/* for each input and captured name the node that produces it, or ONNX_NO_NODE */
	uint32_t *makers;
	struct onnx_str *outputs;
	size_t output_count;
	struct onnx_str message; /* the encoded node in the file */
};

struct onnx;

/* Makes an index, an object of base/mem.h. Nodes must be in an order in which they can be
 * computed, as the format requires, and every value must have one producer; so there are no
 * cycles. EINVAL: the bytes are not an ONNX
 * model, or it has parts that cannot be extracted (weights in other files, sparse weights);
 * `why` says what, for people. ENOMEM. */
int onnx_parse(struct onnx **onnxp, const void *bytes, size_t len, char *why, size_t why_size);

size_t onnx_node_count(const struct onnx *onnx);
const struct onnx_node *onnx_node_at(const struct onnx *onnx, size_t i);

/* The node that produces a value; NULL for an input, a weight or an unknown name. */
const struct onnx_node *onnx_maker(const struct onnx *onnx, struct onnx_str value);

/* An integer attribute of a node, or `otherwise` when it is missing. */
int64_t onnx_node_int(const struct onnx_node *node, const char *name, int64_t otherwise);
float onnx_node_float(const struct onnx_node *node, const char *name, float otherwise);

/* A weight that the graph also lists among its inputs, as old exporters did, is a weight. */
bool onnx_is_input(const struct onnx *onnx, struct onnx_str value);
bool onnx_is_weight(const struct onnx *onnx, struct onnx_str value);

size_t onnx_input_count(const struct onnx *onnx);
struct onnx_str onnx_input_at(const struct onnx *onnx, size_t i);
size_t onnx_output_count(const struct onnx *onnx);
struct onnx_str onnx_output_at(const struct onnx *onnx, size_t i);

/* ONNX's numbers of element types. */
enum { ONNX_UNKNOWN = 0, ONNX_FLOAT = 1, ONNX_INT64 = 7, ONNX_BOOL = 9 };

/* The rank of a value whose number of dimensions is not declared. */
#define ONNX_ANY_RANK UINT32_MAX

struct onnx_type {
	int elem_type; /* ONNX_UNKNOWN: not declared */
	unsigned rank; /* ONNX_ANY_RANK: not declared */
};

/* The declared type of a value. */
struct onnx_type onnx_type_of(const struct onnx *onnx, struct onnx_str value);

/* A metadata entry of the file (metadata_props); an empty string with NULL bytes when there is
 * none. */
struct onnx_str onnx_note(const struct onnx *onnx, const char *key);

/* A value at which a piece begins or ends. */
struct onnx_port {
	struct onnx_str name;
	int elem_type; /* ONNX's number: 1 float, 7 int64 */
	unsigned rank; /* dimensions, all of them free; inputs of the whole model keep their own */
};

/* Writes the smallest model that computes `outputs` from `inputs`: all nodes between them,
 * with their weights. Inputs of the whole model that are needed remain inputs and need not be
 * named; a named input that no node needs is omitted. The bytes are malloc'ed. ENOENT: an
 * output has no producer or is itself an input. EINVAL: a required node produces one of
 * `inputs` and another value. ENOMEM. */
int onnx_extract(const struct onnx *onnx, const struct onnx_port *inputs, size_t input_count,
		 const struct onnx_port *outputs, size_t output_count, char **bytesp, size_t *lenp);

#endif
