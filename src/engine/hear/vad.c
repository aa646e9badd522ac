/*
 * vad.c: voice activity with Silero's detector (see vad.h).
 *
 * The model takes `input` [batch, context + frame], `state` [2, batch, 128] and `sr`, and gives
 * `output` [batch, 1] and `stateN`. Newer exports hold one model for 16 kHz and one for 8 kHz in the
 * branches of an If, of which only the first is loaded; older ones are run as they are.
 */
#include "engine/hear/vad.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "engine/neural/onnx.h"
#include "engine/neural/onnx_branch.h"

#define INPUT (VAD_CONTEXT + VAD_FRAME)
#define HALF (VAD_STATE / 2)

struct vad {
	struct network *network;
	bool takes_rate; /* it has the input sr */
};

static void vad_destroy(void *object)
{
	struct vad *vad = object;

	mem_deref(vad->network);
}

static struct onnx_str vad_str(const char *name)
{
	return (struct onnx_str){.bytes = name, .len = strlen(name)};
}

static bool vad_takes(const struct onnx *onnx, const char *name)
{
	return onnx_is_input(onnx, vad_str(name));
}

/* The model for 16 kHz alone, if the rate decides between two. */
static int vad_cut(char **bytesp, size_t *lenp, const struct onnx *onnx, char why[RUNTIME_WHY_SIZE])
{
	const struct onnx_port gives[] = {
		{.name = vad_str("output"), .elem_type = ONNX_FLOAT, .rank = 2},
		{.name = vad_str("stateN"), .elem_type = ONNX_FLOAT, .rank = 3},
	};
	const struct onnx_node *node = onnx_maker(onnx, gives[0].name);
	struct onnx *flat = NULL;
	char *bytes = NULL;
	size_t len;
	int err;

	if (!node || !onnx_str_is(node->op, "If") || onnx_maker(onnx, gives[1].name) != node)
		return ENOENT;
	err = onnx_branch(onnx, node, "then_branch", &bytes, &len);
	if (!err)
		err = onnx_parse(&flat, bytes, len, why, RUNTIME_WHY_SIZE);
	if (!err)
		err = onnx_extract(flat, NULL, 0, gives, 2, bytesp, lenp);
	mem_deref(flat);
	free(bytes);
	return err;
}

/* Loads the model, or a part of it. */
static int vad_load(struct vad *vad, struct runtime *runtime, const void *bytes, size_t len,
		    char why[RUNTIME_WHY_SIZE])
{
	struct onnx *onnx = NULL;
	struct onnx *part = NULL;
	char *part_bytes = NULL;
	size_t part_len = 0;
	int err = onnx_parse(&onnx, bytes, len, why, RUNTIME_WHY_SIZE);

	if (!err && (!vad_takes(onnx, "input") || !vad_takes(onnx, "state"))) {
		snprintf(why, RUNTIME_WHY_SIZE, "it takes no frames of audio");
		err = EINVAL;
	}
	if (!err) {
		err = vad_cut(&part_bytes, &part_len, onnx, why);
		if (!err)
			err = onnx_parse(&part, part_bytes, part_len, why, RUNTIME_WHY_SIZE);
		vad->takes_rate = vad_takes(part ? part : onnx, "sr");
		if (err == ENOENT)
			err = 0;
	}
	if (!err)
		err = network_open(&vad->network, runtime, part ? part_bytes : bytes,
				   part ? part_len : len, why);
	mem_deref(part);
	mem_deref(onnx);
	free(part_bytes);
	return err;
}

/* A first frame of silence: it shows whether the model gives what is expected of it. */
static int vad_try(const struct vad *vad, char why[RUNTIME_WHY_SIZE])
{
	static const int16_t silence[VAD_FRAME];
	struct vad_memory memory = {.state = {0}};
	struct vad_frame frame = {.memory = &memory, .samples = silence};

	return vad_score(vad, &frame, 1, why);
}

int vad_open(struct vad **vadp, struct runtime *runtime, const void *bytes, size_t len,
	     char why[RUNTIME_WHY_SIZE])
{
	struct vad *vad = mem_zalloc(sizeof(*vad), vad_destroy);
	int err;

	if (!vad)
		return ENOMEM;
	err = vad_load(vad, runtime, bytes, len, why);
	if (!err)
		err = vad_try(vad, why);
	if (err) {
		mem_deref(vad);
		return err;
	}
	*vadp = vad;
	return 0;
}

static void vad_fill(float *input, float *state, const struct vad_frame *frames, size_t count)
{
	for (size_t i = 0; i < count; ++i) {
		const struct vad_frame *frame = &frames[i];
		float *to = input + i * INPUT;

		memcpy(to, frame->memory->context, sizeof(frame->memory->context));
		for (size_t k = 0; k < VAD_FRAME; ++k)
			to[VAD_CONTEXT + k] = (float)frame->samples[k] / 32768.0F;
		for (size_t half = 0; half < 2; ++half)
			memcpy(state + (half * count + i) * HALF,
			       frame->memory->state + half * HALF, HALF * sizeof(*state));
	}
}

/* Keeps what the model and the next frame need. */
static void vad_keep(struct vad_frame *frames, size_t count, const float *input,
		     const struct tensor *outputs)
{
	for (size_t i = 0; i < count; ++i) {
		struct vad_frame *frame = &frames[i];

		frame->probability = outputs[0].f32[i];
		memcpy(frame->memory->context, input + (i + 1) * INPUT - VAD_CONTEXT,
		       sizeof(frame->memory->context));
		for (size_t half = 0; half < 2; ++half)
			memcpy(frame->memory->state + half * HALF,
			       outputs[1].f32 + (half * count + i) * HALF, HALF * sizeof(float));
	}
}

int vad_score(const struct vad *vad, struct vad_frame *frames, size_t count,
	      char why[RUNTIME_WHY_SIZE])
{
	float input[VAD_BATCH_MAX * INPUT];
	float state[VAD_BATCH_MAX * VAD_STATE];
	int64_t rate = 16000;
	const struct tensor inputs[] = {
		{.name = "input",
		 .type = TENSOR_F32,
		 .rank = 2,
		 .dims = {(int64_t)count, INPUT},
		 .f32 = input},
		{.name = "state",
		 .type = TENSOR_F32,
		 .rank = 3,
		 .dims = {2, (int64_t)count, HALF},
		 .f32 = state},
		{.name = "sr", .type = TENSOR_I64, .rank = 0, .i64 = &rate},
	};
	struct tensor outputs[] = {{.name = "output"}, {.name = "stateN"}};
	int err;

	vad_fill(input, state, frames, count);
	err = network_run(vad->network, inputs, vad->takes_rate ? 3 : 2, outputs, 2, why);
	if (err)
		return err;
	if (outputs[0].type == TENSOR_F32 && tensor_count(&outputs[0]) == count &&
	    outputs[1].type == TENSOR_F32 && tensor_count(&outputs[1]) == count * VAD_STATE) {
		vad_keep(frames, count, input, outputs);
	} else {
		snprintf(why, RUNTIME_WHY_SIZE, "it gives something other than probabilities");
		err = EINVAL;
	}
	tensor_release(&outputs[0]);
	tensor_release(&outputs[1]);
	return err;
}
