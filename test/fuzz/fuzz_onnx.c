/*
 * fuzz_onnx.c: model files from any bytes.
 *
 * Checked: from a model that can be parsed, a part for any of its values can be extracted that can
 * be parsed and has no more nodes; a model that is cut gives models that can be parsed; a branch can
 * take the place of its If; and a
 * conversion of convolutions to floats adds as many nodes as it reports.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/mem.h"
#include "engine/hear/decoder_cut.h"
#include "engine/neural/onnx_branch.h"
#include "engine/neural/onnx_float.h"
#include "engine/vits/cut.h"
#include "engine/vits/cut_kokoro.h"

#define WHY_SIZE 64
/* A file may have thousands of values, so only some of them are tried, spread over all. */
#define PIECES_MAX 16

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

static size_t count_nodes(const void *bytes, size_t len)
{
	struct onnx *onnx = NULL;
	char why[WHY_SIZE];
	size_t count;

	if (onnx_parse(&onnx, bytes, len, why, sizeof(why)))
		abort();
	count = onnx_node_count(onnx);
	mem_deref(onnx);
	return count;
}

/* Extracts the piece from the node's first input to its last output. */
static void check_piece(const struct onnx *onnx, const struct onnx_node *node)
{
	struct onnx_port takes = {.elem_type = ONNX_FLOAT, .rank = 3};
	struct onnx_port gives = {.elem_type = ONNX_FLOAT, .rank = ONNX_ANY_RANK};
	char *bytes;
	size_t len;
	int err;

	if (node->output_count == 0)
		return;
	if (node->input_count > 0)
		takes.name = node->inputs[0];
	gives.name = node->outputs[node->output_count - 1];
	err = onnx_extract(onnx, &takes, takes.name.len > 0, &gives, 1, &bytes, &len);
	if (err == ENOENT || err == EINVAL)
		return;
	if (err)
		abort();
	if (count_nodes(bytes, len) > onnx_node_count(onnx))
		abort();
	free(bytes);
}

static void check_pieces(const struct onnx *onnx)
{
	size_t count = onnx_node_count(onnx);

	for (size_t i = 0; i < count; i += 1 + count / PIECES_MAX)
		check_piece(onnx, onnx_node_at(onnx, i));
}

static void check_cut(const struct onnx *onnx)
{
	struct cut *cut = NULL;
	char why[WHY_SIZE] = "";
	int err = cut_vits(&cut, onnx, why, sizeof(why));

	if (err && (err != ENOTSUP || !why[0]))
		abort();
	if (err)
		return;
	count_nodes(cut->text.bytes, cut->text.len);
	count_nodes(cut->flow.bytes, cut->flow.len);
	count_nodes(cut->head.bytes, cut->head.len);
	count_nodes(cut->tail.bytes, cut->tail.len);
	mem_deref(cut);
}

static void check_kokoro(const struct onnx *onnx)
{
	struct cut_kokoro *cut = NULL;
	char why[WHY_SIZE] = "";
	int err = cut_kokoro(&cut, onnx, why, sizeof(why));

	if (err && (err != ENOTSUP || !why[0]))
		abort();
	if (err)
		return;
	count_nodes(cut->bytes, cut->len);
	mem_deref(cut);
}

/* Every convolution is replaced by two nodes.  The result may be invalid, because a name that we
 * add may already be in use. */
static void check_floats(const struct onnx *onnx)
{
	struct onnx *rewritten = NULL;
	char why[WHY_SIZE] = "";
	size_t len, count;
	char *bytes;

	if (onnx_float_convolutions(onnx, &bytes, &len, &count))
		abort();
	if (count == 0)
		return;
	if (onnx_parse(&rewritten, bytes, len, why, sizeof(why)) == 0 &&
	    onnx_node_count(rewritten) != onnx_node_count(onnx) + count)
		abort();
	mem_deref(rewritten);
	free(bytes);
}

static void check_decoder(const struct onnx *onnx)
{
	struct decoder_cut *cut = NULL;
	char why[RUNTIME_WHY_SIZE] = "";
	int err = decoder_cut(&cut, onnx, why);

	if (err && ((err != ENOTSUP && err != EINVAL) || !why[0]))
		abort();
	if (err)
		return;
	count_nodes(cut->cross, cut->cross_len);
	count_nodes(cut->step, cut->step_len);
	mem_deref(cut);
}

/* The result may be invalid, because a name of the branch may already be in use. */
static void check_branches(const struct onnx *onnx)
{
	size_t count = onnx_node_count(onnx);

	for (size_t i = 0; i < count; i += 1 + count / PIECES_MAX) {
		const struct onnx_node *node = onnx_node_at(onnx, i);
		struct onnx *flat = NULL;
		char why[WHY_SIZE] = "";
		char *bytes;
		size_t len;

		if (onnx_branch(onnx, node, "then_branch", &bytes, &len))
			continue;
		onnx_parse(&flat, bytes, len, why, sizeof(why));
		mem_deref(flat);
		free(bytes);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	struct onnx *onnx = NULL;
	char why[WHY_SIZE] = "";
	int err = onnx_parse(&onnx, bytes, len, why, sizeof(why));

	if (err && (err != EINVAL || !why[0]))
		abort();
	if (err)
		return 0;
	onnx_note(onnx, "model_type");
	check_pieces(onnx);
	check_cut(onnx);
	check_kokoro(onnx);
	check_floats(onnx);
	check_branches(onnx);
	check_decoder(onnx);
	mem_deref(onnx);
	return 0;
}
