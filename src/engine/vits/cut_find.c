/*
 * cut_find.c: where a VITS graph is cut (see cut_find.h).
 *
 * How such a model computes, and what is looked for in it:
 *
 *   ids ─► encoder ─┬─► durations: the only Ceil ◄── noise, in most models
 *                   └─► mean, deviation, repeated to frames
 *   latent   = mean + noise × deviation × scale: Mul, Mul, Add behind the
 *              random node that the durations do not hang on
 *   features = what the convolution in front of the first ConvTranspose that
 *              hangs on the latent takes
 *   hidden   = what the next ConvTranspose takes
 *   output   = the graph's output that hangs on the latent
 *
 * A node is marked with what it hangs on and which piece needs it.  Nodes come
 * in an order in which they can be computed, so "hangs on" is one sweep forward
 * and "needs" one sweep back.
 */
#include "engine/vits/cut_find.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "base/count.h"
#include "base/mem.h"

enum mark {
	VARIES = 1, /* hangs on an input or on chance: not the same every time */
	ON_IDS = 2, /* hangs on the text's ids */
	ON_LATENT = 4, /* hangs on the latent's noise */
	IN_TEXT = 8, /* the pieces that need it */
	IN_FLOW = 16,
	IN_HEAD = 32,
	IN_TAIL = 64,
};

/* How far back the type of a value is looked for. */
#define TYPE_STEPS_MAX 16

/* Random nodes in a model that is understood. */
#define RANDOM_MAX 2

struct search {
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

static int refuse(struct search *search, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static int refuse(struct search *search, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	onnx_say(search->why, search->why_size, format, args);
	va_end(args);
	return ENOTSUP;
}

static size_t read_count(const struct onnx_node *node)
{
	return node->input_count + node->captured_count;
}

static bool marked(const struct search *search, uint32_t node, unsigned mark)
{
	return node != ONNX_NO_NODE && (search->marks[node] & mark) == mark;
}

static void set_mark(struct search *search, uint32_t node, unsigned mark)
{
	search->marks[node] = (unsigned char)(search->marks[node] | mark);
}

static void clear_marks(struct search *search, unsigned mark)
{
	for (size_t i = 0; i < onnx_node_count(search->onnx); ++i)
		search->marks[i] = (unsigned char)(search->marks[i] & ~mark);
}

/* The node that makes a value of which it is known that one does. */
static uint32_t maker_of(const struct search *search, struct onnx_str value)
{
	const struct onnx_node *node = onnx_maker(search->onnx, value);

	return node ? (uint32_t)(node - onnx_node_at(search->onnx, 0)) : ONNX_NO_NODE;
}

static bool is_random(const struct onnx_node *node)
{
	return onnx_str_is(node->op, "RandomNormalLike") || onnx_str_is(node->op, "RandomNormal");
}

/* The caller's noise has mean 0 and deviation 1. */
static bool is_standard(const struct onnx_node *node)
{
	return fabsf(onnx_node_float(node, "mean", 0)) <= 0 &&
	       fabsf(onnx_node_float(node, "scale", 1) - 1) <= 0 && node->output_count == 1;
}

static int note_random(struct search *search, uint32_t at)
{
	if (!is_standard(onnx_node_at(search->onnx, at)))
		return refuse(search, "a random node is not of mean 0 and deviation 1");
	if (search->random_count == RANDOM_MAX)
		return refuse(search, "it has more than %d random nodes", RANDOM_MAX);
	search->randoms[search->random_count++] = at;
	return 0;
}

static int find_landmarks(struct search *search)
{
	search->ceil = ONNX_NO_NODE;
	for (uint32_t i = 0; i < onnx_node_count(search->onnx); ++i) {
		const struct onnx_node *node = onnx_node_at(search->onnx, i);

		if (is_random(node)) {
			int err = note_random(search, i);

			if (err)
				return err;
		}
		if (!onnx_str_is(node->op, "Ceil") || node->output_count != 1)
			continue;
		if (search->ceil != ONNX_NO_NODE)
			return refuse(search, "it rounds up in two places, not only for durations");
		search->ceil = i;
	}
	if (search->ceil == ONNX_NO_NODE)
		return refuse(search, "it has no durations (no Ceil node)");
	return search->random_count ? 0 : refuse(search, "it has no random node");
}

/* What a node hangs on through one of its inputs. */
static unsigned hangs_on(const struct search *search, const struct onnx_node *node, size_t k)
{
	uint32_t maker = node->makers[k];

	if (maker != ONNX_NO_NODE)
		return search->marks[maker] & (VARIES | ON_IDS | ON_LATENT);
	if (!onnx_is_input(search->onnx, node->inputs[k]))
		return 0;
	return onnx_str_is(node->inputs[k], "input") ? VARIES | ON_IDS : VARIES;
}

static void mark_forward(struct search *search)
{
	for (uint32_t i = 0; i < onnx_node_count(search->onnx); ++i) {
		const struct onnx_node *node = onnx_node_at(search->onnx, i);
		unsigned mark = is_random(node) ? VARIES : 0;

		if (i == search->noise)
			mark |= ON_LATENT;
		for (size_t k = 0; k < read_count(node); ++k)
			mark |= hangs_on(search, node, k);
		set_mark(search, i, mark);
	}
}

/* Marks what the marked nodes need, back to the value `stop` and to what the
 * text piece gives anyway. */
static void sweep_back(struct search *search, struct onnx_str stop, unsigned mark)
{
	for (uint32_t i = (uint32_t)onnx_node_count(search->onnx); i-- > 0;) {
		const struct onnx_node *node = onnx_node_at(search->onnx, i);

		if (!marked(search, i, mark))
			continue;
		for (size_t k = 0; k < read_count(node); ++k) {
			uint32_t maker = node->makers[k];

			if (maker != ONNX_NO_NODE && !marked(search, maker, VARIES | IN_TEXT) &&
			    !onnx_str_equal(node->inputs[k], stop))
				set_mark(search, maker, mark);
		}
	}
}

static void mark_back(struct search *search, struct onnx_str goal, struct onnx_str stop,
		      unsigned mark)
{
	set_mark(search, maker_of(search, goal), mark);
	sweep_back(search, stop, mark);
}

/* The random node that durations hang on, and the one of the latent. */
static int tell_randoms_apart(struct search *search)
{
	struct onnx_str durations = onnx_node_at(search->onnx, search->ceil)->outputs[0];

	search->joints->durations = durations;
	search->noise = ONNX_NO_NODE;
	mark_back(search, durations, (struct onnx_str){0}, IN_TAIL);
	for (size_t i = 0; i < search->random_count; ++i) {
		const struct onnx_node *node = onnx_node_at(search->onnx, search->randoms[i]);

		if (marked(search, search->randoms[i], IN_TAIL)) {
			search->joints->duration_noise = node->outputs[0];
			continue;
		}
		if (search->noise != ONNX_NO_NODE)
			return refuse(search, "durations hang on none of its two random nodes");
		search->noise = search->randoms[i];
		search->joints->latent_noise = node->outputs[0];
	}
	clear_marks(search, IN_TAIL);
	if (search->noise == ONNX_NO_NODE)
		return refuse(search, "no random node is left for the latent");
	return 0;
}

/* The only node that takes a value, and at which place; else NULL. */
static const struct onnx_node *only_taker(const struct search *search, struct onnx_str value,
					  size_t *place)
{
	uint32_t maker = maker_of(search, value);
	const struct onnx_node *taker = NULL;

	for (size_t i = maker; i < onnx_node_count(search->onnx); ++i) {
		const struct onnx_node *node = onnx_node_at(search->onnx, i);

		for (size_t k = 0; k < read_count(node); ++k) {
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

/* A factor on the noise's way: the deviation, which hangs on the text, or the
 * scale, which does not. */
static int take_factor(struct search *search, struct onnx_str factor, bool *has_scale)
{
	struct onnx_str *deviation = &search->joints->deviation;

	if (!marked(search, maker_of(search, factor), ON_IDS)) {
		if (*has_scale)
			return refuse(search, "the latent's noise is scaled twice");
		*has_scale = true;
		return 0;
	}
	if (deviation->len > 0)
		return refuse(search, "the latent's noise has two deviations");
	*deviation = factor;
	return 0;
}

/* From the random node through two Mul to the Add: operands in any order. */
static int follow_noise(struct search *search)
{
	struct cut_joints *joints = search->joints;
	struct onnx_str value = joints->latent_noise;
	bool has_scale = false;
	int err = 0;

	while (!err) {
		size_t place = 0;
		const struct onnx_node *node = only_taker(search, value, &place);

		if (!node || node->input_count != 2 || node->output_count != 1 || place > 1)
			break;
		if (onnx_str_is(node->op, "Mul")) {
			err = take_factor(search, node->inputs[1 - place], &has_scale);
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
	    !marked(search, maker_of(search, joints->mean), ON_IDS))
		return refuse(search, "the latent is not mean + noise * deviation * scale");
	return 0;
}

static int mark_text(struct search *search)
{
	struct cut_joints *joints = search->joints;
	struct onnx_str goals[] = {joints->durations, joints->mean, joints->deviation};

	for (size_t i = 0; i < COUNT(goals); ++i) {
		uint32_t maker = maker_of(search, goals[i]);

		if (marked(search, maker, ON_LATENT))
			return refuse(search, "durations or the latent's mean hang on its noise");
		set_mark(search, maker, IN_TEXT);
	}
	sweep_back(search, joints->duration_noise, IN_TEXT);
	return 0;
}

static uint32_t next_upsampling(const struct search *search, uint32_t from)
{
	for (uint32_t i = from; i < onnx_node_count(search->onnx); ++i)
		if (marked(search, i, ON_LATENT) &&
		    onnx_str_is(onnx_node_at(search->onnx, i)->op, "ConvTranspose"))
			return i;
	return ONNX_NO_NODE;
}

/* The one input that hangs on the latent, else -1. */
static int latent_input(const struct search *search, const struct onnx_node *node)
{
	int found = -1;

	for (size_t k = 0; k < node->input_count; ++k) {
		if (!marked(search, node->makers[k], ON_LATENT))
			continue;
		if (found >= 0)
			return -1;
		found = (int)k;
	}
	return found;
}

static int find_features(struct search *search)
{
	uint32_t at = next_upsampling(search, 0);

	while (at != ONNX_NO_NODE) {
		const struct onnx_node *node = onnx_node_at(search->onnx, at);
		int k = latent_input(search, node);

		if (k < 0)
			break;
		if (onnx_str_is(node->op, "Conv") && k == 0) {
			search->joints->features = node->inputs[0];
			break;
		}
		at = node->makers[k];
	}
	if (search->joints->features.len == 0)
		return refuse(search, "it has no decoder (Conv, then ConvTranspose)");
	if (onnx_str_equal(search->joints->features, search->joints->latent))
		return refuse(search, "it has no flow between latent and decoder");
	return 0;
}

/* The decoder makes columns out of frames in steps.  The first step's are few
 * and look far to the sides, those of the others are many and look at their
 * neighbours: windows cost least when it is cut between them. */
static int find_hidden(struct search *search)
{
	uint32_t at = next_upsampling(search, next_upsampling(search, 0) + 1);

	if (at == ONNX_NO_NODE)
		return refuse(search, "its decoder has one step (ConvTranspose) only");
	if (latent_input(search, onnx_node_at(search->onnx, at)) != 0)
		return refuse(search, "its decoder's second step does not take the first's");
	search->joints->hidden = onnx_node_at(search->onnx, at)->inputs[0];
	return 0;
}

static int find_output(struct search *search)
{
	struct onnx_str *output = &search->joints->output;

	for (size_t i = 0; i < onnx_output_count(search->onnx); ++i) {
		struct onnx_str name = onnx_output_at(search->onnx, i);

		if (!marked(search, maker_of(search, name), ON_LATENT))
			continue;
		if (output->len > 0)
			return refuse(search, "it has two outputs that hang on the latent");
		*output = name;
	}
	return output->len ? 0 : refuse(search, "no output hangs on the latent");
}

static int mark_later_pieces(struct search *search)
{
	struct cut_joints *joints = search->joints;

	clear_marks(search, IN_FLOW | IN_HEAD | IN_TAIL);
	mark_back(search, joints->features, joints->latent, IN_FLOW);
	mark_back(search, joints->hidden, joints->features, IN_HEAD);
	mark_back(search, joints->output, joints->hidden, IN_TAIL);
	if (marked(search, search->noise, IN_FLOW))
		return refuse(search, "the flow takes more than the latent");
	if (marked(search, search->noise, IN_HEAD))
		return refuse(search, "the decoder takes more than the flow's features");
	if (marked(search, search->noise, IN_TAIL))
		return refuse(search, "the decoder cannot be cut behind its first step");
	return 0;
}

/* What operators give, where it is always the same … */
static const struct {
	const char *op;
	int elem_type;
} gives[] = {
	{"Equal", ONNX_BOOL},   {"Less", ONNX_BOOL},  {"LessOrEqual", ONNX_BOOL},
	{"Greater", ONNX_BOOL}, {"Not", ONNX_BOOL},   {"GreaterOrEqual", ONNX_BOOL},
	{"And", ONNX_BOOL},     {"Or", ONNX_BOOL},    {"Xor", ONNX_BOOL},
	{"Shape", ONNX_INT64},  {"Size", ONNX_INT64}, {"NonZero", ONNX_INT64},
};

/* … and those that give what they take. */
static const char *const gives_same[] = {"Gather",    "Unsqueeze", "Squeeze",  "Reshape",
					 "Transpose", "Slice",     "Expand",   "Identity",
					 "Mul",       "Add",       "Sub",      "Clip",
					 "Range",     "ReduceSum", "ReduceMax"};

static bool passes_type(const struct onnx_node *node)
{
	for (size_t i = 0; i < COUNT(gives_same); ++i)
		if (onnx_str_is(node->op, gives_same[i]))
			return node->input_count > 0;
	return false;
}

static int node_type(const struct onnx_node *node)
{
	for (size_t i = 0; i < COUNT(gives); ++i)
		if (onnx_str_is(node->op, gives[i].op))
			return gives[i].elem_type;
	return onnx_str_is(node->op, "Cast") ? (int)onnx_node_int(node, "to", ONNX_UNKNOWN)
					     : ONNX_UNKNOWN;
}

/* The type of a value, also where the file does not say it. */
static int elem_type(const struct search *search, struct onnx_str value)
{
	int type = onnx_type_of(search->onnx, value).elem_type;

	for (int step = 0; step < TYPE_STEPS_MAX && type == ONNX_UNKNOWN; ++step) {
		const struct onnx_node *node = onnx_maker(search->onnx, value);

		if (!node)
			break;
		type = node_type(node);
		if (type != ONNX_UNKNOWN || !passes_type(node))
			break;
		value = node->inputs[0];
		type = onnx_type_of(search->onnx, value).elem_type;
	}
	return type;
}

/* Whether a value can go from piece to piece.  One of which nobody says what it
 * is passes for a float: the runtime will know. */
static bool can_be_shared(const struct search *search, struct onnx_str value)
{
	int type = elem_type(search, value);

	return type == ONNX_FLOAT || type == ONNX_UNKNOWN;
}

/* What the caller has already, and cuts into windows. */
static bool is_joint(const struct search *search, struct onnx_str value)
{
	const struct cut_joints *joints = search->joints;

	return onnx_str_equal(value, joints->mean) || onnx_str_equal(value, joints->deviation) ||
	       onnx_str_equal(value, joints->durations);
}

/* Whether a node takes what cannot go from piece to piece: an input of the
 * whole model, what the latent is made of, or something that is not a float. */
static bool is_bound_to_text(const struct search *search, const struct onnx_node *node,
			     struct onnx_str *what)
{
	for (size_t k = 0; k < read_count(node); ++k) {
		uint32_t maker = node->makers[k];

		*what = node->inputs[k];
		if (maker == ONNX_NO_NODE && onnx_is_input(search->onnx, *what))
			return true;
		if (is_joint(search, *what))
			return true;
		if (marked(search, maker, VARIES | IN_TEXT) && !can_be_shared(search, *what))
			return true;
	}
	return false;
}

/* Nodes of the later pieces that do not hang on the latent, and cannot be where
 * they are, become the text piece's. */
static int move_to_text(struct search *search)
{
	for (uint32_t i = 0; i < onnx_node_count(search->onnx); ++i) {
		struct onnx_str what;

		if (!(search->marks[i] & (IN_FLOW | IN_HEAD | IN_TAIL)) ||
		    !is_bound_to_text(search, onnx_node_at(search->onnx, i), &what))
			continue;
		if (marked(search, i, ON_LATENT))
			return refuse(search, "the flow or the decoder takes \"%.*s\"",
				      (int)(what.len < 80 ? what.len : 80), what.bytes);
		set_mark(search, i, IN_TEXT);
	}
	sweep_back(search, search->joints->duration_noise, IN_TEXT);
	return mark_later_pieces(search);
}

static int add_value(struct search *search, struct cut_values *values, struct onnx_str value)
{
	for (size_t i = 0; i < values->count; ++i)
		if (onnx_str_equal(values->names[i], value))
			return 0;
	if (!can_be_shared(search, value))
		return refuse(search,
			      "the flow or the decoder takes \"%.*s\", which is not a float",
			      (int)(value.len < 80 ? value.len : 80), value.bytes);
	if (values->count == CUT_SHARED_MAX)
		return refuse(search,
			      "the flow or the decoder takes more than %d values of the text",
			      CUT_SHARED_MAX);
	values->names[values->count++] = value;
	return 0;
}

/* Values that go from the text piece to another one. */
static int find_shared(struct search *search, unsigned piece, struct cut_values *values)
{
	int err = 0;

	for (uint32_t i = 0; i < onnx_node_count(search->onnx) && !err; ++i) {
		const struct onnx_node *node = onnx_node_at(search->onnx, i);

		if (!marked(search, i, piece))
			continue;
		for (size_t k = 0; k < read_count(node) && !err; ++k)
			if (marked(search, node->makers[k], VARIES | IN_TEXT))
				err = add_value(search, values, node->inputs[k]);
	}
	return err;
}

static int check_inputs(struct search *search)
{
	static const char *const names[] = {"input", "input_lengths", "scales"};

	for (size_t i = 0; i < COUNT(names); ++i) {
		struct onnx_str name = {.bytes = names[i], .len = strlen(names[i])};

		if (!onnx_is_input(search->onnx, name))
			return refuse(search, "it is no Piper model: it has no input \"%s\"",
				      names[i]);
	}
	return 0;
}

static bool takes_speaker(const struct search *search)
{
	for (uint32_t i = 0; i < onnx_node_count(search->onnx); ++i) {
		const struct onnx_node *node = onnx_node_at(search->onnx, i);

		for (size_t k = 0; k < read_count(node) && marked(search, i, IN_TEXT); ++k)
			if (onnx_str_is(node->inputs[k], "sid") &&
			    onnx_is_input(search->onnx, node->inputs[k]))
				return true;
	}
	return false;
}

typedef int(step_h)(struct search *search);

static int run_steps(struct search *search)
{
	static step_h *const before[] = {check_inputs, find_landmarks, tell_randoms_apart};
	static step_h *const after[] = {follow_noise, mark_text,         find_features, find_hidden,
					find_output,  mark_later_pieces, move_to_text};
	int err = 0;

	for (size_t i = 0; i < COUNT(before) && !err; ++i)
		err = before[i](search);
	if (err)
		return err;
	mark_forward(search);
	for (size_t i = 0; i < COUNT(after) && !err; ++i)
		err = after[i](search);
	if (!err)
		err = find_shared(search, IN_FLOW, &search->joints->flow_takes);
	if (!err)
		err = find_shared(search, IN_HEAD, &search->joints->head_takes);
	if (!err)
		err = find_shared(search, IN_TAIL, &search->joints->tail_takes);
	return err;
}

int cut_find(struct cut_joints *joints, const struct onnx *onnx, char *why, size_t why_size)
{
	struct search search = {
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
	err = run_steps(&search);
	joints->has_speakers = !err && takes_speaker(&search);
	mem_deref(search.marks);
	return err;
}
