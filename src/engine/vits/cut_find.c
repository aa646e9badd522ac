/*
 * cut_find.c: finds the values at which a VITS graph is divided (see cut_find.h).
 *
 * How such a model computes, and what is searched for in it:
 *
 *     ids ─► encoder ─┬─► durations: the only Ceil ◄── noise, in most models
 *                     └─► mean, deviation, repeated to frames
 *     latent   = mean + noise × deviation × scale: Mul, Mul, Add after the
 *                random node that the durations do not depend on
 *     features = the input of the convolution before the first ConvTranspose that
 *                depends on the latent
 *     hidden   = the input of the next ConvTranspose
 *     output   = the graph's output that depends on the latent
 *
 * A node is marked with what it depends on and which piece needs it. Nodes are in an order
 * in which they can be computed, so dependencies are found in one sweep forward and needs in
 * one sweep back.
 */
#include "engine/vits/cut_find.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "base/count.h"
#include "base/mem.h"

enum cut_find_mark {
	VARIES = 1, /* depends on an input or on a random node */
	ON_IDS = 2, /* depends on the text's ids */
	ON_LATENT = 4, /* depends on the latent's noise */
	IN_TEXT = 8, /* the pieces that need it */
	IN_FLOW = 16,
	IN_HEAD = 32,
	IN_TAIL = 64,
};

/* How many nodes back the type of a value is searched for. */
#define TYPE_STEPS_MAX 16

/* The number of random nodes in a supported model. */
#define RANDOM_MAX 2

struct cut_find_search {
	const struct onnx *onnx;
	struct cut_joints *joints;
	unsigned char *marks; /* of each node */
	uint32_t randoms[RANDOM_MAX];
	size_t random_count;
	uint32_t ceil;
	uint32_t noise; /* the random node of the latent */
	char *why;
	size_t why_size;
};

static int cut_find_refuse(struct cut_find_search *search, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static int cut_find_refuse(struct cut_find_search *search, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	onnx_say(search->why, search->why_size, format, args);
	va_end(args);
	return ENOTSUP;
}

static size_t cut_find_read_count(const struct onnx_node *node)
{
	return node->input_count + node->captured_count;
}

static bool cut_find_marked(const struct cut_find_search *search, uint32_t node, unsigned mark)
{
	return node != ONNX_NO_NODE && (search->marks[node] & mark) == mark;
}

static void cut_find_set_mark(struct cut_find_search *search, uint32_t node, unsigned mark)
{
	search->marks[node] = (unsigned char)(search->marks[node] | mark);
}

static void cut_find_clear_marks(struct cut_find_search *search, unsigned mark)
{
	for (size_t i = 0; i < onnx_node_count(search->onnx); ++i)
		search->marks[i] = (unsigned char)(search->marks[i] & ~mark);
}

/* The node that produces a value which is known to have a producer. */
static uint32_t cut_find_producer_of(const struct cut_find_search *search, struct onnx_str value)
{
	const struct onnx_node *node = onnx_maker(search->onnx, value);

	return node ? (uint32_t)(node - onnx_node_at(search->onnx, 0)) : ONNX_NO_NODE;
}

static bool cut_find_is_random(const struct onnx_node *node)
{
	return onnx_str_is(node->op, "RandomNormalLike") || onnx_str_is(node->op, "RandomNormal");
}

/* The noise that the caller provides has mean 0 and deviation 1. */
static bool cut_find_is_standard(const struct onnx_node *node)
{
	return fabsf(onnx_node_float(node, "mean", 0)) <= 0 &&
	       fabsf(onnx_node_float(node, "scale", 1) - 1) <= 0 && node->output_count == 1;
}

static int cut_find_note_random(struct cut_find_search *search, uint32_t at)
{
	if (!cut_find_is_standard(onnx_node_at(search->onnx, at)))
		return cut_find_refuse(search, "a random node is not of mean 0 and deviation 1");
	if (search->random_count == RANDOM_MAX)
		return cut_find_refuse(search, "it has more than %d random nodes", RANDOM_MAX);
	search->randoms[search->random_count++] = at;
	return 0;
}

static int cut_find_landmarks(struct cut_find_search *search)
{
	search->ceil = ONNX_NO_NODE;
	for (uint32_t i = 0; i < onnx_node_count(search->onnx); ++i) {
		const struct onnx_node *node = onnx_node_at(search->onnx, i);

		if (cut_find_is_random(node)) {
			int err = cut_find_note_random(search, i);

			if (err)
				return err;
		}
		if (!onnx_str_is(node->op, "Ceil") || node->output_count != 1)
			continue;
		if (search->ceil != ONNX_NO_NODE)
			return cut_find_refuse(
				search, "it rounds up in two places, not only for durations");
		search->ceil = i;
	}
	if (search->ceil == ONNX_NO_NODE)
		return cut_find_refuse(search, "it has no durations (no Ceil node)");
	return search->random_count ? 0 : cut_find_refuse(search, "it has no random node");
}

/* What a node depends on through one of its inputs. */
static unsigned cut_find_depends_on(const struct cut_find_search *search,
				    const struct onnx_node *node, size_t k)
{
	uint32_t maker = node->makers[k];

	if (maker != ONNX_NO_NODE)
		return search->marks[maker] & (VARIES | ON_IDS | ON_LATENT);
	if (!onnx_is_input(search->onnx, node->inputs[k]))
		return 0;
	return onnx_str_is(node->inputs[k], "input") ? VARIES | ON_IDS : VARIES;
}

static void cut_find_mark_forward(struct cut_find_search *search)
{
	for (uint32_t i = 0; i < onnx_node_count(search->onnx); ++i) {
		const struct onnx_node *node = onnx_node_at(search->onnx, i);
		unsigned mark = cut_find_is_random(node) ? VARIES : 0;

		if (i == search->noise)
			mark |= ON_LATENT;
		for (size_t k = 0; k < cut_find_read_count(node); ++k)
			mark |= cut_find_depends_on(search, node, k);
		cut_find_set_mark(search, i, mark);
	}
}

/* Marks what the marked nodes need, back to the value `stop` and to the values that the text
 * piece outputs anyway. */
static void cut_find_sweep_back(struct cut_find_search *search, struct onnx_str stop, unsigned mark)
{
	for (uint32_t i = (uint32_t)onnx_node_count(search->onnx); i-- > 0;) {
		const struct onnx_node *node = onnx_node_at(search->onnx, i);

		if (!cut_find_marked(search, i, mark))
			continue;
		for (size_t k = 0; k < cut_find_read_count(node); ++k) {
			uint32_t maker = node->makers[k];

			if (maker != ONNX_NO_NODE &&
			    !cut_find_marked(search, maker, VARIES | IN_TEXT) &&
			    !onnx_str_equal(node->inputs[k], stop))
				cut_find_set_mark(search, maker, mark);
		}
	}
}

static void cut_find_mark_back(struct cut_find_search *search, struct onnx_str goal,
			       struct onnx_str stop, unsigned mark)
{
	cut_find_set_mark(search, cut_find_producer_of(search, goal), mark);
	cut_find_sweep_back(search, stop, mark);
}

/* Distinguishes the random node of the durations from that of the latent. */
static int cut_find_classify_randoms(struct cut_find_search *search)
{
	struct onnx_str durations = onnx_node_at(search->onnx, search->ceil)->outputs[0];

	search->joints->durations = durations;
	search->noise = ONNX_NO_NODE;
	cut_find_mark_back(search, durations, (struct onnx_str){0}, IN_TAIL);
	for (size_t i = 0; i < search->random_count; ++i) {
		const struct onnx_node *node = onnx_node_at(search->onnx, search->randoms[i]);

		if (cut_find_marked(search, search->randoms[i], IN_TAIL)) {
			search->joints->duration_noise = node->outputs[0];
			continue;
		}
		if (search->noise != ONNX_NO_NODE)
			return cut_find_refuse(search,
					       "durations hang on none of its two random nodes");
		search->noise = search->randoms[i];
		search->joints->latent_noise = node->outputs[0];
	}
	cut_find_clear_marks(search, IN_TAIL);
	if (search->noise == ONNX_NO_NODE)
		return cut_find_refuse(search, "no random node is left for the latent");
	return 0;
}

/* The only node that has a value as its input, and the index of that input; NULL when there
 * are several or none. */
static const struct onnx_node *cut_find_only_taker(const struct cut_find_search *search,
						   struct onnx_str value, size_t *place)
{
	uint32_t maker = cut_find_producer_of(search, value);
	const struct onnx_node *taker = NULL;

	for (size_t i = maker; i < onnx_node_count(search->onnx); ++i) {
		const struct onnx_node *node = onnx_node_at(search->onnx, i);

		for (size_t k = 0; k < cut_find_read_count(node); ++k) {
			if (node->makers[k] != maker || !onnx_str_equal(node->inputs[k], value))
				continue;
			if (taker)
				return NULL;
			taker = node;
			*place = k;
		}
	}
	return taker;
}

/* A factor of the noise: the deviation, which depends on the text, or the scale, which does
 * not. */
static int cut_find_take_factor(struct cut_find_search *search, struct onnx_str factor,
				bool *has_scale)
{
	struct onnx_str *deviation = &search->joints->deviation;

	if (!cut_find_marked(search, cut_find_producer_of(search, factor), ON_IDS)) {
		if (*has_scale)
			return cut_find_refuse(search, "the latent's noise is scaled twice");
		*has_scale = true;
		return 0;
	}
	if (deviation->len > 0)
		return cut_find_refuse(search, "the latent's noise has two deviations");
	*deviation = factor;
	return 0;
}

/* Follows the noise from the random node through two Mul to the Add, with operands in any
 * order. */
static int cut_find_follow_noise(struct cut_find_search *search)
{
	struct cut_joints *joints = search->joints;
	struct onnx_str value = joints->latent_noise;
	bool has_scale = false;
	int err = 0;

	while (!err) {
		size_t place = 0;
		const struct onnx_node *node = cut_find_only_taker(search, value, &place);

		if (!node || node->input_count != 2 || node->output_count != 1 || place > 1)
			break;
		if (onnx_str_is(node->op, "Mul")) {
			err = cut_find_take_factor(search, node->inputs[1 - place], &has_scale);
		} else if (onnx_str_is(node->op, "Add")) {
			joints->mean = node->inputs[1 - place];
			joints->latent = node->outputs[0];
			break;
		} else {
			break;
		}
		value = node->outputs[0];
	}
	if (err)
		return err;
	if (joints->latent.len == 0 || joints->deviation.len == 0 || !has_scale ||
	    !cut_find_marked(search, cut_find_producer_of(search, joints->mean), ON_IDS))
		return cut_find_refuse(search,
				       "the latent is not mean + noise * deviation * scale");
	return 0;
}

static int cut_find_mark_text(struct cut_find_search *search)
{
	struct cut_joints *joints = search->joints;
	struct onnx_str goals[] = {joints->durations, joints->mean, joints->deviation};

	for (size_t i = 0; i < COUNT(goals); ++i) {
		uint32_t maker = cut_find_producer_of(search, goals[i]);

		if (cut_find_marked(search, maker, ON_LATENT))
			return cut_find_refuse(search,
					       "durations or the latent's mean hang on its noise");
		cut_find_set_mark(search, maker, IN_TEXT);
	}
	cut_find_sweep_back(search, joints->duration_noise, IN_TEXT);
	return 0;
}

static uint32_t cut_find_next_upsampling(const struct cut_find_search *search, uint32_t from)
{
	for (uint32_t i = from; i < onnx_node_count(search->onnx); ++i)
		if (cut_find_marked(search, i, ON_LATENT) &&
		    onnx_str_is(onnx_node_at(search->onnx, i)->op, "ConvTranspose"))
			return i;
	return ONNX_NO_NODE;
}

/* The only input that depends on the latent, else -1. */
static int cut_find_latent_input(const struct cut_find_search *search, const struct onnx_node *node)
{
	int found = -1;

	for (size_t k = 0; k < node->input_count; ++k) {
		if (!cut_find_marked(search, node->makers[k], ON_LATENT))
			continue;
		if (found >= 0)
			return -1;
		found = (int)k;
	}
	return found;
}

static int cut_find_features(struct cut_find_search *search)
{
	uint32_t at = cut_find_next_upsampling(search, 0);

	while (at != ONNX_NO_NODE) {
		const struct onnx_node *node = onnx_node_at(search->onnx, at);
		int k = cut_find_latent_input(search, node);

		if (k < 0)
			break;
		if (onnx_str_is(node->op, "Conv") && k == 0) {
			search->joints->features = node->inputs[0];
			break;
		}
		at = node->makers[k];
	}
	if (search->joints->features.len == 0)
		return cut_find_refuse(search, "it has no decoder (Conv, then ConvTranspose)");
	if (onnx_str_equal(search->joints->features, search->joints->latent))
		return cut_find_refuse(search, "it has no flow between latent and decoder");
	return 0;
}

/* The decoder expands frames to columns in steps. Those of the first step are few and depend
 * on a wide context, those of the others are many and depend only on their neighbours: windows
 * cost least when it is divided between them. */
static int cut_find_hidden(struct cut_find_search *search)
{
	uint32_t at = cut_find_next_upsampling(search, cut_find_next_upsampling(search, 0) + 1);

	if (at == ONNX_NO_NODE)
		return cut_find_refuse(search, "its decoder has one step (ConvTranspose) only");
	if (cut_find_latent_input(search, onnx_node_at(search->onnx, at)) != 0)
		return cut_find_refuse(search,
				       "its decoder's second step does not take the first's");
	search->joints->hidden = onnx_node_at(search->onnx, at)->inputs[0];
	return 0;
}

static int cut_find_output(struct cut_find_search *search)
{
	struct onnx_str *output = &search->joints->output;

	for (size_t i = 0; i < onnx_output_count(search->onnx); ++i) {
		struct onnx_str name = onnx_output_at(search->onnx, i);

		if (!cut_find_marked(search, cut_find_producer_of(search, name), ON_LATENT))
			continue;
		if (output->len > 0)
			return cut_find_refuse(search,
					       "it has two outputs that hang on the latent");
		*output = name;
	}
	return output->len ? 0 : cut_find_refuse(search, "no output hangs on the latent");
}

static int cut_find_mark_later_pieces(struct cut_find_search *search)
{
	struct cut_joints *joints = search->joints;

	cut_find_clear_marks(search, IN_FLOW | IN_HEAD | IN_TAIL);
	cut_find_mark_back(search, joints->features, joints->latent, IN_FLOW);
	cut_find_mark_back(search, joints->hidden, joints->features, IN_HEAD);
	cut_find_mark_back(search, joints->output, joints->hidden, IN_TAIL);
	if (cut_find_marked(search, search->noise, IN_FLOW))
		return cut_find_refuse(search, "the flow takes more than the latent");
	if (cut_find_marked(search, search->noise, IN_HEAD))
		return cut_find_refuse(search, "the decoder takes more than the flow's features");
	if (cut_find_marked(search, search->noise, IN_TAIL))
		return cut_find_refuse(search, "the decoder cannot be cut behind its first step");
	return 0;
}

/* The element types of operators that always produce the same one. */
static const struct {
	const char *op;
	int elem_type;
} cut_find_gives[] = {
	{"Equal", ONNX_BOOL},   {"Less", ONNX_BOOL},  {"LessOrEqual", ONNX_BOOL},
	{"Greater", ONNX_BOOL}, {"Not", ONNX_BOOL},   {"GreaterOrEqual", ONNX_BOOL},
	{"And", ONNX_BOOL},     {"Or", ONNX_BOOL},    {"Xor", ONNX_BOOL},
	{"Shape", ONNX_INT64},  {"Size", ONNX_INT64}, {"NonZero", ONNX_INT64},
};

/* Operators that produce the element type of their input. */
static const char *const cut_find_gives_same[] = {"Gather",    "Unsqueeze", "Squeeze",  "Reshape",
						  "Transpose", "Slice",     "Expand",   "Identity",
						  "Mul",       "Add",       "Sub",      "Clip",
						  "Range",     "ReduceSum", "ReduceMax"};

static bool cut_find_passes_type(const struct onnx_node *node)
{
	for (size_t i = 0; i < COUNT(cut_find_gives_same); ++i)
		if (onnx_str_is(node->op, cut_find_gives_same[i]))
			return node->input_count > 0;
	return false;
}

static int cut_find_node_type(const struct onnx_node *node)
{
	for (size_t i = 0; i < COUNT(cut_find_gives); ++i)
		if (onnx_str_is(node->op, cut_find_gives[i].op))
			return cut_find_gives[i].elem_type;
	return onnx_str_is(node->op, "Cast") ? (int)onnx_node_int(node, "to", ONNX_UNKNOWN)
					     : ONNX_UNKNOWN;
}

/* The type of a value, also if it is not declared. */
static int cut_find_elem_type(const struct cut_find_search *search, struct onnx_str value)
{
	int type = onnx_type_of(search->onnx, value).elem_type;

	for (int step = 0; step < TYPE_STEPS_MAX && type == ONNX_UNKNOWN; ++step) {
		const struct onnx_node *node = onnx_maker(search->onnx, value);

		if (!node)
			break;
		type = cut_find_node_type(node);
		if (type != ONNX_UNKNOWN || !cut_find_passes_type(node))
			break;
		value = node->inputs[0];
		type = onnx_type_of(search->onnx, value).elem_type;
	}
	return type;
}

/* Whether a value can be passed from piece to piece. One of unknown type is assumed to be a
 * float; the runtime checks it. */
static bool cut_find_can_be_shared(const struct cut_find_search *search, struct onnx_str value)
{
	int type = cut_find_elem_type(search, value);

	return type == ONNX_FLOAT || type == ONNX_UNKNOWN;
}

/* Whether a value is one that the caller already has and divides into windows. */
static bool cut_find_is_joint(const struct cut_find_search *search, struct onnx_str value)
{
	const struct cut_joints *joints = search->joints;

	return onnx_str_equal(value, joints->mean) || onnx_str_equal(value, joints->deviation) ||
	       onnx_str_equal(value, joints->durations);
}

/* Whether an input of a node cannot be passed from piece to piece: an input of the whole
 * model, a part of the latent, or a value that is not a float. */
static bool cut_find_is_bound_to_text(const struct cut_find_search *search,
				      const struct onnx_node *node, struct onnx_str *what)
{
	for (size_t k = 0; k < cut_find_read_count(node); ++k) {
		uint32_t maker = node->makers[k];

		*what = node->inputs[k];
		if (maker == ONNX_NO_NODE && onnx_is_input(search->onnx, *what))
			return true;
		if (cut_find_is_joint(search, *what))
			return true;
		if (cut_find_marked(search, maker, VARIES | IN_TEXT) &&
		    !cut_find_can_be_shared(search, *what))
			return true;
	}
	return false;
}

/* Nodes of the later pieces that do not depend on the latent, but cannot be computed there,
 * are moved to the text piece. */
static int cut_find_move_to_text(struct cut_find_search *search)
{
	for (uint32_t i = 0; i < onnx_node_count(search->onnx); ++i) {
		struct onnx_str what;

		if (!(search->marks[i] & (IN_FLOW | IN_HEAD | IN_TAIL)) ||
		    !cut_find_is_bound_to_text(search, onnx_node_at(search->onnx, i), &what))
			continue;
		if (cut_find_marked(search, i, ON_LATENT))
			return cut_find_refuse(search, "the flow or the decoder takes \"%.*s\"",
					       (int)(what.len < 80 ? what.len : 80), what.bytes);
		cut_find_set_mark(search, i, IN_TEXT);
	}
	cut_find_sweep_back(search, search->joints->duration_noise, IN_TEXT);
	return cut_find_mark_later_pieces(search);
}

static int cut_find_add_value(struct cut_find_search *search, struct cut_values *values,
			      struct onnx_str value)
{
	for (size_t i = 0; i < values->count; ++i)
		if (onnx_str_equal(values->names[i], value))
			return 0;
	if (!cut_find_can_be_shared(search, value))
		return cut_find_refuse(
			search, "the flow or the decoder takes \"%.*s\", which is not a float",
			(int)(value.len < 80 ? value.len : 80), value.bytes);
	if (values->count == CUT_SHARED_MAX)
		return cut_find_refuse(
			search, "the flow or the decoder takes more than %d values of the text",
			CUT_SHARED_MAX);
	values->names[values->count++] = value;
	return 0;
}

/* Values that are passed from the text piece to another. */
static int cut_find_shared(struct cut_find_search *search, unsigned piece,
			   struct cut_values *values)
{
	int err = 0;

	for (uint32_t i = 0; i < onnx_node_count(search->onnx) && !err; ++i) {
		const struct onnx_node *node = onnx_node_at(search->onnx, i);

		if (!cut_find_marked(search, i, piece))
			continue;
		for (size_t k = 0; k < cut_find_read_count(node) && !err; ++k)
			if (cut_find_marked(search, node->makers[k], VARIES | IN_TEXT))
				err = cut_find_add_value(search, values, node->inputs[k]);
	}
	return err;
}

static int cut_find_check_inputs(struct cut_find_search *search)
{
	static const char *const names[] = {"input", "input_lengths", "scales"};

	for (size_t i = 0; i < COUNT(names); ++i) {
		struct onnx_str name = {.bytes = names[i], .len = strlen(names[i])};

		if (!onnx_is_input(search->onnx, name))
			return cut_find_refuse(
				search, "it is no Piper model: it has no input \"%s\"", names[i]);
	}
	return 0;
}

static bool cut_find_takes_speaker(const struct cut_find_search *search)
{
	for (uint32_t i = 0; i < onnx_node_count(search->onnx); ++i) {
		const struct onnx_node *node = onnx_node_at(search->onnx, i);

		for (size_t k = 0;
		     k < cut_find_read_count(node) && cut_find_marked(search, i, IN_TEXT); ++k)
			if (onnx_str_is(node->inputs[k], "sid") &&
			    onnx_is_input(search->onnx, node->inputs[k]))
				return true;
	}
	return false;
}

typedef int(step_h)(struct cut_find_search *search);

static int cut_find_run_steps(struct cut_find_search *search)
{
	static step_h *const before[] = {cut_find_check_inputs, cut_find_landmarks,
					 cut_find_classify_randoms};
	static step_h *const after[] = {cut_find_follow_noise, cut_find_mark_text,
					cut_find_features,     cut_find_hidden,
					cut_find_output,       cut_find_mark_later_pieces,
					cut_find_move_to_text};
	int err = 0;

	for (size_t i = 0; i < COUNT(before) && !err; ++i)
		err = before[i](search);
	if (err)
		return err;
	cut_find_mark_forward(search);
	for (size_t i = 0; i < COUNT(after) && !err; ++i)
		err = after[i](search);
	if (!err)
		err = cut_find_shared(search, IN_FLOW, &search->joints->flow_takes);
	if (!err)
		err = cut_find_shared(search, IN_HEAD, &search->joints->head_takes);
	if (!err)
		err = cut_find_shared(search, IN_TAIL, &search->joints->tail_takes);
	return err;
}

int cut_find(struct cut_joints *joints, const struct onnx *onnx, char *why, size_t why_size)
{
	struct cut_find_search search = {
		.onnx = onnx,
		.joints = joints,
		.marks = mem_zalloc(onnx_node_count(onnx), NULL),
		.why = why,
		.why_size = why_size,
	};
	int err;

	if (!search.marks)
		return ENOMEM;
	*joints = (struct cut_joints){0};
	err = cut_find_run_steps(&search);
	joints->has_speakers = !err && cut_find_takes_speaker(&search);
	mem_deref(search.marks);
	return err;
}
