/*
 * cut_kokoro.c: prepares a Kokoro graph for running (see cut_kokoro.h).
 */
#include "engine/vits/cut_kokoro.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/mem.h"
#include "engine/neural/onnx_float.h"

/* ONNX's random operators. */
static const char *const cut_kokoro_random_ops[] = {"RandomNormal", "RandomNormalLike",
						    "RandomUniform", "RandomUniformLike"};

/* Operators that pass on durations without changing their meaning. */
static const char *const cut_kokoro_carrier_ops[] = {"Cast", "Clip",    "Gather",
						     "Max",  "Reshape", "Squeeze"};

static bool cut_kokoro_is_one_of(const struct onnx_node *node, const char *const *ops, size_t count)
{
	for (size_t i = 0; i < count; ++i)
		if (onnx_str_is(node->op, ops[i]))
			return true;
	return false;
}

static int cut_kokoro_refuse(char *why, size_t why_size, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static int cut_kokoro_refuse(char *why, size_t why_size, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	onnx_say(why, why_size, format, args);
	va_end(args);
	return ENOTSUP;
}

/* The runtime needs names as NUL-terminated strings. */
static int cut_kokoro_copy_name(char **namep, struct onnx_str name, char *why, size_t why_size)
{
	if (name.len == 0 || memchr(name.bytes, '\0', name.len))
		return cut_kokoro_refuse(why, why_size, "a value has no proper name");
	*namep = onnx_str_copy(name);
	return *namep ? 0 : ENOMEM;
}

/* Exporters use two names for the ids and agree on the others. */
static int cut_kokoro_find_inputs(struct cut_kokoro *cut, const struct onnx *onnx, char *why,
				  size_t why_size)
{
	const struct {
		const char *name;
		char **to;
	} rows[] = {
		{"input_ids", &cut->ids},
		{"tokens", &cut->ids},
		{"style", &cut->style},
		{"speed", &cut->speed},
	};

	for (size_t i = 0; i < onnx_input_count(onnx); ++i) {
		struct onnx_str name = onnx_input_at(onnx, i);
		size_t k = 0;

		while (k < COUNT(rows) && (*rows[k].to || !onnx_str_is(name, rows[k].name)))
			++k;
		if (k == COUNT(rows))
			return cut_kokoro_refuse(why, why_size,
						 "no model of Kokoro: it takes \"%.*s\"",
						 (int)(name.len < 40 ? name.len : 40), name.bytes);
		*rows[k].to = strdup(rows[k].name);
		if (!*rows[k].to)
			return ENOMEM;
	}
	for (size_t k = 1; k < COUNT(rows); ++k)
		if (!*rows[k].to)
			return cut_kokoro_refuse(why, why_size,
						 "no model of Kokoro: it does not take \"%s\"",
						 rows[k].name);
	return 0;
}

static int cut_kokoro_find_noises(struct cut_kokoro *cut, const struct onnx *onnx, char *why,
				  size_t why_size)
{
	int err = 0;

	for (size_t i = 0; i < onnx_node_count(onnx) && !err; ++i) {
		const struct onnx_node *node = onnx_node_at(onnx, i);
		struct cut_kokoro_noise *noise = &cut->noises[cut->noise_count];
		unsigned rank;

		if (!cut_kokoro_is_one_of(node, cut_kokoro_random_ops,
					  COUNT(cut_kokoro_random_ops)) ||
		    node->output_count != 1)
			continue;
		if (cut->noise_count == CUT_KOKORO_NOISES_MAX)
			return cut_kokoro_refuse(why, why_size, "it has more than %d random nodes",
						 CUT_KOKORO_NOISES_MAX);
		rank = onnx_type_of(onnx, node->outputs[0]).rank;
		noise->rank = rank == ONNX_ANY_RANK ? 1 : rank;
		if (noise->rank > CUT_KOKORO_RANK_MAX)
			return cut_kokoro_refuse(why, why_size,
						 "a random value of it has %u dimensions", rank);
		err = cut_kokoro_copy_name(&noise->name, node->outputs[0], why, why_size);
		cut->noise_count += !err;
	}
	return err;
}

/* Durations are rounded, converted to integers and summed to find the frame at which each id
 * begins. The values before the conversion are wanted: a float for each id. */
static struct onnx_str cut_kokoro_find_durations(const struct onnx *onnx)
{
	for (size_t i = 0; i < onnx_node_count(onnx); ++i) {
		const struct onnx_node *node = onnx_node_at(onnx, i);
		struct onnx_str value = {0};

		if (!onnx_str_is(node->op, "CumSum") || node->input_count == 0)
			continue;
		node = onnx_maker(onnx, node->inputs[0]);
		while (node &&
		       cut_kokoro_is_one_of(node, cut_kokoro_carrier_ops,
					    COUNT(cut_kokoro_carrier_ops)) &&
		       node->input_count > 0) {
			if (onnx_str_is(node->op, "Cast"))
				value = node->inputs[0];
			node = onnx_maker(onnx, node->inputs[0]);
		}
		if (node && value.len > 0 && onnx_str_is(node->op, "Round"))
			return value;
	}
	return (struct onnx_str){0};
}

static int cut_kokoro_find_outputs(struct cut_kokoro *cut, const struct onnx *onnx, char *why,
				   size_t why_size)
{
	struct onnx_str durations = cut_kokoro_find_durations(onnx);
	int err;

	if (onnx_output_count(onnx) == 0)
		return cut_kokoro_refuse(why, why_size, "no model of Kokoro: it gives nothing");
	err = cut_kokoro_copy_name(&cut->samples, onnx_output_at(onnx, 0), why, why_size);
	if (err || durations.len == 0)
		return err;
	return cut_kokoro_copy_name(&cut->durations, durations, why, why_size);
}

static struct onnx_port cut_kokoro_port(const char *name, unsigned rank)
{
	return (struct onnx_port){
		.name = {.bytes = name, .len = strlen(name)},
		.elem_type = ONNX_FLOAT,
		.rank = rank,
	};
}

static int cut_kokoro_write_graph(struct cut_kokoro *cut, const struct onnx *onnx, char *why,
				  size_t why_size)
{
	struct onnx_port takes[CUT_KOKORO_NOISES_MAX];
	struct onnx_port gives[2] = {cut_kokoro_port(cut->samples, ONNX_ANY_RANK)};
	size_t give_count = 1;
	int err;

	for (size_t i = 0; i < cut->noise_count; ++i)
		takes[i] = cut_kokoro_port(cut->noises[i].name, cut->noises[i].rank);
	if (cut->durations)
		gives[give_count++] = cut_kokoro_port(cut->durations, ONNX_ANY_RANK);
	err = onnx_extract(onnx, takes, cut->noise_count, gives, give_count, &cut->bytes,
			   &cut->len);
	if (!err || err == ENOMEM)
		return err;
	return cut_kokoro_refuse(why, why_size, "its samples are made by nothing");
}

static void cut_kokoro_destroy(void *object)
{
	struct cut_kokoro *cut = object;

	free(cut->bytes);
	free(cut->ids);
	free(cut->style);
	free(cut->speed);
	for (size_t i = 0; i < cut->noise_count; ++i)
		free(cut->noises[i].name);
	free(cut->samples);
	free(cut->durations);
}

static int cut_kokoro_cut_graph(struct cut_kokoro *cut, const struct onnx *onnx, char *why,
				size_t why_size)
{
	int err = cut_kokoro_find_inputs(cut, onnx, why, why_size);

	if (!err)
		err = cut_kokoro_find_noises(cut, onnx, why, why_size);
	if (!err)
		err = cut_kokoro_find_outputs(cut, onnx, why, why_size);
	if (!err)
		err = cut_kokoro_write_graph(cut, onnx, why, why_size);
	return err;
}

/* With float convolutions, if it is quantised. */
static int cut_kokoro_cut_rewritten(struct cut_kokoro *cut, const struct onnx *onnx, char *why,
				    size_t why_size)
{
	struct onnx *rewritten = NULL;
	char *bytes;
	size_t len;
	size_t count;
	int err = onnx_float_convolutions(onnx, &bytes, &len, &count);

	if (err)
		return err;
	if (count == 0)
		return cut_kokoro_cut_graph(cut, onnx, why, why_size);
	err = onnx_parse(&rewritten, bytes, len, why, why_size);
	if (!err)
		err = cut_kokoro_cut_graph(cut, rewritten, why, why_size);
	mem_deref(rewritten);
	free(bytes);
	return err == EINVAL ? ENOTSUP : err;
}

int cut_kokoro(struct cut_kokoro **cutp, const struct onnx *onnx, char *why, size_t why_size)
{
	struct cut_kokoro *cut = mem_zalloc(sizeof(*cut), cut_kokoro_destroy);
	int err;

	if (!cut)
		return ENOMEM;
	err = cut_kokoro_cut_rewritten(cut, onnx, why, why_size);
	if (err) {
		mem_deref(cut);
		return err;
	}
	*cutp = cut;
	return 0;
}

void cut_kokoro_drop_bytes(struct cut_kokoro *cut)
{
	free(cut->bytes);
	cut->bytes = NULL;
	cut->len = 0;
}
