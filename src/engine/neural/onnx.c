/*
 * onnx.c: the index of a model and queries on it (see onnx.h).
 */
#include "engine/neural/onnx.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "engine/neural/onnx_private.h"

/* A shape with more dimensions is treated as damaged and not copied. */
#define RANK_MAX 8

bool onnx_str_is(struct onnx_str str, const char *literal)
{
	return onnx_str_equal(str, (struct onnx_str){.bytes = literal, .len = strlen(literal)});
}

char *onnx_str_copy(struct onnx_str str)
{
	char *copy = malloc(str.len + 1);

	if (!copy)
		return NULL;
	memcpy(copy, str.bytes, str.len);
	copy[str.len] = '\0';
	return copy;
}

bool onnx_str_equal(struct onnx_str a, struct onnx_str b)
{
	return a.len == b.len && (a.len == 0 || memcmp(a.bytes, b.bytes, a.len) == 0);
}

int onnx_find(struct protobuf_field *field, struct onnx_str message, uint32_t number,
	      enum protobuf_kind kind)
{
	struct protobuf_reader reader = protobuf_reader(message);
	struct protobuf_field next;
	bool found = false;
	int err;

	while ((err = protobuf_next(&reader, &next)) == 0) {
		if (next.number != number)
			continue;
		if (next.kind != kind)
			return EINVAL;
		*field = next;
		found = true;
	}
	if (err != ENODATA)
		return err;
	return found ? 0 : ENOENT;
}

/* FNV-1a. Deliberate collisions are harmless: entries are sorted, and the hash is only
 * compared first. */
static uint64_t onnx_hash_of(struct onnx_str name)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < name.len; ++i)
		hash = (hash ^ (uint8_t)name.bytes[i]) * UINT64_C(0x100000001b3);
	return hash;
}

static int onnx_compare_names(const struct onnx_entry *a, const struct onnx_entry *b)
{
	if (a->hash != b->hash)
		return a->hash < b->hash ? -1 : 1;
	if (a->name.len != b->name.len)
		return a->name.len < b->name.len ? -1 : 1;
	return a->name.len ? memcmp(a->name.bytes, b->name.bytes, a->name.len) : 0;
}

static int onnx_compare_entries(const void *left, const void *right)
{
	const struct onnx_entry *a = left;
	const struct onnx_entry *b = right;
	int order = onnx_compare_names(a, b);

	return order ? order : (int)a->role - (int)b->role;
}

static struct onnx_entry *onnx_find_entry(const struct onnx *onnx, struct onnx_str name,
					  enum onnx_role role)
{
	struct onnx_entry key = {.hash = onnx_hash_of(name), .name = name, .role = role};

	if (name.len == 0) /* an omitted value */
		return NULL;
	return bsearch(&key, onnx->entries, onnx->entry_count, sizeof(key), onnx_compare_entries);
}

bool onnx_look_up(const struct onnx *onnx, struct onnx_str name, enum onnx_role role, uint32_t *at)
{
	const struct onnx_entry *found = onnx_find_entry(onnx, name, role);

	if (found)
		*at = found->at;
	return found;
}

static void onnx_add_entry(struct onnx *onnx, struct onnx_str name, enum onnx_role role, size_t at)
{
	if (name.len > 0)
		onnx->entries[onnx->entry_count++] = (struct onnx_entry){
			.hash = onnx_hash_of(name), .name = name, .role = role, .at = (uint32_t)at};
}

static void onnx_add_entries(struct onnx *onnx)
{
	for (size_t i = 0; i < onnx->node_count; ++i)
		for (size_t k = 0; k < onnx->nodes[i].output_count; ++k)
			onnx_add_entry(onnx, onnx->nodes[i].outputs[k], ONNX_MADE, i);
	for (size_t i = 0; i < onnx->weight_count; ++i)
		onnx_add_entry(onnx, onnx->weights[i].name, ONNX_WEIGHT, i);
	for (size_t i = 0; i < onnx->input_count; ++i)
		onnx_add_entry(onnx, onnx->inputs[i].name, ONNX_INPUT, i);
	for (size_t i = 0; i < onnx->described_count; ++i)
		onnx_add_entry(onnx, onnx->described[i].name, ONNX_DESCRIBED, i);
}

/* Every value has one producer. The type of a value may be declared twice, and a weight may be
 * listed as an input. */
static bool onnx_may_share_name(const struct onnx_entry *a, const struct onnx_entry *b)
{
	if (b->role == ONNX_DESCRIBED)
		return true;
	return a->role == ONNX_WEIGHT && b->role == ONNX_INPUT;
}

static int onnx_check_entries(const struct onnx *onnx, char *why, size_t why_size)
{
	for (size_t i = 1; i < onnx->entry_count; ++i) {
		const struct onnx_entry *a = &onnx->entries[i - 1];

		if (onnx_compare_names(a, a + 1) == 0 && !onnx_may_share_name(a, a + 1))
			return onnx_refuse(why, why_size, "two things are called \"%.*s\"",
					   (int)(a->name.len < 80 ? a->name.len : 80),
					   a->name.bytes);
	}
	return 0;
}

/* Weights are not inputs, even if they are listed as such. Their entries as inputs are kept
 * and never used, because the role of a weight is checked first. */
static void onnx_keep_true_inputs(struct onnx *onnx)
{
	size_t kept = 0;

	for (size_t i = 0; i < onnx->input_count; ++i) {
		struct onnx_entry *entry = onnx_find_entry(onnx, onnx->inputs[i].name, ONNX_INPUT);

		if (!entry || onnx_is_weight(onnx, onnx->inputs[i].name))
			continue;
		entry->at = (uint32_t)kept;
		onnx->inputs[kept++] = onnx->inputs[i];
	}
	onnx->input_count = kept;
}

static int onnx_index_names(struct onnx *onnx, char *why, size_t why_size)
{
	size_t max = onnx->weight_count + onnx->input_count + onnx->described_count;
	int err;

	for (size_t i = 0; i < onnx->node_count; ++i)
		max += onnx->nodes[i].output_count;
	onnx->entries = mem_zalloc(max * sizeof(*onnx->entries), NULL);
	if (!onnx->entries)
		return ENOMEM;
	onnx_add_entries(onnx);
	qsort(onnx->entries, onnx->entry_count, sizeof(*onnx->entries), onnx_compare_entries);
	err = onnx_check_entries(onnx, why, why_size);
	if (!err)
		onnx_keep_true_inputs(onnx);
	return err;
}

static int onnx_link_input(struct onnx *onnx, size_t at, size_t k, char *why, size_t why_size)
{
	struct onnx_node *node = &onnx->nodes[at];
	struct onnx_str name = node->inputs[k];
	uint32_t maker;

	node->makers[k] = ONNX_NO_NODE;
	if (name.len == 0)
		return 0;
	if (onnx_look_up(onnx, name, ONNX_MADE, &maker)) {
		if (maker < at)
			node->makers[k] = maker;
		else if (k < node->input_count)
			return onnx_refuse(why, why_size, "its nodes are not in order");
		return 0;
	}
	if (k >= node->input_count || onnx_is_weight(onnx, name) || onnx_is_input(onnx, name))
		return 0;
	return onnx_refuse(why, why_size, "nothing makes \"%.*s\"",
			   (int)(name.len < 80 ? name.len : 80), name.bytes);
}

static int onnx_link_nodes(struct onnx *onnx, char *why, size_t why_size)
{
	for (size_t i = 0; i < onnx->node_count; ++i) {
		size_t count = onnx->nodes[i].input_count + onnx->nodes[i].captured_count;

		for (size_t k = 0; k < count; ++k) {
			int err = onnx_link_input(onnx, i, k, why, why_size);

			if (err)
				return err;
		}
	}
	return 0;
}

static void onnx_destroy(void *object)
{
	struct onnx *onnx = object;

	mem_deref(onnx->nodes);
	mem_deref(onnx->names);
	mem_deref(onnx->makers);
	mem_deref(onnx->weights);
	mem_deref(onnx->inputs);
	mem_deref(onnx->outputs);
	mem_deref(onnx->described);
	mem_deref(onnx->entries);
}

int onnx_parse(struct onnx **onnxp, const void *bytes, size_t len, char *why, size_t why_size)
{
	struct onnx *onnx = mem_zalloc(sizeof(*onnx), onnx_destroy);
	int err;

	if (!onnx)
		return ENOMEM;
	if (why_size > 0)
		why[0] = '\0';
	onnx->file = (struct onnx_str){.bytes = bytes, .len = len};
	err = onnx_read(onnx, why, why_size);
	if (!err)
		err = onnx_index_names(onnx, why, why_size);
	if (!err)
		err = onnx_link_nodes(onnx, why, why_size);
	if (err) {
		if (err == EINVAL && why_size > 0 && !why[0])
			onnx_refuse(why, why_size, "it is damaged or no ONNX model");
		mem_deref(onnx);
		return err;
	}
	*onnxp = onnx;
	return 0;
}

size_t onnx_node_count(const struct onnx *onnx)
{
	return onnx->node_count;
}

const struct onnx_node *onnx_node_at(const struct onnx *onnx, size_t i)
{
	assert(i < onnx->node_count);
	return &onnx->nodes[i];
}

const struct onnx_node *onnx_maker(const struct onnx *onnx, struct onnx_str value)
{
	uint32_t at;

	return onnx_look_up(onnx, value, ONNX_MADE, &at) ? &onnx->nodes[at] : NULL;
}

static int onnx_find_attribute(struct protobuf_field *field, const struct onnx_node *node,
			       const char *name, uint32_t number, enum protobuf_kind kind)
{
	struct protobuf_reader reader = protobuf_reader(node->message);
	struct protobuf_field attribute;

	while (protobuf_next(&reader, &attribute) == 0) {
		struct protobuf_field key;

		if (attribute.number == NODE_ATTRIBUTE &&
		    onnx_find(&key, attribute.bytes, ATTRIBUTE_NAME, PROTOBUF_BYTES) == 0 &&
		    onnx_str_is(key.bytes, name))
			return onnx_find(field, attribute.bytes, number, kind);
	}
	return ENOENT;
}

int64_t onnx_node_int(const struct onnx_node *node, const char *name, int64_t otherwise)
{
	struct protobuf_field field;

	if (onnx_find_attribute(&field, node, name, ATTRIBUTE_INT, PROTOBUF_NUMBER))
		return otherwise;
	return (int64_t)field.value;
}

float onnx_node_float(const struct onnx_node *node, const char *name, float otherwise)
{
	struct protobuf_field field;
	uint32_t bits;
	float value;

	if (onnx_find_attribute(&field, node, name, ATTRIBUTE_FLOAT, PROTOBUF_FIXED_32))
		return otherwise;
	bits = (uint32_t)field.value;
	memcpy(&value, &bits, sizeof(value));
	return value;
}

bool onnx_is_weight(const struct onnx *onnx, struct onnx_str value)
{
	uint32_t at;

	return onnx_look_up(onnx, value, ONNX_WEIGHT, &at);
}

bool onnx_is_input(const struct onnx *onnx, struct onnx_str value)
{
	uint32_t at;

	return onnx_look_up(onnx, value, ONNX_INPUT, &at) && !onnx_is_weight(onnx, value);
}

size_t onnx_input_count(const struct onnx *onnx)
{
	return onnx->input_count;
}

struct onnx_str onnx_input_at(const struct onnx *onnx, size_t i)
{
	assert(i < onnx->input_count);
	return onnx->inputs[i].name;
}

size_t onnx_output_count(const struct onnx *onnx)
{
	return onnx->output_count;
}

struct onnx_str onnx_output_at(const struct onnx *onnx, size_t i)
{
	assert(i < onnx->output_count);
	return onnx->outputs[i].name;
}

static int onnx_elem_type(struct onnx_str message, uint32_t number)
{
	struct protobuf_field field;

	if (onnx_find(&field, message, number, PROTOBUF_NUMBER) || field.value > INT_MAX)
		return ONNX_UNKNOWN;
	return (int)field.value;
}

static unsigned onnx_rank_of(struct onnx_str shape)
{
	struct protobuf_reader reader = protobuf_reader(shape);
	struct protobuf_field field;
	unsigned rank = 0;
	int err;

	while ((err = protobuf_next(&reader, &field)) == 0)
		rank += field.number == SHAPE_DIM;
	return err == ENODATA && rank <= RANK_MAX ? rank : ONNX_ANY_RANK;
}

static struct onnx_type onnx_described_type(struct onnx_str value)
{
	struct onnx_type type = {.elem_type = ONNX_UNKNOWN, .rank = ONNX_ANY_RANK};
	struct protobuf_field field;

	if (onnx_find(&field, value, VALUE_TYPE, PROTOBUF_BYTES) ||
	    onnx_find(&field, field.bytes, TYPE_TENSOR, PROTOBUF_BYTES))
		return type;
	type.elem_type = onnx_elem_type(field.bytes, TENSOR_TYPE_ELEM);
	if (onnx_find(&field, field.bytes, TENSOR_TYPE_SHAPE, PROTOBUF_BYTES) == 0)
		type.rank = onnx_rank_of(field.bytes);
	return type;
}

struct onnx_type onnx_type_of(const struct onnx *onnx, struct onnx_str value)
{
	uint32_t at;

	if (onnx_look_up(onnx, value, ONNX_WEIGHT, &at))
		return (struct onnx_type){
			.elem_type = onnx_elem_type(onnx->weights[at].message, TENSOR_ELEM_TYPE),
			.rank = ONNX_ANY_RANK,
		};
	if (onnx_look_up(onnx, value, ONNX_DESCRIBED, &at))
		return onnx_described_type(onnx->described[at].message);
	if (onnx_look_up(onnx, value, ONNX_INPUT, &at))
		return onnx_described_type(onnx->inputs[at].message);
	return (struct onnx_type){.elem_type = ONNX_UNKNOWN, .rank = ONNX_ANY_RANK};
}

struct onnx_str onnx_note(const struct onnx *onnx, const char *key)
{
	struct protobuf_reader reader = protobuf_reader(onnx->file);
	struct protobuf_field note;

	while (protobuf_next(&reader, &note) == 0) {
		struct protobuf_field field;

		if (note.number != MODEL_NOTE ||
		    onnx_find(&field, note.bytes, NOTE_KEY, PROTOBUF_BYTES) ||
		    !onnx_str_is(field.bytes, key))
			continue;
		if (onnx_find(&field, note.bytes, NOTE_VALUE, PROTOBUF_BYTES) == 0)
			return field.bytes;
	}
	return (struct onnx_str){0};
}
