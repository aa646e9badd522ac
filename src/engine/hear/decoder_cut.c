/*
 * decoder_cut.c: cuts the graph of a merged decoder (see decoder_cut.h).
 */
#include "engine/hear/decoder_cut.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "engine/neural/onnx_branch.h"

/* Keys, values and attention of all layers, and the scores. */
#define PORTS_MAX (3 * DECODER_LAYERS_MAX + 1)

_Static_assert(DECODER_SHAPES_MAX <= PORTS_MAX, "they are ports as well");

struct decoder_cut_ports {
	struct onnx_port at[PORTS_MAX];
	char names[PORTS_MAX][DECODER_NAME_SIZE];
	size_t count;
};

static struct onnx_str decoder_cut_str(const char *name)
{
	return (struct onnx_str){.bytes = name, .len = strlen(name)};
}

static void decoder_cut_add(struct decoder_cut_ports *ports, struct onnx_str name, unsigned rank)
{
	ports->at[ports->count++] =
		(struct onnx_port){.name = name, .elem_type = ONNX_FLOAT, .rank = rank};
}

/* The key and the value of a layer. */
static void decoder_cut_add_present(struct decoder_cut_ports *ports, size_t layer, const char *side)
{
	static const char *const kinds[] = {"key", "value"};

	for (size_t i = 0; i < 2; ++i) {
		char *name = ports->names[ports->count];

		snprintf(name, DECODER_NAME_SIZE, "present.%zu.%s.%s", layer, side, kinds[i]);
		decoder_cut_add(ports, decoder_cut_str(name), 4);
	}
}

/* The index of the model that is left when the If takes this branch. Its bytes are *bytesp. */
static int decoder_cut_branch(struct onnx **flatp, char **bytesp, const struct onnx *onnx,
			      const char *branch, char why[RUNTIME_WHY_SIZE])
{
	struct onnx_str logits = decoder_cut_str("logits");
	const struct onnx_node *node = onnx_maker(onnx, logits);
	size_t len;
	int err;

	if (!node) {
		snprintf(why, RUNTIME_WHY_SIZE, "it gives no scores of tokens");
		return ENOTSUP;
	}
	err = onnx_branch(onnx, node, branch, bytesp, &len);
	if (err == EINVAL) {
		snprintf(why, RUNTIME_WHY_SIZE, "it is no merged decoder");
		return ENOTSUP;
	}
	if (!err)
		err = onnx_parse(flatp, *bytesp, len, why, RUNTIME_WHY_SIZE);
	return err == EINVAL ? ENOTSUP : err;
}

static size_t decoder_cut_count_layers(const struct onnx *onnx)
{
	size_t layers = 0;
	char name[DECODER_NAME_SIZE];

	do
		snprintf(name, sizeof(name), "past_key_values.%zu.decoder.key", layers);
	while (onnx_is_input(onnx, decoder_cut_str(name)) && layers++ < DECODER_LAYERS_MAX);
	return layers;
}

/* Whether a value is this input of the model, perhaps in another shape. */
static bool decoder_cut_is_input(const struct onnx *onnx, struct onnx_str value, const char *input)
{
	const struct onnx_node *maker = onnx_maker(onnx, value);

	if (maker && onnx_str_is(maker->op, "Reshape") && maker->input_count > 0)
		value = maker->inputs[0];
	return onnx_str_is(value, input);
}

/* Attention is what the values of the encoder's output are multiplied with. */
static int decoder_cut_find_attention(struct decoder_cut *cut, const struct onnx *onnx,
				      size_t layer)
{
	char name[DECODER_NAME_SIZE];

	snprintf(name, sizeof(name), "past_key_values.%zu.encoder.value", layer);
	for (size_t i = 0; i < onnx_node_count(onnx); ++i) {
		const struct onnx_node *node = onnx_node_at(onnx, i);
		struct onnx_str value;

		if (!onnx_str_is(node->op, "MatMul") || node->input_count != 2 ||
		    !decoder_cut_is_input(onnx, node->inputs[1], name))
			continue;
		value = node->inputs[0];
		if (!onnx_maker(onnx, value) || memchr(value.bytes, '\0', value.len))
			continue;
		cut->attention[layer] = onnx_str_copy(value);
		return cut->attention[layer] ? 0 : ENOMEM;
	}
	return ENOENT;
}

/* Which nodes compute something from tokens, and which of all nodes the keys and values of what was
 * heard need. */
struct decoder_cut_sweep {
	const struct onnx *onnx;
	bool *reads_tokens, *is_needed;
	bool flags[];
};

static struct decoder_cut_sweep *decoder_cut_sweep_alloc(const struct onnx *onnx)
{
	size_t count = onnx_node_count(onnx);
	struct decoder_cut_sweep *sweep = mem_zalloc(sizeof(*sweep) + 2 * count, NULL);

	if (!sweep)
		return NULL;
	sweep->onnx = onnx;
	sweep->reads_tokens = sweep->flags;
	sweep->is_needed = sweep->flags + count;
	for (size_t i = 0; i < count; ++i) {
		const struct onnx_node *node = onnx_node_at(onnx, i);

		for (size_t k = 0; k < node->input_count; ++k)
			sweep->reads_tokens[i] |=
				node->makers[k] == ONNX_NO_NODE
					? onnx_str_is(node->inputs[k], "input_ids")
					: sweep->reads_tokens[node->makers[k]];
	}
	return sweep;
}

/* The keys and values of what was heard depend on tokens only through the number of sequences, which
 * exporters read from the shape of whatever a layer computes. So each such shape becomes an input:
 * otherwise the piece would need all layers before it. */
static int decoder_cut_find_shapes(struct decoder_cut *cut, struct decoder_cut_ports *takes,
				   struct decoder_cut_sweep *sweep)
{
	for (size_t i = onnx_node_count(sweep->onnx); i-- > 0;) {
		const struct onnx_node *node = onnx_node_at(sweep->onnx, i);

		if (!sweep->is_needed[i])
			continue;
		if (sweep->reads_tokens[i] && onnx_str_is(node->op, "Shape") &&
		    node->makers[0] != ONNX_NO_NODE && node->output_count == 1) {
			struct onnx_str name = node->outputs[0];
			char *copy = NULL;

			if (takes->count < DECODER_SHAPES_MAX &&
			    !memchr(name.bytes, '\0', name.len))
				copy = cut->shapes[cut->shape_count++] = onnx_str_copy(name);
			if (!copy)
				return ENOTSUP;
			takes->at[takes->count++] = (struct onnx_port){
				.name = name, .elem_type = ONNX_INT64, .rank = 1};
			continue;
		}
		for (size_t k = 0; k < node->input_count; ++k) {
			if (node->makers[k] != ONNX_NO_NODE)
				sweep->is_needed[node->makers[k]] = true;
			cut->cross_takes_tokens |= onnx_str_is(node->inputs[k], "input_ids");
		}
	}
	return 0;
}

static int decoder_cut_extract_cross(struct decoder_cut *cut, const struct onnx *onnx)
{
	struct decoder_cut_sweep *sweep = decoder_cut_sweep_alloc(onnx);
	struct decoder_cut_ports takes = {.count = 0};
	struct decoder_cut_ports gives = {.count = 0};
	int err = 0;

	if (!sweep)
		return ENOMEM;
	for (size_t i = 0; i < cut->layers; ++i)
		decoder_cut_add_present(&gives, i, "encoder");
	for (size_t i = 0; i < onnx_node_count(onnx); ++i)
		for (size_t k = 0; k < gives.count; ++k)
			sweep->is_needed[i] |=
				onnx_node_at(onnx, i) == onnx_maker(onnx, gives.at[k].name);
	err = decoder_cut_find_shapes(cut, &takes, sweep);
	if (!err)
		err = onnx_extract(onnx, takes.at, takes.count, gives.at, gives.count, &cut->cross,
				   &cut->cross_len);
	mem_deref(sweep);
	return err;
}

static int decoder_cut_cross(struct decoder_cut *cut, const struct onnx *onnx,
			     char why[RUNTIME_WHY_SIZE])
{
	struct onnx *flat = NULL;
	char *bytes = NULL;
	int err = decoder_cut_branch(&flat, &bytes, onnx, "else_branch", why);

	if (!err) {
		err = decoder_cut_extract_cross(cut, flat);
		if (err == ENOENT || err == ENOTSUP || err == EINVAL) {
			snprintf(why, RUNTIME_WHY_SIZE,
				 "its keys of what was heard were not found");
			err = ENOTSUP;
		}
	}
	mem_deref(flat);
	free(bytes);
	return err;
}

/* Finds how scores are made of what the step computes, and what it makes of a token. */
static int decoder_cut_find_table(struct decoder_cut *cut, const struct onnx *onnx,
				  struct decoder_cut_ports *takes)
{
	struct onnx_str output = decoder_cut_str("logits");
	struct onnx_str column = {0};
	int err = embedding_find(&cut->table, onnx, &output, &column);

	if (err == ENOMEM)
		return err;
	cut->output = onnx_str_copy(output);
	if (column.len > 0) {
		cut->column = onnx_str_copy(column);
		decoder_cut_add(takes, column, 3);
	}
	return cut->output && (cut->column || column.len == 0) ? 0 : ENOMEM;
}

static int decoder_cut_extract_step(struct decoder_cut *cut, const struct onnx *onnx,
				    char why[RUNTIME_WHY_SIZE])
{
	struct decoder_cut_ports takes = {.count = 0};
	struct decoder_cut_ports gives = {.count = 0};
	struct onnx *step = NULL;
	int err = decoder_cut_find_table(cut, onnx, &takes);

	if (err)
		return err;
	decoder_cut_add(&gives, decoder_cut_str(cut->output), 3);
	for (size_t i = 0; i < cut->layers && !err; ++i) {
		err = decoder_cut_find_attention(cut, onnx, i);
		if (err == ENOENT) {
			snprintf(why, RUNTIME_WHY_SIZE, "its layer %zu has no attention", i);
			return ENOTSUP;
		}
		decoder_cut_add_present(&gives, i, "decoder");
		if (!err)
			decoder_cut_add(&gives, decoder_cut_str(cut->attention[i]), ONNX_ANY_RANK);
	}
	if (!err)
		err = onnx_extract(onnx, takes.at, takes.count, gives.at, gives.count, &cut->step,
				   &cut->step_len);
	if (!err)
		err = onnx_parse(&step, cut->step, cut->step_len, why, RUNTIME_WHY_SIZE);
	if (!err)
		cut->step_takes_tokens = onnx_is_input(step, decoder_cut_str("input_ids"));
	mem_deref(step);
	return err;
}

static int decoder_cut_step(struct decoder_cut *cut, const struct onnx *onnx,
			    char why[RUNTIME_WHY_SIZE])
{
	struct onnx *flat = NULL;
	char *bytes = NULL;
	int err = decoder_cut_branch(&flat, &bytes, onnx, "then_branch", why);

	if (!err)
		err = decoder_cut_extract_step(cut, flat, why);
	if (err == ENOENT || err == EINVAL) {
		snprintf(why, RUNTIME_WHY_SIZE, "it gives no keys of what it said");
		err = ENOTSUP;
	}
	mem_deref(flat);
	free(bytes);
	return err;
}

void decoder_cut_drop_bytes(struct decoder_cut *cut)
{
	free(cut->cross);
	free(cut->step);
	cut->cross = cut->step = NULL;
}

static void decoder_cut_destroy(void *object)
{
	struct decoder_cut *cut = object;

	decoder_cut_drop_bytes(cut);
	mem_deref(cut->table);
	free(cut->output);
	free(cut->column);
	for (size_t i = 0; i < cut->layers; ++i)
		free(cut->attention[i]);
	for (size_t i = 0; i < cut->shape_count; ++i)
		free(cut->shapes[i]);
}

int decoder_cut(struct decoder_cut **cutp, const struct onnx *onnx, char why[RUNTIME_WHY_SIZE])
{
	struct decoder_cut *cut = mem_zalloc(sizeof(*cut), decoder_cut_destroy);
	int err = 0;

	if (!cut)
		return ENOMEM;
	cut->layers = decoder_cut_count_layers(onnx);
	if (cut->layers == 0) {
		snprintf(why, RUNTIME_WHY_SIZE, "it takes no keys of earlier tokens");
		err = ENOTSUP;
	}
	if (!err)
		err = decoder_cut_cross(cut, onnx, why);
	if (!err)
		err = decoder_cut_step(cut, onnx, why);
	if (err) {
		mem_deref(cut);
		return err;
	}
	*cutp = cut;
	return 0;
}
