/*
 * model_vits.c: VITS models, decoded a window at a time (see model.h, cut.h).
 *
 * The text piece runs once for an utterance and computes a mean and a deviation for each
 * frame. Every later stage converts frames to frames and depends only on a few frames on
 * either side:
 *
 *     latent  →  flow  →  head  →  tail  →  samples
 *
 * To compute the samples of some frames, the tail needs those frames of the head's output
 * and a few more, the head needs a few more of the flow's, and so on. Each stage except the
 * last keeps its output. A stage that is asked for more computes the missing window with its
 * context and discards the output for the context, which is wrong because of the artificial
 * edge.
 */
#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/mem.h"
#include "engine/vits/cut.h"
#include "engine/vits/model_private.h"

/* Noise streams of a key. */
enum { NOISE_DURATIONS, NOISE_LATENT };

enum stage { STAGE_FLOW, STAGE_HEAD, STAGE_TAIL, STAGES };

/* The context of each stage on either side, in frames. The first row is that of Piper's models
 * of medium quality: a flow of four couplings of four convolutions over five frames (4 × 4 ×
 * 2); a head of a convolution over seven frames, the edge of one transposed convolution, and
 * ±45 columns at eight times the rate (3 + 1 + 6); a tail of ±45 columns at 64 and 256 times
 * the rate and two more edges. When a model is loaded, rows that are too small for it are
 * detected, and the next is used. */
static const size_t model_vits_contexts[][STAGES] = {
	{32, 10, 2},
	{40, 13, 3},
	{64, 24, 8},
};

/* The minimum number of frames that a stage computes at a time after its first window: the
 * context is overhead, and would cost more than a short window. The first window is as short
 * as possible, because a listener waits for it. */
static const size_t model_vits_steps[STAGES] = {192, 64, 1};

/* The largest difference between computing an utterance at once and in windows, caused by
 * rounding: a fifth of the last of 16 bits. */
#define ROUNDING 6e-6f

/* Ids of the trial utterance when a model is loaded: enough for every stage to have a window
 * with context on both sides. */
#define TRIAL_IDS 81

struct model_of_vits {
	struct model model;
	struct network *text;
	struct network *stages[STAGES];
	struct cut *cut; /* the names; its bytes were freed */
	size_t frame_len;
	const size_t *contexts;
};

/* The output of a stage so far: `rows` rows of `rate` columns for each frame of the utterance. */
struct track {
	float *values;
	size_t rows;
	size_t rate;
	size_t end; /* the frame after the last one computed */
};

struct take_of_vits {
	struct take take;
	const struct model_of_vits *model;
	struct take_settings settings;
	struct tensor mean, deviation, durations;
	struct tensor shared[CUT_SHARED_MAX];
	struct track tracks[STAGES]; /* that of the tail is unused */
	struct tensor window; /* the last output of the tail */
};

static void model_vits_destroy(void *object)
{
	struct model_of_vits *model = object;

	mem_deref(model->text);
	for (size_t i = 0; i < STAGES; ++i)
		mem_deref(model->stages[i]);
	mem_deref(model->cut);
}

static void model_vits_take_destroy(void *object)
{
	struct take_of_vits *take = object;

	tensor_release(&take->mean);
	tensor_release(&take->deviation);
	tensor_release(&take->durations);
	tensor_release(&take->window);
	for (size_t i = 0; i < CUT_SHARED_MAX; ++i)
		tensor_release(&take->shared[i]);
	for (size_t i = 0; i < STAGES; ++i)
		free(take->tracks[i].values);
}

static int model_vits_no_memory(char why[RUNTIME_WHY_SIZE])
{
	snprintf(why, RUNTIME_WHY_SIZE, "%s", strerror(ENOMEM));
	return ENOMEM;
}

/* Columns [from, from + n) of every row of a matrix. */
static void model_vits_copy_columns(float *to, const float *matrix, size_t rows, size_t columns,
				    size_t from, size_t n)
{
	for (size_t row = 0; row < rows; ++row)
		memcpy(to + row * n, matrix + row * columns + from, n * sizeof(*to));
}

static struct tensor model_vits_matrix(const char *name, float *values, size_t rows, size_t columns)
{
	return (struct tensor){
		.name = name,
		.type = TENSOR_F32,
		.rank = 3,
		.dims = {1, (int64_t)rows, (int64_t)columns},
		.f32 = values,
	};
}

/* Frames [from, to) of the latent. The noise of a frame depends only on its number, so it is
 * the same in every window. */
static int model_vits_make_latent(const struct take_of_vits *take, size_t from, size_t to,
				  struct tensor *out)
{
	size_t frames = take->take.frames;
	size_t rows = (size_t)take->mean.dims[1];
	size_t n = to - from;
	float *noise = malloc(rows * n * sizeof(*noise));
	float *latent = malloc(rows * n * sizeof(*latent));

	if (!noise || !latent) {
		free(noise);
		free(latent);
		return ENOMEM;
	}
	noise_fill(&take->settings.key, NOISE_LATENT, from * rows, noise, rows * n);
	for (size_t row = 0; row < rows; ++row) {
		const float *mean = take->mean.f32 + row * frames + from;
		const float *deviation = take->deviation.f32 + row * frames + from;

		for (size_t i = 0; i < n; ++i)
			latent[row * n + i] = mean[i] + noise[i * rows + row] * deviation[i] *
								take->settings.noise_scale;
	}
	free(noise);
	*out = model_vits_matrix(take->model->cut->latent, latent, rows, n);
	return 0;
}

static int model_vits_need(struct take_of_vits *take, enum stage stage, size_t from, size_t to,
			   char why[RUNTIME_WHY_SIZE]);

/* Frames [from, to) of a stage's input; the values are malloc'ed. */
static int model_vits_make_input(struct take_of_vits *take, enum stage stage, size_t from,
				 size_t to, struct tensor *out, char why[RUNTIME_WHY_SIZE])
{
	const struct cut *cut = take->model->cut;
	const char *const names[STAGES] = {cut->latent, cut->features, cut->hidden};
	const struct track *track;
	float *values;
	size_t n;
	int err;

	if (stage == STAGE_FLOW)
		return model_vits_make_latent(take, from, to, out) ? model_vits_no_memory(why) : 0;
	err = model_vits_need(take, stage - 1, from, to, why);
	if (err)
		return err;
	track = &take->tracks[stage - 1];
	n = (to - from) * track->rate;
	values = malloc(track->rows * n * sizeof(*values));
	if (!values)
		return model_vits_no_memory(why);
	model_vits_copy_columns(values, track->values, track->rows, take->take.frames * track->rate,
				from * track->rate, n);
	*out = model_vits_matrix(names[stage], values, track->rows, n);
	return 0;
}

/* A shared value for a window: unchanged, or its columns if it has one for each frame. Sets
 * the memory that the caller must free. */
static int model_vits_window_shared(const struct take_of_vits *take, const char *name, size_t from,
				    size_t to, struct tensor *out, float **owned)
{
	const struct cut *cut = take->model->cut;
	size_t frames = take->take.frames;
	size_t i = 0;
	size_t rows;

	while (strcmp(cut->text.shared[i], name) != 0)
		++i; /* the pieces share only outputs of the text piece */
	*out = take->shared[i];
	out->value = NULL;
	if (out->type != TENSOR_F32 || out->rank != 3 || out->dims[0] != 1 ||
	    out->dims[2] != (int64_t)frames)
		return 0;
	rows = (size_t)out->dims[1];
	*owned = malloc(rows * (to - from) * sizeof(**owned));
	if (!*owned)
		return ENOMEM;
	model_vits_copy_columns(*owned, out->f32, rows, frames, from, to - from);
	*out = model_vits_matrix(name, *owned, rows, to - from);
	return 0;
}

static const struct cut_piece *model_vits_piece_of(const struct cut *cut, enum stage stage)
{
	const struct cut_piece *const pieces[STAGES] = {&cut->flow, &cut->head, &cut->tail};

	return pieces[stage];
}

/* Runs a stage over frames [from, to), including context. */
static int model_vits_run_window(struct take_of_vits *take, enum stage stage, size_t from,
				 size_t to, struct tensor *out, char why[RUNTIME_WHY_SIZE])
{
	const struct cut *cut = take->model->cut;
	const struct cut_piece *piece = model_vits_piece_of(cut, stage);
	const char *const names[STAGES] = {cut->features, cut->hidden, cut->output};
	struct tensor inputs[1 + CUT_SHARED_MAX];
	float *owned[CUT_SHARED_MAX] = {0};
	int err = model_vits_make_input(take, stage, from, to, &inputs[0], why);

	if (err)
		return err;
	for (size_t i = 0; i < piece->shared_count && !err; ++i)
		err = model_vits_window_shared(take, piece->shared[i], from, to, &inputs[1 + i],
					       &owned[i]);
	*out = (struct tensor){.name = names[stage]};
	if (err)
		model_vits_no_memory(why);
	else
		err = network_run(take->model->stages[stage], inputs, 1 + piece->shared_count, out,
				  1, why);
	free(inputs[0].f32);
	for (size_t i = 0; i < piece->shared_count; ++i)
		free(owned[i]);
	return err;
}

/* Columns per frame; 0 when it is not a positive integer. */
static size_t model_vits_columns_per_frame(const struct tensor *out, size_t frames)
{
	size_t columns = out->rank > 0 ? (size_t)out->dims[out->rank - 1] : 0;

	if (out->type != TENSOR_F32 || tensor_count(out) == 0 || columns % frames != 0)
		return 0;
	return columns / frames;
}

/* Runs a stage over frames [from, to) and its context; *skip is the number of columns of the
 * left context in the result. */
static int model_vits_run_stage(struct take_of_vits *take, enum stage stage, size_t from, size_t to,
				struct tensor *out, size_t *rate, size_t *skip,
				char why[RUNTIME_WHY_SIZE])
{
	size_t context = take->model->contexts[stage];
	size_t frames = take->take.frames;
	size_t begin = from > context ? from - context : 0;
	size_t end = to + context < frames ? to + context : frames;
	int err = model_vits_run_window(take, stage, begin, end, out, why);

	if (err)
		return err;
	*rate = model_vits_columns_per_frame(out, end - begin);
	if (*rate == 0) {
		snprintf(why, RUNTIME_WHY_SIZE, "%s has no columns for %zu frames", out->name,
			 end - begin);
		tensor_release(out);
		return EINVAL;
	}
	*skip = (from - begin) * *rate;
	return 0;
}

/* The first window determines the columns per frame; the others must agree. */
static int model_vits_keep(const struct take_of_vits *take, struct track *track,
			   const struct tensor *out, size_t rate, size_t skip, size_t from,
			   size_t to, char why[RUNTIME_WHY_SIZE])
{
	size_t columns = (size_t)out->dims[out->rank - 1];
	size_t rows = tensor_count(out) / columns;
	size_t all = take->take.frames * rate;

	if (!track->values) {
		track->rows = rows;
		track->rate = rate;
		track->values = malloc(rows * all * sizeof(*track->values));
		if (!track->values)
			return model_vits_no_memory(why);
	}
	if (rows != track->rows || rate != track->rate) {
		snprintf(why, RUNTIME_WHY_SIZE, "%s has other columns in each window", out->name);
		return EINVAL;
	}
	for (size_t row = 0; row < track->rows; ++row)
		memcpy(track->values + row * all + from * rate, out->f32 + row * columns + skip,
		       (to - from) * rate * sizeof(*track->values));
	track->end = to;
	return 0;
}

/* Ensures that a stage has computed frames [from, to). Windows are in order, and frames that
 * are not requested (a retry skips what was heard) are not computed. */
static int model_vits_need(struct take_of_vits *take, enum stage stage, size_t from, size_t to,
			   char why[RUNTIME_WHY_SIZE])
{
	struct track *track = &take->tracks[stage];
	size_t frames = take->take.frames;
	struct tensor out;
	size_t rate, skip;
	int err;

	if (track->end >= to)
		return 0;
	if (track->end > from)
		from = track->end;
	if (track->values && to < from + model_vits_steps[stage])
		to = from + model_vits_steps[stage];
	if (to + model_vits_steps[stage] / 2 > frames)
		to = frames; /* the rest would be too small for a window of its own */
	err = model_vits_run_stage(take, stage, from, to, &out, &rate, &skip, why);
	if (err)
		return err;
	err = model_vits_keep(take, track, &out, rate, skip, from, to, why);
	tensor_release(&out);
	return err;
}

static int model_vits_decode(struct take *object, size_t from, size_t to, const float **samplesp,
			     char why[RUNTIME_WHY_SIZE])
{
	struct take_of_vits *take = (struct take_of_vits *)(void *)object;
	size_t rate, skip;
	int err;

	assert(from < to && to <= take->take.frames);
	tensor_release(&take->window);
	err = model_vits_run_stage(take, STAGE_TAIL, from, to, &take->window, &rate, &skip, why);
	if (err)
		return err;
	if (take->take.frame_len && rate != take->take.frame_len) {
		snprintf(why, RUNTIME_WHY_SIZE, "a frame has %zu samples, and had %zu", rate,
			 take->take.frame_len);
		return EINVAL;
	}
	take->take.frame_len = rate;
	*samplesp = take->window.f32 + skip;
	return 0;
}

/* Whether the output of the text piece is plausible. */
static bool model_vits_is_sound(const struct take_of_vits *take, size_t id_count)
{
	const struct tensor *mean = &take->mean;

	return mean->type == TENSOR_F32 && mean->rank == 3 && mean->dims[0] == 1 &&
	       mean->dims[1] > 0 && mean->dims[2] > 0 && take->deviation.type == TENSOR_F32 &&
	       tensor_count(&take->deviation) == tensor_count(mean) &&
	       take->durations.type == TENSOR_F32 && tensor_count(&take->durations) == id_count;
}

static int model_vits_run_text(struct take_of_vits *take, const int64_t *ids, size_t id_count,
			       float *duration_noise, char why[RUNTIME_WHY_SIZE])
{
	const struct cut *cut = take->model->cut;
	const struct take_settings *settings = &take->settings;
	float scales[3] = {settings->noise_scale, settings->length_scale, settings->noise_w};
	int64_t length = (int64_t)id_count;
	int64_t speaker = settings->speaker ? settings->speaker->speaker : 0;
	struct tensor inputs[5] = {
		{.name = "input", .type = TENSOR_I64, .rank = 2, .dims = {1, length}},
		{.name = "input_lengths", .type = TENSOR_I64, .rank = 1, .dims = {1}},
		{.name = "scales", .type = TENSOR_F32, .rank = 1, .dims = {3}, .f32 = scales},
	};
	struct tensor outputs[3 + CUT_SHARED_MAX] = {
		{.name = cut->mean}, {.name = cut->deviation}, {.name = cut->durations}};
	size_t input_count = 3;
	int err;

	inputs[0].i64 = (int64_t *)(uintptr_t)ids; /* it is only read */
	inputs[1].i64 = &length;
	if (cut->has_speakers)
		inputs[input_count++] = (struct tensor){
			.name = "sid", .type = TENSOR_I64, .rank = 1, .dims = {1}, .i64 = &speaker};
	if (cut->duration_noise)
		inputs[input_count++] =
			model_vits_matrix(cut->duration_noise, duration_noise, 2, id_count);
	for (size_t i = 0; i < cut->text.shared_count; ++i)
		outputs[3 + i].name = cut->text.shared[i];
	err = network_run(take->model->text, inputs, input_count, outputs,
			  3 + cut->text.shared_count, why);
	if (err)
		return err;
	take->mean = outputs[0];
	take->deviation = outputs[1];
	take->durations = outputs[2];
	memcpy(take->shared, outputs + 3, sizeof(take->shared));
	return 0;
}

static int model_vits_begin(struct take **takep, const struct model *object, const int64_t *ids,
			    size_t id_count, const struct take_settings *settings,
			    char why[RUNTIME_WHY_SIZE])
{
	struct take_of_vits *take = mem_zalloc(sizeof(*take), model_vits_take_destroy);
	float *duration_noise = malloc(2 * id_count * sizeof(*duration_noise));
	int err;

	if (!take || !duration_noise) {
		free(duration_noise);
		mem_deref(take);
		return model_vits_no_memory(why);
	}
	take->take.model = object;
	take->model = (const struct model_of_vits *)(const void *)object;
	take->settings = *settings;
	noise_fill(&settings->key, NOISE_DURATIONS, 0, duration_noise, 2 * id_count);
	err = model_vits_run_text(take, ids, id_count, duration_noise, why);
	free(duration_noise);
	if (!err && !model_vits_is_sound(take, id_count)) {
		snprintf(why, RUNTIME_WHY_SIZE, "the text piece gives odd shapes");
		err = EINVAL;
	}
	if (err) {
		mem_deref(take);
		return err;
	}
	take->take.frames = (size_t)take->mean.dims[2];
	take->take.frame_len = take->model->frame_len;
	take->take.durations = take->durations.f32;
	*takep = &take->take;
	return 0;
}

static int model_vits_open_stages(struct model_of_vits *model, struct runtime *runtime,
				  char why[RUNTIME_WHY_SIZE])
{
	const struct cut *cut = model->cut;
	int err = network_open(&model->text, runtime, cut->text.bytes, cut->text.len, why);

	for (enum stage stage = 0; stage < STAGES && !err; ++stage)
		err = network_open(&model->stages[stage], runtime,
				   model_vits_piece_of(cut, stage)->bytes,
				   model_vits_piece_of(cut, stage)->len, why);
	return err;
}

/* Ids of real symbols, the same for all models with the same table. */
static void model_vits_make_trial(int64_t ids[TRIAL_IDS], const struct model_file *file)
{
	for (size_t i = 0; i < TRIAL_IDS; ++i)
		ids[i] = i % 2 ? 0 : file->symbols[i * 7 % file->symbol_count].id;
}

struct trial {
	float *samples;
	size_t count;
};

/* All samples of a take, in windows of `window` frames; malloc'ed. */
static int model_vits_decode_all(struct trial *trial, struct take *take, size_t window,
				 char why[RUNTIME_WHY_SIZE])
{
	float *all = NULL;
	int err = 0;

	for (size_t from = 0, to; from < take->frames && !err; from = to) {
		const float *samples;

		to = window < take->frames - from ? from + window : take->frames;
		err = model_vits_decode(take, from, to, &samples, why);
		if (!err && !all)
			all = malloc(take->frames * take->frame_len * sizeof(*all));
		if (!err && !all)
			err = model_vits_no_memory(why);
		if (!err)
			memcpy(all + from * take->frame_len, samples,
			       (to - from) * take->frame_len * sizeof(*all));
	}
	if (err) {
		free(all);
		return err;
	}
	*trial = (struct trial){all, take->frames * take->frame_len};
	return 0;
}

static int model_vits_speak_trial(struct trial *trial, struct model_of_vits *model,
				  const struct model_file *file, size_t window,
				  char why[RUNTIME_WHY_SIZE])
{
	struct take_settings settings = {
		.noise_scale = file->noise_scale, .length_scale = 1, .noise_w = file->noise_w};
	int64_t ids[TRIAL_IDS];
	struct take *take;
	int err;

	model_vits_make_trial(ids, file);
	noise_key_init(&settings.key);
	err = model_vits_begin(&take, &model->model, ids, TRIAL_IDS, &settings, why);
	if (err)
		return err;
	err = model_vits_decode_all(trial, take, window, why);
	model->frame_len = take->frame_len;
	mem_deref(take);
	return err;
}

/* Infinite when they cannot be compared: the lengths differ, or a value is not a number. */
static float model_vits_largest_difference(const struct trial *a, const struct trial *b)
{
	float largest = 0;

	if (a->count != b->count)
		return INFINITY;
	for (size_t i = 0; i < a->count; ++i) {
		float difference = fabsf(a->samples[i] - b->samples[i]);

		if (!isfinite(difference))
			return INFINITY;
		largest = fmaxf(largest, difference);
	}
	return largest;
}

/* Synthesizes a trial utterance at once and in windows: determines the length of a frame and
 * the context that this model needs, and runs every stage for the first time. */
static int model_vits_find_contexts(struct model_of_vits *model, const struct model_file *file,
				    char why[RUNTIME_WHY_SIZE])
{
	struct trial whole;
	struct trial windowed;
	float difference = INFINITY;
	int err;

	model->contexts = model_vits_contexts[0];
	err = model_vits_speak_trial(&whole, model, file, SIZE_MAX, why);
	if (err)
		return err;
	for (size_t i = 0; i < COUNT(model_vits_contexts) && !err && difference > ROUNDING; ++i) {
		model->contexts = model_vits_contexts[i];
		err = model_vits_speak_trial(&windowed, model, file, 24, why);
		if (err)
			break;
		difference = model_vits_largest_difference(&whole, &windowed);
		free(windowed.samples);
	}
	free(whole.samples);
	if (!err && difference > ROUNDING) {
		snprintf(why, RUNTIME_WHY_SIZE,
			 "in windows it does not give what it gives whole (%g)",
			 (double)difference);
		err = ENOTSUP;
	}
	return err;
}

static int model_vits_open(struct model **modelp, struct runtime *runtime, const struct onnx *onnx,
			   const struct model_file *file, char why[RUNTIME_WHY_SIZE])
{
	struct model_of_vits *model = mem_zalloc(sizeof(*model), model_vits_destroy);
	int err;

	if (!model)
		return model_vits_no_memory(why);
	model->model.family = &model_vits;
	err = cut_vits(&model->cut, onnx, why, RUNTIME_WHY_SIZE);
	if (!err)
		err = model_vits_open_stages(model, runtime, why);
	if (!err) {
		cut_drop_bytes(model->cut);
		err = model_vits_find_contexts(model, file, why);
	}
	if (err) {
		mem_deref(model);
		return err;
	}
	*modelp = &model->model;
	return 0;
}

const struct model_family_ops model_vits = {
	.open = model_vits_open,
	.begin = model_vits_begin,
	.decode = model_vits_decode,
};
