/*
 * onnx.h: as much of the ONNX file format as looking into a graph and cutting
 * pieces out of it needs.
 *
 * A model file is one protobuf message.  Parsing makes an index of its nodes,
 * weights, inputs, outputs and notes; names and bytes stay where they are in
 * the file, so the file's bytes must outlive the index.  Whatever the bytes
 * are, parsing ends with an answer: it is fuzzed.
 *
 * An index never changes after it was made: any thread may read it.
 */
#ifndef ENGINE_VITS_ONNX_H
#define ENGINE_VITS_ONNX_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Nodes, names, weights and descriptions in one model: a hundred times what
 * the largest voices have, and what bounds the memory for an index. */
#define ONNX_PARTS_MAX (UINT32_C(1) << 20)

/* A piece of the file. */
struct onnx_str {
	const char *bytes;
	size_t len;
};

bool onnx_str_is(struct onnx_str str, const char *literal);
bool onnx_str_equal(struct onnx_str a, struct onnx_str b);

/* As a string that ends with a NUL; malloc'ed, or NULL. */
char *onnx_str_copy(struct onnx_str str);

/* A reason, for people: what cannot be shown becomes question marks, since
 * names in a file can be anything. */
void onnx_say(char *why, size_t why_size, const char *format, va_list args)
	__attribute__((format(printf, 3, 0)));

#define ONNX_NO_NODE UINT32_MAX

struct onnx_node {
	struct onnx_str op; /* "Conv"; empty for an operator that is not ONNX's own */
	struct onnx_str *inputs; /* names of values; an empty one is left out */
	size_t input_count;
	/* Behind the inputs: names that graphs inside the node read (If, Loop).
	 * Those that nothing outside makes are such a graph's own. */
	size_t captured_count;
	uint32_t *makers; /* for each of both the node that makes it, or ONNX_NO_NODE */
	struct onnx_str *outputs;
	size_t output_count;
	struct onnx_str message; /* the node as it stands in the file */
};

struct onnx;

/* Nodes must be in an order in which they can be computed, as the format
 * demands, and every value must have one maker: so there are no cycles.
 * EINVAL: the bytes are no ONNX model, or one with parts that we do not know
 * how to carry (weights in other files, sparse ones); `why` says what, for
 * people.  ENOMEM. */
int onnx_parse(struct onnx **onnxp, const void *bytes, size_t len, char *why, size_t why_size);

size_t onnx_node_count(const struct onnx *onnx);
const struct onnx_node *onnx_node_at(const struct onnx *onnx, size_t i);

/* The node that makes a value; NULL: it is an input, a weight, or nothing. */
const struct onnx_node *onnx_maker(const struct onnx *onnx, struct onnx_str value);

/* A number among a node's attributes, or `otherwise` when it has none. */
int64_t onnx_node_int(const struct onnx_node *node, const char *name, int64_t otherwise);
float onnx_node_float(const struct onnx_node *node, const char *name, float otherwise);

/* A weight that the graph lists among its inputs too, as old exporters did, is
 * a weight. */
bool onnx_is_input(const struct onnx *onnx, struct onnx_str value);
bool onnx_is_weight(const struct onnx *onnx, struct onnx_str value);

size_t onnx_input_count(const struct onnx *onnx);
struct onnx_str onnx_input_at(const struct onnx *onnx, size_t i);
size_t onnx_output_count(const struct onnx *onnx);
struct onnx_str onnx_output_at(const struct onnx *onnx, size_t i);

/* ONNX's numbers for what a value is made of. */
enum { ONNX_UNKNOWN = 0, ONNX_FLOAT = 1, ONNX_INT64 = 7, ONNX_BOOL = 9 };

/* How many dimensions, when nobody said. */
#define ONNX_ANY_RANK UINT32_MAX

struct onnx_type {
	int elem_type; /* ONNX_UNKNOWN: the file does not say */
	unsigned rank; /* ONNX_ANY_RANK: the same */
};

/* What the file says about a value. */
struct onnx_type onnx_type_of(const struct onnx *onnx, struct onnx_str value);

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
 * are needed stay inputs and need not be named; a named input that no node
 * needs is left out.  The bytes are malloc'ed.
 * ENOENT: an output is made by nothing, or is itself an input.
 * EINVAL: a node is needed that makes one of `inputs` and something else, too.
 * ENOMEM. */
int onnx_extract(const struct onnx *onnx, const struct onnx_port *inputs, size_t input_count,
		 const struct onnx_port *outputs, size_t output_count, char **bytesp, size_t *lenp);

#endif
