/*
 * model_kokoro.c: Kokoro models (see model.h, cut_kokoro.h).
 *
 * Their decoder normalises over the whole utterance, so it cannot be run in windows: the
 * utterance, which script.c limits to a clause, is computed at once, and the windows are
 * parts of the result. A speaker is a file of style vectors, one for each length of text.
 */
#include <assert.h>
#include <endian.h>
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "engine/vits/cut_kokoro.h"
#include "engine/vits/model_private.h"

_Static_assert(CUT_KOKORO_RANK_MAX <= TENSOR_RANK_MAX, "random values become tensors");

#define STYLE_LEN 256 /* numbers of one vector */
#define STYLE_SIZE (STYLE_LEN * sizeof(float)) /* its bytes */

/* The maximum size of a style file. Kokoro takes at most 510 ids, so a file has 510 vectors;
 * this is twice as many. */
#define STYLE_FILE_MAX (1u << 20)

/* Windows are requested in frames, which have an arbitrary length here. */
#define FRAME_LEN 256

/* The ids at the start and the end of an utterance. */
#define FRAME_IDS 2

/* Ids of the trial utterance when a model is loaded. */
#define TRIAL_IDS 6

struct model_kokoro_style {
	/* a speaker of the model file; only the pointer is compared */
	const struct model_speaker *speaker;
	float *vectors;
	size_t count;
};

struct model_of_kokoro {
	struct model model;
	struct network *network;
	struct cut_kokoro *cut; /* the names; its bytes were freed */
	struct model_kokoro_style *styles;
	size_t style_count;
};

struct take_of_kokoro {
	struct take take;
	float *samples;
	float *durations;
};

static void model_kokoro_destroy(void *object)
{
	struct model_of_kokoro *model = object;

	for (size_t i = 0; i < model->style_count; ++i)
		free(model->styles[i].vectors);
	free(model->styles);
	mem_deref(model->network);
	mem_deref(model->cut);
}

static void model_kokoro_take_destroy(void *object)
{
	struct take_of_kokoro *take = object;

	free(take->samples);
	free(take->durations);
}

static int model_kokoro_no_memory(char why[RUNTIME_WHY_SIZE])
{
	snprintf(why, RUNTIME_WHY_SIZE, "%s", strerror(ENOMEM));
	return ENOMEM;
}

/* A whole number of vectors, at least one, of finite numbers. */
static int model_kokoro_check_style(const struct model_kokoro_style *style, size_t len,
				    const char *name, char why[RUNTIME_WHY_SIZE])
{
	bool is_sound = len > 0 && len % STYLE_SIZE == 0 && len <= STYLE_FILE_MAX;

	if (!is_sound) {
		snprintf(why, RUNTIME_WHY_SIZE,
			 "the style file %s has %s%zu bytes: not 1 to %zu vectors of %zu", name,
			 len > STYLE_FILE_MAX ? "more than " : "",
			 len > STYLE_FILE_MAX ? (size_t)STYLE_FILE_MAX : len,
			 STYLE_FILE_MAX / STYLE_SIZE, STYLE_SIZE);
		return ENOTSUP;
	}
	for (size_t i = 0; i < len / sizeof(float); ++i)
		if (!isfinite(style->vectors[i])) {
			snprintf(why, RUNTIME_WHY_SIZE, "the style file %s is damaged", name);
			return ENOTSUP;
		}
	return 0;
}

/* The file is little-endian. */
static void model_kokoro_to_native(float *numbers, size_t count)
{
	for (size_t i = 0; i < count; ++i) {
		uint32_t bits;

		memcpy(&bits, &numbers[i], sizeof(bits));
		bits = le32toh(bits);
		memcpy(&numbers[i], &bits, sizeof(bits));
	}
}

static int model_kokoro_read_style(struct model_kokoro_style *style, FILE *stream, const char *name,
				   char why[RUNTIME_WHY_SIZE])
{
	float *fitting;
	size_t len;
	int err;

	style->vectors = malloc(STYLE_FILE_MAX + 1);
	if (!style->vectors)
		return model_kokoro_no_memory(why);
	errno = 0;
	len = fread(style->vectors, 1, STYLE_FILE_MAX + 1, stream);
	if (ferror(stream)) {
		err = errno ? errno : EIO;
		snprintf(why, RUNTIME_WHY_SIZE, "the style file %s: %s", name, strerror(err));
		return err;
	}
	model_kokoro_to_native(style->vectors, len / sizeof(float));
	err = model_kokoro_check_style(style, len, name, why);
	if (err)
		return err;
	style->count = len / STYLE_SIZE;
	fitting = realloc(style->vectors, len);
	if (fitting)
		style->vectors = fitting;
	return 0;
}

/* The style file is in the model's directory. */
static int model_kokoro_open_style(struct model_kokoro_style *style, const struct model_file *file,
				   char why[RUNTIME_WHY_SIZE])
{
	const char *name = style->speaker->style_file;
	const char *slash = strrchr(file->path, '/');
	FILE *stream;
	char *path;
	int err;

	if (!name) {
		snprintf(why, RUNTIME_WHY_SIZE, "%s has no style file", style->speaker->name);
		return ENOTSUP;
	}
	if (asprintf(&path, "%.*s%s", slash ? (int)(slash + 1 - file->path) : 0, file->path, name) <
	    0)
		return model_kokoro_no_memory(why);
	err = model_file_open(&stream, path);
	free(path);
	if (err) {
		snprintf(why, RUNTIME_WHY_SIZE, "the style file %s: %s", name, strerror(err));
		return err;
	}
	err = model_kokoro_read_style(style, stream, name, why);
	fclose(stream);
	return err;
}

static int model_kokoro_open_styles(struct model_of_kokoro *model, const struct model_file *file,
				    char why[RUNTIME_WHY_SIZE])
{
	int err = 0;

	if (file->speaker_count_listed == 0) {
		snprintf(why, RUNTIME_WHY_SIZE, "it has no speakers");
		return ENOTSUP;
	}
	model->styles = calloc(file->speaker_count_listed, sizeof(*model->styles));
	if (!model->styles)
		return model_kokoro_no_memory(why);
	model->style_count = file->speaker_count_listed;
	for (size_t i = 0; i < model->style_count && !err; ++i) {
		model->styles[i].speaker = &file->speakers[i];
		err = model_kokoro_open_style(&model->styles[i], file, why);
	}
	return err;
}

/* The speaker's vector for a text of this many ids. */
static float *model_kokoro_find_style(const struct model_of_kokoro *model,
				      const struct model_speaker *speaker, size_t id_count)
{
	const struct model_kokoro_style *style = &model->styles[0];
	size_t row = id_count > FRAME_IDS ? id_count - FRAME_IDS : 0;

	for (size_t i = 0; i < model->style_count; ++i)
		if (model->styles[i].speaker == speaker)
			style = &model->styles[i];
	if (row >= style->count)
		row = style->count - 1;
	return style->vectors + row * STYLE_LEN;
}

static int model_kokoro_run(const struct model_of_kokoro *model, const int64_t *ids,
			    size_t id_count, const struct take_settings *settings,
			    struct tensor outputs[2], char why[RUNTIME_WHY_SIZE])
{
	const struct cut_kokoro *cut = model->cut;
	float speed = 1 / settings->length_scale;
	float silence = 0;
	struct tensor inputs[3 + CUT_KOKORO_NOISES_MAX] = {
		{.name = cut->ids, .type = TENSOR_I64, .rank = 2, .dims = {1, (int64_t)id_count}},
		{.name = cut->style, .type = TENSOR_F32, .rank = 2, .dims = {1, STYLE_LEN}},
		{.name = cut->speed, .type = TENSOR_F32, .rank = 1, .dims = {1}, .f32 = &speed},
	};

	inputs[0].i64 = (int64_t *)(uintptr_t)ids; /* it is only read */
	inputs[1].f32 = model_kokoro_find_style(model, settings->speaker, id_count);
	for (size_t i = 0; i < cut->noise_count; ++i)
		inputs[3 + i] = (struct tensor){
			.name = cut->noises[i].name,
			.type = TENSOR_F32,
			.rank = cut->noises[i].rank,
			.dims = {1, 1, 1, 1},
			.f32 = &silence,
		};
	outputs[0] = (struct tensor){.name = cut->samples};
	outputs[1] = (struct tensor){.name = cut->durations};
	return network_run(model->network, inputs, 3 + cut->noise_count, outputs,
			   cut->durations ? 2 : 1, why);
}

static int model_kokoro_keep_samples(struct take_of_kokoro *take, const struct tensor *samples,
				     char why[RUNTIME_WHY_SIZE])
{
	size_t count = tensor_count(samples);

	if (samples->type != TENSOR_F32 || count == 0) {
		snprintf(why, RUNTIME_WHY_SIZE, "the model gives no samples");
		return EINVAL;
	}
	take->take.frame_len = FRAME_LEN;
	take->take.frames = (count + FRAME_LEN - 1) / FRAME_LEN;
	take->samples = calloc(take->take.frames, FRAME_LEN * sizeof(*take->samples));
	if (!take->samples)
		return model_kokoro_no_memory(why);
	memcpy(take->samples, samples->f32, count * sizeof(*take->samples));
	return 0;
}

/* The unit of the durations, about 25 ms, is the same for all ids, and their sum is the length
 * of the utterance. Impossible durations are ignored. */
static int model_kokoro_keep_durations(struct take_of_kokoro *take, const struct tensor *durations,
				       size_t id_count, size_t sample_count,
				       char why[RUNTIME_WHY_SIZE])
{
	float sum = 0;

	if (id_count == 0 || !durations->name || durations->type != TENSOR_F32 ||
	    tensor_count(durations) != id_count)
		return 0;
	for (size_t i = 0; i < id_count; ++i)
		sum += durations->f32[i] >= 0 ? durations->f32[i] : NAN;
	if (!(sum > 0) || !isfinite(sum))
		return 0;
	take->durations = malloc(id_count * sizeof(*take->durations));
	if (!take->durations)
		return model_kokoro_no_memory(why);
	for (size_t i = 0; i < id_count; ++i)
		take->durations[i] = durations->f32[i] / sum * (float)sample_count / FRAME_LEN;
	take->take.durations = take->durations;
	return 0;
}

static int model_kokoro_begin(struct take **takep, const struct model *object, const int64_t *ids,
			      size_t id_count, const struct take_settings *settings,
			      char why[RUNTIME_WHY_SIZE])
{
	const struct model_of_kokoro *model = (const struct model_of_kokoro *)(const void *)object;
	struct take_of_kokoro *take = mem_zalloc(sizeof(*take), model_kokoro_take_destroy);
	struct tensor outputs[2];
	int err;

	if (!take)
		return model_kokoro_no_memory(why);
	take->take.model = object;
	err = model_kokoro_run(model, ids, id_count, settings, outputs, why);
	if (err)
		goto out;
	err = model_kokoro_keep_samples(take, &outputs[0], why);
	if (!err)
		err = model_kokoro_keep_durations(take, &outputs[1], id_count,
						  tensor_count(&outputs[0]), why);
	tensor_release(&outputs[0]);
	tensor_release(&outputs[1]);
out:
	if (err) {
		mem_deref(take);
		return err;
	}
	*takep = &take->take;
	return 0;
}

static int model_kokoro_decode(struct take *object, size_t from, size_t to, const float **samplesp,
			       char why[RUNTIME_WHY_SIZE])
{
	const struct take_of_kokoro *take = (struct take_of_kokoro *)(void *)object;

	(void)why;
	assert(from < to && to <= take->take.frames);
	*samplesp = take->samples + from * FRAME_LEN;
	return 0;
}

static int model_kokoro_speak_trial(const struct model_of_kokoro *model,
				    const struct model_file *file, struct take **takep,
				    char why[RUNTIME_WHY_SIZE])
{
	struct take_settings settings = {.speaker = &file->speakers[0], .length_scale = 0.5f};
	int64_t ids[TRIAL_IDS] = {0}; /* the first and the last are start and end */

	for (size_t i = 1; i + 1 < TRIAL_IDS; ++i)
		ids[i] = file->symbols[i * 7 % file->symbol_count].id;
	return model_kokoro_begin(takep, &model->model, ids, TRIAL_IDS, &settings, why);
}

/* Synthesizes a trial utterance twice: this detects, before a listener waits for it, a model
 * that the runtime cannot compute and one with a source of randomness that was not recognized
 * in its graph. */
static int model_kokoro_try_out(const struct model_of_kokoro *model, const struct model_file *file,
				char why[RUNTIME_WHY_SIZE])
{
	struct take *takes[2] = {0};
	const float *samples[2];
	int err = model_kokoro_speak_trial(model, file, &takes[0], why);

	if (!err)
		err = model_kokoro_speak_trial(model, file, &takes[1], why);
	for (size_t i = 0; i < 2 && !err; ++i)
		err = model_kokoro_decode(takes[i], 0, takes[i]->frames, &samples[i], why);
	if (!err && (takes[0]->frames != takes[1]->frames ||
		     memcmp(samples[0], samples[1],
			    takes[0]->frames * FRAME_LEN * sizeof(*samples[0])) != 0)) {
		snprintf(why, RUNTIME_WHY_SIZE, "it does not say the same twice");
		err = ENOTSUP;
	}
	mem_deref(takes[0]);
	mem_deref(takes[1]);
	return err;
}

static int model_kokoro_open(struct model **modelp, struct runtime *runtime,
			     const struct onnx *onnx, const struct model_file *file,
			     char why[RUNTIME_WHY_SIZE])
{
	struct model_of_kokoro *model = mem_zalloc(sizeof(*model), model_kokoro_destroy);
	int err;

	if (!model)
		return model_kokoro_no_memory(why);
	model->model.family = &model_kokoro;
	err = model_kokoro_open_styles(model, file, why);
	if (!err)
		err = cut_kokoro(&model->cut, onnx, why, RUNTIME_WHY_SIZE);
	if (!err)
		err = network_open(&model->network, runtime, model->cut->bytes, model->cut->len,
				   why);
	if (!err) {
		cut_kokoro_drop_bytes(model->cut);
		err = model_kokoro_try_out(model, file, why);
	}
	if (err) {
		mem_deref(model);
		return err;
	}
	*modelp = &model->model;
	return 0;
}

const struct model_family_ops model_kokoro = {
	.open = model_kokoro_open,
	.begin = model_kokoro_begin,
	.decode = model_kokoro_decode,
};
