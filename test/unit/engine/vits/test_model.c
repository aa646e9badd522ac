/* A model gives the same samples in windows and at once.
 *
 * Runs on the tiny voices, and on installed voices if a runtime is installed with them. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/count.h"
#include "base/mem.h"
#include "engine/vits/cut.h"
#include "engine/vits/model.h"
#include "voice_files.h"

/* A fifth of the last of 16 bits. */
#define ROUNDING 6e-6f

#define IDS_MAX 400

static struct runtime *runtime;

static void test_model_need_runtime(void)
{
	if (!runtime)
		skip();
}

struct voice {
	char *bytes;
	struct onnx *onnx;
	struct model_file *file;
	struct model *model;
};

static void test_model_voice_load(struct voice *voice, const char *path)
{
	char why[RUNTIME_WHY_SIZE] = "";
	size_t len;
	int err;

	voice->bytes = voice_files_read(path, &len);
	assert_int_equal(onnx_parse(&voice->onnx, voice->bytes, len, why, sizeof(why)), 0);
	assert_int_equal(model_file_read(&voice->file, path, voice->onnx, why, sizeof(why)), 0);
	err = model_open(&voice->model, runtime, voice->onnx, voice->file, why);
	if (err)
		fail_msg("%s: %s", path, why);
}

static void test_model_voice_free(struct voice *voice)
{
	mem_deref(voice->model);
	mem_deref(voice->file);
	mem_deref(voice->onnx);
	free(voice->bytes);
}

static size_t test_model_make_ids(const struct voice *voice, int64_t ids[IDS_MAX], size_t n)
{
	for (size_t i = 0; i < n; ++i)
		ids[i] = i % 2 ? 0 : voice->file->symbols[i * 5 % voice->file->symbol_count].id;
	return n;
}

static struct take_settings test_model_settings_for(const struct voice *voice, const char *key)
{
	struct take_settings settings = {
		.speaker = &voice->file->speakers[0],
		.noise_scale = 0.5f,
		.length_scale = 1.3f,
		.noise_w = 0.6f,
	};

	noise_key_init(&settings.key);
	noise_key_add(&settings.key, key, strlen(key));
	return settings;
}

struct sound {
	float *samples;
	size_t count;
};

/* In windows that begin with `window` frames and grow by `growth` each time. */
static struct sound test_model_speak(const struct voice *voice, size_t id_count, const char *key,
				     size_t window, size_t growth)
{
	struct take_settings settings = test_model_settings_for(voice, key);
	char why[RUNTIME_WHY_SIZE];
	int64_t ids[IDS_MAX];
	struct sound sound;
	struct take *take;

	test_model_make_ids(voice, ids, id_count);
	assert_int_equal(take_begin(&take, voice->model, ids, id_count, &settings, why), 0);
	sound.count = take_frames(take) * take_frame_len(take);
	sound.samples = malloc(sound.count * sizeof(float));
	for (size_t from = 0, to; from < take_frames(take); from = to, window += growth) {
		const float *samples;

		to = from + window < take_frames(take) ? from + window : take_frames(take);
		assert_int_equal(take_decode(take, from, to, &samples, why), 0);
		memcpy(sound.samples + from * take_frame_len(take), samples,
		       (to - from) * take_frame_len(take) * sizeof(float));
	}
	mem_deref(take);
	return sound;
}

static void test_model_assert_same_sound(const struct sound *a, const struct sound *b)
{
	float largest = 0;

	assert_int_equal(a->count, b->count);
	for (size_t i = 0; i < a->count; ++i)
		largest = fmaxf(largest, fabsf(a->samples[i] - b->samples[i]));
	if (!(largest < ROUNDING))
		fail_msg("differ by %g", (double)largest);
}

/* What both the text piece and the uncut graph take. */
struct question {
	int64_t ids[IDS_MAX];
	int64_t length, speaker;
	float scales[3];
	float duration_noise[2 * IDS_MAX];
	struct tensor inputs[6];
	size_t count;
};

static void test_model_ask(struct question *question, const struct voice *voice,
			   const struct cut *cut, size_t id_count,
			   const struct take_settings *settings)
{
	struct tensor *inputs = question->inputs;

	question->length = (int64_t)test_model_make_ids(voice, question->ids, id_count);
	question->speaker = settings->speaker->speaker;
	question->scales[0] = settings->noise_scale;
	question->scales[1] = settings->length_scale;
	question->scales[2] = settings->noise_w;
	noise_fill(&settings->key, 0, 0, question->duration_noise, 2 * id_count);
	inputs[0] = (struct tensor){.name = "input",
				    .type = TENSOR_I64,
				    .rank = 2,
				    .dims = {1, question->length},
				    .i64 = question->ids};
	inputs[1] = (struct tensor){.name = "input_lengths",
				    .type = TENSOR_I64,
				    .rank = 1,
				    .dims = {1},
				    .i64 = &question->length};
	inputs[2] = (struct tensor){.name = "scales",
				    .type = TENSOR_F32,
				    .rank = 1,
				    .dims = {3},
				    .f32 = question->scales};
	question->count = 3;
	if (cut->has_speakers)
		inputs[question->count++] = (struct tensor){.name = "sid",
							    .type = TENSOR_I64,
							    .rank = 1,
							    .dims = {1},
							    .i64 = &question->speaker};
	if (cut->duration_noise)
		inputs[question->count++] = (struct tensor){.name = cut->duration_noise,
							    .type = TENSOR_F32,
							    .rank = 3,
							    .dims = {1, 2, question->length},
							    .f32 = question->duration_noise};
}

static struct tensor test_model_run(const void *bytes, size_t len, const struct question *question,
				    const char *output_name)
{
	char why[RUNTIME_WHY_SIZE] = "";
	struct tensor output = {.name = output_name};
	struct network *network;

	assert_int_equal(network_open(&network, runtime, bytes, len, why), 0);
	if (network_run(network, question->inputs, question->count, &output, 1, why) != 0)
		fail_msg("%s", why);
	mem_deref(network);
	return output;
}

/* The latent's noise as the graph would have it: rows of channels. */
static float *test_model_latent_noise(const struct noise_key *key, size_t channels, size_t frames)
{
	float *by_frame = malloc(channels * frames * sizeof(float));
	float *by_channel = malloc(channels * frames * sizeof(float));

	noise_fill(key, 1, 0, by_frame, channels * frames);
	for (size_t f = 0; f < frames; ++f)
		for (size_t c = 0; c < channels; ++c)
			by_channel[c * frames + f] = by_frame[f * channels + c];
	free(by_frame);
	return by_channel;
}

static struct sound test_model_speak_uncut(const struct voice *voice, size_t id_count,
					   const char *key)
{
	struct take_settings settings = test_model_settings_for(voice, key);
	char why[RUNTIME_WHY_SIZE] = "";
	struct question question;
	struct tensor mean, output;
	struct sound sound;
	struct cut *cut;
	char *bytes, *name;
	float *noise;
	size_t len;

	assert_int_equal(cut_vits(&cut, voice->onnx, why, sizeof(why)), 0);
	test_model_ask(&question, voice, cut, id_count, &settings);
	mean = test_model_run(cut->text.bytes, cut->text.len, &question, cut->mean);
	noise = test_model_latent_noise(&settings.key, (size_t)mean.dims[1], (size_t)mean.dims[2]);
	assert_int_equal(cut_none(voice->onnx, cut, &bytes, &len, &name), 0);
	question.inputs[question.count++] = (struct tensor){.name = name,
							    .type = TENSOR_F32,
							    .rank = 3,
							    .dims = {1, mean.dims[1], mean.dims[2]},
							    .f32 = noise};
	output = test_model_run(bytes, len, &question, cut->output);
	sound.count = tensor_count(&output);
	sound.samples = malloc(sound.count * sizeof(float));
	memcpy(sound.samples, output.f32, sound.count * sizeof(float));
	tensor_release(&output);
	tensor_release(&mean);
	mem_deref(cut);
	free(bytes);
	free(name);
	free(noise);
	return sound;
}

static void test_model_check_voice(const char *path)
{
	static const size_t windows[][2] = {{24, 24}, {1, 3}, {37, 0}, {100, 50}};
	struct voice voice = {0};
	struct sound whole, uncut;

	test_model_voice_load(&voice, path);
	whole = test_model_speak(&voice, 161, "a", SIZE_MAX / 2, 0);
	for (size_t i = 0; i < COUNT(windows); ++i) {
		struct sound parts =
			test_model_speak(&voice, 161, "a", windows[i][0], windows[i][1]);

		test_model_assert_same_sound(&whole, &parts);
		free(parts.samples);
	}
	uncut = test_model_speak_uncut(&voice, 161, "a");
	test_model_assert_same_sound(&whole, &uncut);
	free(uncut.samples);
	free(whole.samples);
	test_model_voice_free(&voice);
}

static void test_model_windows_give_what_the_uncut_model_gives(void **state)
{
	static const char *const names[] = {"tiny.onnx", "single.onnx", "plain.onnx"};
	char path[PATH_MAX];

	(void)state;
	test_model_need_runtime();
	for (size_t i = 0; i < COUNT(names); ++i) {
		voice_files_tiny(path, names[i]);
		test_model_check_voice(path);
	}
}

static void test_model_installed_voices_too(void **state)
{
	char path[PATH_MAX];
	size_t vits = 0;

	(void)state;
	test_model_need_runtime();
	for (size_t i = 0; voice_files_installed(path, i); ++i) {
		if (strstr(strrchr(path, '/'), "kokoro"))
			continue; /* another family, not cut */
		test_model_check_voice(path);
		++vits;
	}
	if (vits == 0) {
		print_message("skipped: no voices are installed\n");
		skip();
	}
}

static void test_model_the_same_key_gives_the_same_samples(void **state)
{
	char path[PATH_MAX];
	struct voice voice = {0};
	struct sound first, again, other;

	(void)state;
	test_model_need_runtime();
	voice_files_tiny(path, "tiny.onnx");
	test_model_voice_load(&voice, path);
	first = test_model_speak(&voice, 81, "a", 24, 24);
	again = test_model_speak(&voice, 81, "a", 24, 24);
	other = test_model_speak(&voice, 81, "b", 24, 24);
	assert_int_equal(first.count, again.count);
	assert_memory_equal(first.samples, again.samples, first.count * sizeof(float));
	assert_true(other.count != first.count ||
		    memcmp(other.samples, first.samples, first.count * sizeof(float)) != 0);
	free(first.samples);
	free(again.samples);
	free(other.samples);
	test_model_voice_free(&voice);
}

/* After a worker died the next one need not make what was heard. */
static void test_model_frames_can_be_left_out(void **state)
{
	char path[PATH_MAX];
	char why[RUNTIME_WHY_SIZE];
	struct voice voice = {0};
	struct take_settings settings;
	struct sound whole;
	const float *samples;
	int64_t ids[IDS_MAX];
	struct take *take;
	size_t from, frames, len;

	(void)state;
	test_model_need_runtime();
	voice_files_tiny(path, "tiny.onnx");
	test_model_voice_load(&voice, path);
	whole = test_model_speak(&voice, 161, "a", SIZE_MAX / 2, 0);
	settings = test_model_settings_for(&voice, "a");
	test_model_make_ids(&voice, ids, 161);
	assert_int_equal(take_begin(&take, voice.model, ids, 161, &settings, why), 0);
	frames = take_frames(take);
	len = take_frame_len(take);
	assert_true(frames > 300);
	assert_int_equal(take_decode(take, 0, 24, &samples, why), 0);
	from = frames - 100;
	assert_int_equal(take_decode(take, from, frames, &samples, why), 0);
	for (size_t i = 0; i < 100 * len; ++i)
		assert_true(fabsf(samples[i] - whole.samples[from * len + i]) < ROUNDING);
	mem_deref(take);
	free(whole.samples);
	test_model_voice_free(&voice);
}

static void test_model_durations_add_up_to_the_frames(void **state)
{
	char path[PATH_MAX];
	char why[RUNTIME_WHY_SIZE];
	struct voice voice = {0};
	struct take_settings settings;
	int64_t ids[IDS_MAX];
	struct take *take;
	float sum = 0;

	(void)state;
	test_model_need_runtime();
	voice_files_tiny(path, "single.onnx");
	test_model_voice_load(&voice, path);
	settings = test_model_settings_for(&voice, "a");
	test_model_make_ids(&voice, ids, 81);
	assert_int_equal(take_begin(&take, voice.model, ids, 81, &settings, why), 0);
	for (size_t i = 0; i < 81; ++i)
		sum += take_durations(take)[i];
	assert_int_equal((size_t)sum, take_frames(take));
	mem_deref(take);
	test_model_voice_free(&voice);
}

/* The symbol table lacks some ids: the metadata file belongs to another model. */
static void test_model_a_model_that_cannot_speak_its_trial_is_refused(void **state)
{
	char why[RUNTIME_WHY_SIZE] = "";
	char path[PATH_MAX];
	struct voice voice = {0};
	size_t len;

	(void)state;
	test_model_need_runtime();
	voice_files_tiny(path, "tiny.onnx");
	voice.bytes = voice_files_read(path, &len);
	assert_int_equal(onnx_parse(&voice.onnx, voice.bytes, len, why, sizeof(why)), 0);
	assert_int_equal(model_file_read(&voice.file, path, voice.onnx, why, sizeof(why)), 0);
	for (size_t i = 0; i < voice.file->symbol_count; ++i)
		voice.file->symbols[i].id += 100000;
	assert_int_equal(model_open(&voice.model, runtime, voice.onnx, voice.file, why), EINVAL);
	assert_true(why[0] != '\0');
	test_model_voice_free(&voice);
}

/* The bias of the last convolution: its name, the field's head, one number. */
static char *test_model_last_bias(char *bytes, size_t len)
{
	static const char name[] = "dec.conv_post.bias";
	char *found = NULL;
	char *next = bytes;

	while ((next = memmem(next, len - (size_t)(next - bytes), name, strlen(name))))
		found = next++;
	assert_non_null(found);
	return found + strlen(name) + 2;
}

static void test_model_a_model_that_speaks_no_numbers_is_refused(void **state)
{
	const float no_number = NAN;
	char why[RUNTIME_WHY_SIZE] = "";
	char path[PATH_MAX];
	struct voice voice = {0};
	size_t len;

	(void)state;
	test_model_need_runtime();
	voice_files_tiny(path, "tiny.onnx");
	voice.bytes = voice_files_read(path, &len);
	memcpy(test_model_last_bias(voice.bytes, len), &no_number, sizeof(no_number));
	assert_int_equal(onnx_parse(&voice.onnx, voice.bytes, len, why, sizeof(why)), 0);
	assert_int_equal(model_file_read(&voice.file, path, voice.onnx, why, sizeof(why)), 0);
	assert_int_equal(model_open(&voice.model, runtime, voice.onnx, voice.file, why), ENOTSUP);
	test_model_voice_free(&voice);
}

static int test_model_find_runtime(void **state)
{
	char folder[PATH_MAX - 32];
	char whole[PATH_MAX];
	char path[PATH_MAX];
	char why[RUNTIME_WHY_SIZE];

	(void)state;
	voice_files_folder(whole);
	snprintf(folder, sizeof(folder), "%.4000s", whole);
	snprintf(path, sizeof(path), "%s/libonnxruntime.so", folder);
	if (runtime_open(&runtime, path, why) != 0) {
		print_message("skipped: no runtime: %s %s\n", path, why);
		runtime = NULL;
	}
	return 0;
}

static int test_model_drop_runtime(void **state)
{
	(void)state;
	runtime = mem_deref(runtime);
	return mem_live() == 0 ? 0 : -1;
}

static void test_model_a_file_that_is_no_runtime_is_refused(void **state)
{
	char why[RUNTIME_WHY_SIZE] = "";
	struct runtime *none = NULL;

	(void)state;
	assert_int_equal(runtime_open(&none, "/nonexistent/libonnxruntime.so", why), ENOENT);
	assert_true(why[0] != '\0');
	assert_int_equal(runtime_open(&none, "/proc/self/exe", why), EINVAL);
	assert_int_equal(runtime_open(&none, "/etc/passwd", why), EINVAL);
	assert_non_null(strstr(why, "cannot be loaded"));
	assert_int_equal(runtime_open(&none, "libm.so.6", why), ENOENT); /* not searched for */
	assert_null(none);
}

static void test_model_what_is_no_model_is_refused(void **state)
{
	char why[RUNTIME_WHY_SIZE] = "";
	struct network *network = NULL;

	(void)state;
	test_model_need_runtime();
	assert_int_equal(network_open(&network, runtime, "what?", 5, why), EINVAL);
	assert_true(why[0] != '\0');
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_model_a_file_that_is_no_runtime_is_refused),
		cmocka_unit_test(test_model_what_is_no_model_is_refused),
		cmocka_unit_test(test_model_a_model_that_cannot_speak_its_trial_is_refused),
		cmocka_unit_test(test_model_a_model_that_speaks_no_numbers_is_refused),
		cmocka_unit_test(test_model_windows_give_what_the_uncut_model_gives),
		cmocka_unit_test(test_model_installed_voices_too),
		cmocka_unit_test(test_model_the_same_key_gives_the_same_samples),
		cmocka_unit_test(test_model_frames_can_be_left_out),
		cmocka_unit_test(test_model_durations_add_up_to_the_frames),
	};

	return cmocka_run_group_tests(tests, test_model_find_runtime, test_model_drop_runtime);
}
