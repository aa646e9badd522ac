/*
 * model_vits.c: VITS models, decoded a window at a time (see model.h, cut.h).
 *
 * The text piece runs once for an utterance and gives a mean and a deviation
 * for each frame.  From there on every stage turns a stretch of frames into a
 * stretch of frames and looks only a few frames to either side:
 *
 *   latent  →  flow  →  head  →  tail  →  samples
 *
 * So to have samples of some frames, the tail needs those frames of the head's
 * output and a few more, the head needs a few more of the flow's, and so on.
 * Each stage but the last keeps what it has made; a stage that is asked for
 * more computes the window that is missing, with its context, and throws away
 * what the context gave, which is wrong because it saw an edge where none is.
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

/* Streams of a key's noise. */
enum { NOISE_DURATIONS, NOISE_LATENT };

enum stage { STAGE_FLOW, STAGE_HEAD, STAGE_TAIL, STAGES };

/* How far each stage looks to either side, in frames.  The first row is what
 * Piper's models of medium quality have: a flow of four couplings of four
 * convolutions over five frames (4 × 4 × 2); a head of a convolution over seven
 * frames, one transposed convolution's edge, and ±45 columns at eight times the
 * rate (3 + 1 + 6); a tail of ±45 columns at 64 and 256 times the rate and two
 * more edges.  A model for which a row is too small is found out when it is
 * loaded, and gets the next. */
static const size_t contexts[][STAGES] = {
	{32, 10, 2},
	{40, 13, 3},
	{64, 24, 8},
};

/* A stage makes at least so many frames at a time once it has begun: its
 * context is computed for nothing, and over fewer frames would cost more than
 * they do.  The first window is as short as can be: somebody waits for it. */
static const size_t steps[STAGES] = {192, 64, 1};

/* Both ways to compute an utterance are the same but for rounding: what is
 * heard has 16 bits, and this is a fifth of the last one. */
#define ROUNDING 6e-6f

/* Ids in the text that is spoken to nobody when a model is loaded: enough that
 * every stage has a window with context on both sides. */
#define TRIAL_IDS 81

struct model_of_vits {
	struct model model;
	struct network *text;
	struct network *stages[STAGES];
	struct cut *cut; /* the names; its bytes are gone */
	size_t frame_len;
	const size_t *contexts;
};

/* What a stage has made so far: `rows` rows of `rate` columns for each of the
 * utterance's frames. */
struct track {
	float *values;
	size_t rows;
	size_t rate;
	size_t end; /* behind the last frame that is there */
};

struct take_of_vits {
	struct take take;
	const struct model_of_vits *model;
	struct take_settings settings;
	struct tensor mean, deviation, durations;
	struct tensor shared[CUT_SHARED_MAX];
	struct track tracks[STAGES]; /* the tail's is not kept */
	struct tensor window; /* the tail's last */
};

static void model_destroy(void *object)
{
	struct model_of_vits *model = object;

	mem_deref(model->text);
	for (size_t i = 0; i < STAGES; ++i)
		mem_deref(model->stages[i]);
	mem_deref(model->cut);
}

static void take_destroy(void *object)
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

static int no_memory(char why[RUNTIME_WHY_SIZE])
{
	snprintf(why, RUNTIME_WHY_SIZE, "%s", strerror(ENOMEM));
	return ENOMEM;
}

/* Columns [from, from + n) of every row of a matrix. */
static void copy_columns(float *to, const float *matrix, size_t rows, size_t columns, size_t from,
			 size_t n)
{
	for (size_t row = 0; row < rows; ++row)
		memcpy(to + row * n, matrix + row * columns + from, n * sizeof(*to));
}

static struct tensor matrix(const char *name, float *values, size_t rows, size_t columns)
{
	return (struct tensor){
		.name = name,
		.type = TENSOR_F32,
		.rank = 3,
		.dims = {1, (int64_t)rows, (int64_t)columns},
		.f32 = values,
	};
}

/* Frames [from, to) of the latent.  The noise of a frame depends on its number
 * alone, so every window sees the same. */
static int make_latent(const struct take_of_vits *take, size_t from, size_t to, struct tensor *out)
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
	*out = matrix(take->model->cut->latent, latent, rows, n);
	return 0;
}

static int need(struct take_of_vits *take, enum stage stage, size_t from, size_t to,
		char why[RUNTIME_WHY_SIZE]);

/* Frames [from, to) of what a stage takes; the values are malloc'ed. */
static int make_input(struct take_of_vits *take, enum stage stage, size_t from, size_t to,
		      struct tensor *out, char why[RUNTIME_WHY_SIZE])
{
	const struct cut *cut = take->model->cut;
	const char *const names[STAGES] = {cut->latent, cut->features, cut->hidden};
	const struct track *track;
	float *values;
	size_t n;
	int err;

	if (stage == STAGE_FLOW)
		return make_latent(take, from, to, out) ? no_memory(why) : 0;
	err = need(take, stage - 1, from, to, why);
	if (err)
		return err;
	track = &take->tracks[stage - 1];
	n = (to - from) * track->rate;
	values = malloc(track->rows * n * sizeof(*values));
	if (!values)
		return no_memory(why);
	copy_columns(values, track->values, track->rows, take->take.frames * track->rate,
		     from * track->rate, n);
	*out = matrix(names[stage], values, track->rows, n);
	return 0;
}

/* A shared value for a window: as it is, or its columns if it has one for each
 * frame.  Sets what the caller has to free. */
static int window_shared(const struct take_of_vits *take, const char *name, size_t from, size_t to,
			 struct tensor *out, float **owned)
{
	const struct cut *cut = take->model->cut;
	size_t frames = take->take.frames;
	size_t i = 0;
	size_t rows;

	while (strcmp(cut->text.shared[i], name) != 0)
		++i; /* the pieces share only what the text piece gives */
	*out = take->shared[i];
	out->value = NULL;
	if (out->type != TENSOR_F32 || out->rank != 3 || out->dims[0] != 1 ||
	    out->dims[2] != (int64_t)frames)
		return 0;
	rows = (size_t)out->dims[1];
	*owned = malloc(rows * (to - from) * sizeof(**owned));
	if (!*owned)
		return ENOMEM;
	copy_columns(*owned, out->f32, rows, frames, from, to - from);
	*out = matrix(name, *owned, rows, to - from);
	return 0;
}

static const struct cut_piece *piece_of(const struct cut *cut, enum stage stage)
{
	const struct cut_piece *const pieces[STAGES] = {&cut->flow, &cut->head, &cut->tail};

	return pieces[stage];
}

/* Runs a stage over frames [from, to), edges included. */
static int run_window(struct take_of_vits *take, enum stage stage, size_t from, size_t to,
		      struct tensor *out, char why[RUNTIME_WHY_SIZE])
{
	const struct cut *cut = take->model->cut;
	const struct cut_piece *piece = piece_of(cut, stage);
	const char *const names[STAGES] = {cut->features, cut->hidden, cut->output};
	struct tensor inputs[1 + CUT_SHARED_MAX];
	float *owned[CUT_SHARED_MAX] = {0};
	int err = make_input(take, stage, from, to, &inputs[0], why);

	if (err)
		return err;
	for (size_t i = 0; i < piece->shared_count && !err; ++i)
		err = window_shared(take, piece->shared[i], from, to, &inputs[1 + i], &owned[i]);
	*out = (struct tensor){.name = names[stage]};
	if (err)
		no_memory(why);
	else
		err = network_run(take->model->stages[stage], inputs, 1 + piece->shared_count, out,
				  1, why);
	free(inputs[0].f32);
	for (size_t i = 0; i < piece->shared_count; ++i)
		free(owned[i]);
	return err;
}

/* How many columns a frame has become; 0: no whole number, or there are none. */
static size_t columns_per_frame(const struct tensor *out, size_t frames)
{
	size_t columns = out->rank > 0 ? (size_t)out->dims[out->rank - 1] : 0;

	if (out->type != TENSOR_F32 || tensor_count(out) == 0 || columns % frames != 0)
		return 0;
	return columns / frames;
}

/* Runs a stage over frames [from, to) and its context; *skip is how many
 * columns of the result are the left context's. */
static int run_stage(struct take_of_vits *take, enum stage stage, size_t from, size_t to,
		     struct tensor *out, size_t *rate, size_t *skip, char why[RUNTIME_WHY_SIZE])
{
	size_t context = take->model->contexts[stage];
	size_t frames = take->take.frames;
	size_t begin = from > context ? from - context : 0;
	size_t end = to + context < frames ? to + context : frames;
	int err = run_window(take, stage, begin, end, out, why);

	if (err)
		return err;
	*rate = columns_per_frame(out, end - begin);
	if (*rate == 0) {
		snprintf(why, RUNTIME_WHY_SIZE, "%s has no columns for %zu frames", out->name,
			 end - begin);
		tensor_release(out);
		return EINVAL;
	}
	*skip = (from - begin) * *rate;
	return 0;
}

/* The first window says how much a frame has; the others must agree. */
static int keep(const struct take_of_vits *take, struct track *track, const struct tensor *out,
		size_t rate, size_t skip, size_t from, size_t to, char why[RUNTIME_WHY_SIZE])
{
	size_t columns = (size_t)out->dims[out->rank - 1];
	size_t rows = tensor_count(out) / columns;
	size_t all = take->take.frames * rate;

	if (!track->values) {
		track->rows = rows;
		track->rate = rate;
		track->values = malloc(rows * all * sizeof(*track->values));
		if (!track->values)
			return no_memory(why);
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

/* Makes sure that a stage has frames [from, to).  Windows come in order, and
 * frames that nobody asks for (a retry jumps over what was heard) are left out. */
static int need(struct take_of_vits *take, enum stage stage, size_t from, size_t to,
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
	if (track->values && to < from + steps[stage])
		to = from + steps[stage];
	if (to + steps[stage] / 2 > frames)
		to = frames; /* the rest would be a window that is hardly worth it */
	err = run_stage(take, stage, from, to, &out, &rate, &skip, why);
	if (err)
		return err;
	err = keep(take, track, &out, rate, skip, from, to, why);
	tensor_release(&out);
	return err;
}

static int decode(struct take *object, size_t from, size_t to, const float **samplesp,
		  char why[RUNTIME_WHY_SIZE])
{
	struct take_of_vits *take = (struct take_of_vits *)(void *)object;
	size_t rate, skip;
	int err;

	assert(from < to && to <= take->take.frames);
	tensor_release(&take->window);
	err = run_stage(take, STAGE_TAIL, from, to, &take->window, &rate, &skip, why);
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

/* Whether what the text piece gave can be what it should be. */
static bool is_sound(const struct take_of_vits *take, size_t id_count)
{
	const struct tensor *mean = &take->mean;

	return mean->type == TENSOR_F32 && mean->rank == 3 && mean->dims[0] == 1 &&
	       mean->dims[1] > 0 && mean->dims[2] > 0 && take->deviation.type == TENSOR_F32 &&
	       tensor_count(&take->deviation) == tensor_count(mean) &&
	       take->durations.type == TENSOR_F32 && tensor_count(&take->durations) == id_count;
}

static int run_text(struct take_of_vits *take, const int64_t *ids, size_t id_count,
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
		inputs[input_count++] = matrix(cut->duration_noise, duration_noise, 2, id_count);
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

static int begin(struct take **takep, const struct model *object, const int64_t *ids,
		 size_t id_count, const struct take_settings *settings, char why[RUNTIME_WHY_SIZE])
{
	struct take_of_vits *take = mem_zalloc(sizeof(*take), take_destroy);
	float *duration_noise = malloc(2 * id_count * sizeof(*duration_noise));
	int err;

	if (!take || !duration_noise) {
		free(duration_noise);
		mem_deref(take);
		return no_memory(why);
	}
	take->take.model = object;
	take->model = (const struct model_of_vits *)(const void *)object;
	take->settings = *settings;
	noise_fill(&settings->key, NOISE_DURATIONS, 0, duration_noise, 2 * id_count);
	err = run_text(take, ids, id_count, duration_noise, why);
	free(duration_noise);
	if (!err && !is_sound(take, id_count)) {
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

static int open_stages(struct model_of_vits *model, struct runtime *runtime,
		       char why[RUNTIME_WHY_SIZE])
{
	const struct cut *cut = model->cut;
	int err = network_open(&model->text, runtime, cut->text.bytes, cut->text.len, why);

	for (enum stage stage = 0; stage < STAGES && !err; ++stage)
		err = network_open(&model->stages[stage], runtime, piece_of(cut, stage)->bytes,
				   piece_of(cut, stage)->len, why);
	return err;
}

/* Ids of real symbols, all alike for every model with the same table. */
static void make_trial(int64_t ids[TRIAL_IDS], const struct model_file *file)
{
	for (size_t i = 0; i < TRIAL_IDS; ++i)
		ids[i] = i % 2 ? 0 : file->symbols[i * 7 % file->symbol_count].id;
}

struct trial {
	float *samples;
	size_t count;
};

/* All samples of a take, in windows of `window` frames; malloc'ed. */
static int decode_all(struct trial *trial, struct take *take, size_t window,
		      char why[RUNTIME_WHY_SIZE])
{
	float *all = NULL;
	int err = 0;

	for (size_t from = 0, to; from < take->frames && !err; from = to) {
		const float *samples;

		to = window < take->frames - from ? from + window : take->frames;
		err = decode(take, from, to, &samples, why);
		if (!err && !all)
			all = malloc(take->frames * take->frame_len * sizeof(*all));
		if (!err && !all)
			err = no_memory(why);
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

static int speak_trial(struct trial *trial, struct model_of_vits *model,
		       const struct model_file *file, size_t window, char why[RUNTIME_WHY_SIZE])
{
	struct take_settings settings = {
		.noise_scale = file->noise_scale, .length_scale = 1, .noise_w = file->noise_w};
	int64_t ids[TRIAL_IDS];
	struct take *take;
	int err;

	make_trial(ids, file);
	noise_key_init(&settings.key);
	err = begin(&take, &model->model, ids, TRIAL_IDS, &settings, why);
	if (err)
		return err;
	err = decode_all(trial, take, window, why);
	model->frame_len = take->frame_len;
	mem_deref(take);
	return err;
}

/* Infinite when they cannot be compared: one is longer, or has what is no
 * number. */
static float largest_difference(const struct trial *a, const struct trial *b)
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

/* Speaks a text to nobody, whole and in windows: finds how long a frame is and
 * how much context this model needs, and is the first run of every stage. */
static int find_contexts(struct model_of_vits *model, const struct model_file *file,
			 char why[RUNTIME_WHY_SIZE])
{
	struct trial whole;
	struct trial windowed;
	float difference = INFINITY;
	int err;

	model->contexts = contexts[0];
	err = speak_trial(&whole, model, file, SIZE_MAX, why);
	if (err)
		return err;
	for (size_t i = 0; i < COUNT(contexts) && !err && difference > ROUNDING; ++i) {
		model->contexts = contexts[i];
		err = speak_trial(&windowed, model, file, 24, why);
		if (err)
			break;
		difference = largest_difference(&whole, &windowed);
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

static int open_vits(struct model **modelp, struct runtime *runtime, const struct onnx *onnx,
		     const struct model_file *file, char why[RUNTIME_WHY_SIZE])
{
	struct model_of_vits *model = mem_zalloc(sizeof(*model), model_destroy);
	int err;

	if (!model)
		return no_memory(why);
	model->model.family = &model_vits;
	err = cut_vits(&model->cut, onnx, why, RUNTIME_WHY_SIZE);
	if (!err)
		err = open_stages(model, runtime, why);
	if (!err) {
		cut_drop_bytes(model->cut);
		err = find_contexts(model, file, why);
	}
	if (err) {
		mem_deref(model);
		return err;
	}
	*modelp = &model->model;
	return 0;
}

const struct model_family_ops model_vits = {
	.open = open_vits,
	.begin = begin,
	.decode = decode,
};
