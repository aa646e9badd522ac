/* Kokoro models that are refused, and what installed ones say.
 *
 * Whether a model is one is found out without a runtime.  The rest needs the
 * real weights: it is skipped where they are not installed. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/count.h"
#include "base/mem.h"
#include "engine/vits/model.h"
#include "engine/vits/script.h"
#include "model_text.h"
#include "voice_files.h"

#define STYLE_SIZE 1024
#define STYLE_FILE_MAX (1 << 20)
#define FILE_MAX (1 << 20)

/* Short, because a second of speech is a second of work. */
#define SENTENCE "The train leaves at noon."
#define RATE 24000

static char folder[] = "/tmp/test_kokoro.XXXXXX";

static void test_kokoro_path_in_folder(char path[PATH_MAX], const char *name)
{
	snprintf(path, PATH_MAX, "%s/%s", folder, name);
}

static void test_kokoro_write_file(const char *name, const void *bytes, size_t len)
{
	char path[PATH_MAX];
	FILE *file;

	test_kokoro_path_in_folder(path, name);
	file = fopen(path, "wb");
	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, len, file), len);
	assert_int_equal(fclose(file), 0);
}

static void test_kokoro_remove_file(const char *name)
{
	char path[PATH_MAX];

	test_kokoro_path_in_folder(path, name);
	unlink(path);
}

/* A style file of so many bytes: all zeros, and one odd number at the end. */
static void test_kokoro_write_style(size_t len, float last)
{
	char *bytes = calloc(1, len + sizeof(last));

	assert_non_null(bytes);
	if (len >= sizeof(last))
		memcpy(bytes + len - sizeof(last), &last, sizeof(last));
	test_kokoro_write_file("a.bin", bytes, len);
	free(bytes);
}

/* Opens a graph as the Kokoro model of the folder, without a runtime: whatever
 * is wrong must be seen before that is asked. */
static int test_kokoro_open_graph(const void *bytes, size_t len, char why[RUNTIME_WHY_SIZE])
{
	struct model_file *file = NULL;
	struct model *model = NULL;
	struct onnx *onnx = NULL;
	char path[PATH_MAX];
	int err;

	test_kokoro_path_in_folder(path, "kokoro.onnx");
	assert_int_equal(onnx_parse(&onnx, bytes, len, why, RUNTIME_WHY_SIZE), 0);
	if (model_file_read(&file, path, onnx, why, RUNTIME_WHY_SIZE))
		fail_msg("%s", why);
	assert_int_equal(file->family, MODEL_KOKORO);
	err = model_open(&model, NULL, onnx, file, why);
	assert_null(model);
	mem_deref(file);
	mem_deref(onnx);
	return err;
}

static void test_kokoro_assert_refused(int expected, const char *reason)
{
	char why[RUNTIME_WHY_SIZE] = "";
	struct buf graph;
	int err;

	buf_init(&graph, FILE_MAX);
	model_text_write(&graph, "input input\noutput o\nTanh input -> o\n");
	err = test_kokoro_open_graph(graph.bytes, graph.len, why);
	buf_reset(&graph);
	if (err != expected || !strstr(why, reason))
		fail_msg("%d, \"%s\" instead of %d, \"%s\"", err, why, expected, reason);
}

static void test_kokoro_a_vits_graph_is_refused(void **state)
{
	char why[RUNTIME_WHY_SIZE] = "";
	char path[PATH_MAX];
	char *bytes;
	size_t len;

	(void)state;
	test_kokoro_write_style(STYLE_SIZE, 0);
	voice_files_tiny(path, "tiny.onnx");
	bytes = voice_files_read(path, &len);
	assert_int_equal(test_kokoro_open_graph(bytes, len, why), ENOTSUP);
	assert_non_null(strstr(why, "no model of Kokoro: it takes \"input\""));
	free(bytes);
}

static void test_kokoro_a_missing_style_file_is_named(void **state)
{
	(void)state;
	test_kokoro_remove_file("a.bin");
	test_kokoro_assert_refused(ENOENT, "the style file a.bin: No such file");
}

static void test_kokoro_a_style_file_has_whole_vectors(void **state)
{
	static const size_t bad[] = {0, 4, STYLE_SIZE - 1, STYLE_SIZE + 4, STYLE_FILE_MAX - 4};

	(void)state;
	for (size_t i = 0; i < COUNT(bad); ++i) {
		char reason[64];

		snprintf(reason, sizeof(reason), "a.bin has %zu bytes", bad[i]);
		test_kokoro_write_style(bad[i], 0);
		test_kokoro_assert_refused(ENOTSUP, reason);
	}
	test_kokoro_write_style(STYLE_SIZE, 0);
	test_kokoro_assert_refused(ENOTSUP, "no model of Kokoro"); /* what comes after it */
}

static void test_kokoro_a_style_file_has_a_limit(void **state)
{
	(void)state;
	test_kokoro_write_style(STYLE_FILE_MAX, 0);
	test_kokoro_assert_refused(ENOTSUP, "no model of Kokoro");
	test_kokoro_write_style(STYLE_FILE_MAX + STYLE_SIZE, 0);
	test_kokoro_assert_refused(ENOTSUP, "a.bin has more than 1048576 bytes");
}

static void test_kokoro_a_style_file_of_no_numbers_is_damaged(void **state)
{
	(void)state;
	test_kokoro_write_style(2 * (size_t)STYLE_SIZE, NAN);
	test_kokoro_assert_refused(ENOTSUP, "a.bin is damaged");
	test_kokoro_write_style(2 * (size_t)STYLE_SIZE, INFINITY);
	test_kokoro_assert_refused(ENOTSUP, "a.bin is damaged");
}

/* The installed model, loaded once for all tests. */
static struct {
	struct runtime *runtime;
	struct model_file *file;
	struct model *model;
} installed;

static bool test_kokoro_find_installed(char path[PATH_MAX])
{
	for (size_t i = 0; voice_files_installed(path, i); ++i)
		if (strcmp(strrchr(path, '/'), "/kokoro.onnx") == 0)
			return true;
	return false;
}

/* Skips the test that asks when there is none. */
static void test_kokoro_load_installed(void)
{
	char why[RUNTIME_WHY_SIZE] = "";
	char voices[PATH_MAX];
	char library[PATH_MAX + 32];
	char path[PATH_MAX];
	struct onnx *onnx = NULL;
	char *bytes;
	size_t len;

	if (installed.model)
		return;
	voice_files_folder(voices);
	snprintf(library, sizeof(library), "%s/libonnxruntime.so", voices);
	if (!test_kokoro_find_installed(path) ||
	    runtime_open(&installed.runtime, library, why) != 0) {
		print_message("skipped: Kokoro is not installed\n");
		skip();
	}
	bytes = voice_files_read(path, &len);
	assert_int_equal(onnx_parse(&onnx, bytes, len, why, sizeof(why)), 0);
	assert_int_equal(model_file_read(&installed.file, path, onnx, why, sizeof(why)), 0);
	if (model_open(&installed.model, installed.runtime, onnx, installed.file, why))
		fail_msg("%s", why);
	mem_deref(onnx);
	free(bytes);
	assert_int_equal(script_open(), 0);
}

static const struct model_speaker *test_kokoro_find_speaker(const char *name)
{
	for (size_t i = 0; i < installed.file->speaker_count_listed; ++i)
		if (strcmp(installed.file->speakers[i].name, name) == 0)
			return &installed.file->speakers[i];
	fail_msg("no speaker %s", name);
	return NULL;
}

/* The sentence with one of the speakers. */
static struct take *test_kokoro_begin(const char *speaker_name, float length_scale,
				      size_t *id_count)
{
	struct take_settings settings = {.length_scale = length_scale};
	char why[RUNTIME_WHY_SIZE] = "";
	struct script *script = NULL;
	struct take *take = NULL;
	int err;

	test_kokoro_load_installed();
	settings.speaker = test_kokoro_find_speaker(speaker_name);
	err = script_write(&script, installed.file, settings.speaker, SENTENCE, strlen(SENTENCE));
	assert_int_equal(err, 0);
	assert_int_equal(script->utterance_count, 1);
	assert_int_equal(script->unknown, 0);
	if (take_begin(&take, installed.model, script->utterances[0].ids,
		       script->utterances[0].count, &settings, why))
		fail_msg("%s", why);
	if (id_count)
		*id_count = script->utterances[0].count;
	mem_deref(script);
	return take;
}

static const float *test_kokoro_samples_of(struct take *take, size_t from, size_t to)
{
	char why[RUNTIME_WHY_SIZE] = "";
	const float *samples = NULL;

	assert_int_equal(take_decode(take, from, to, &samples, why), 0);
	assert_non_null(samples);
	return samples;
}

static size_t test_kokoro_sample_count(const struct take *take)
{
	return take_frames(take) * take_frame_len(take);
}

static void test_kokoro_a_sentence_sounds_like_one(void **state)
{
	struct take *take = test_kokoro_begin("kokoro:af_heart", 1, NULL);
	const float *samples = test_kokoro_samples_of(take, 0, take_frames(take));
	double seconds = (double)test_kokoro_sample_count(take) / RATE;
	double power = 0;

	(void)state;
	assert_int_equal(installed.file->sample_rate, RATE);
	for (size_t i = 0; i < test_kokoro_sample_count(take); ++i)
		power += (double)samples[i] * (double)samples[i];
	power = 10 * log10(power / (double)test_kokoro_sample_count(take));
	if (seconds < 1.3 || seconds > 3.5 || power < -35 || power > -12)
		fail_msg("%.2f s at %.1f dB", seconds, power);
	mem_deref(take);
}

static void test_kokoro_durations_add_up_to_the_samples(void **state)
{
	size_t id_count;
	struct take *take = test_kokoro_begin("kokoro:af_heart", 1, &id_count);
	double sum = 0;

	(void)state;
	assert_non_null(take_durations(take));
	for (size_t i = 0; i < id_count; ++i)
		sum += (double)take_durations(take)[i];
	if (sum > (double)take_frames(take) + 0.01 || sum < (double)take_frames(take) - 1.01)
		fail_msg("%g of %zu frames", sum, take_frames(take));
	mem_deref(take);
}

static void test_kokoro_the_same_text_gives_the_same_samples(void **state)
{
	struct take *first = test_kokoro_begin("kokoro:af_heart", 1, NULL);
	struct take *again = test_kokoro_begin("kokoro:af_heart", 1, NULL);
	size_t len = take_frame_len(first);

	(void)state;
	assert_int_equal(take_frames(first), take_frames(again));
	assert_memory_equal(test_kokoro_samples_of(first, 0, take_frames(first)),
			    test_kokoro_samples_of(again, 0, take_frames(again)),
			    test_kokoro_sample_count(first) * sizeof(float));
	/* A window is a piece of it. */
	assert_memory_equal(test_kokoro_samples_of(first, 0, take_frames(first)) + 20 * len,
			    test_kokoro_samples_of(again, 20, 40), 20 * len * sizeof(float));
	mem_deref(first);
	mem_deref(again);
}

static void test_kokoro_speakers_and_speeds_differ(void **state)
{
	struct take *woman = test_kokoro_begin("kokoro:af_heart", 1, NULL);
	struct take *man = test_kokoro_begin("kokoro:am_michael", 1, NULL);
	struct take *fast = test_kokoro_begin("kokoro:af_heart", 0.7f, NULL);
	size_t less = take_frames(man) < take_frames(woman) ? take_frames(man) : take_frames(woman);
	double ratio = (double)take_frames(fast) / (double)take_frames(woman);

	(void)state;
	assert_memory_not_equal(test_kokoro_samples_of(woman, 0, less),
				test_kokoro_samples_of(man, 0, less),
				less * take_frame_len(woman) * sizeof(float));
	if (ratio < 0.6 || ratio > 0.8)
		fail_msg("%g times as long", ratio);
	mem_deref(woman);
	mem_deref(man);
	mem_deref(fast);
}

static int test_kokoro_make_folder(void **state)
{
	static const char json[] =
		"{\"audio\":{\"sample_rate\":24000},\"espeak\":{\"voice\":\"en-us\"},"
		"\"phoneme_id_map\":{\"$\":[0],\"a\":[1],\" \":[2],\".\":[3]},"
		"\"syrinx\":{\"family\":\"kokoro\",\"speakers\":[{\"name\":\"a\","
		"\"style_file\":\"a.bin\"}]}}";

	(void)state;
	if (!mkdtemp(folder))
		return -1;
	test_kokoro_write_file("kokoro.onnx.json", json, strlen(json));
	return 0;
}

static int test_kokoro_drop_folder(void **state)
{
	(void)state;
	test_kokoro_remove_file("kokoro.onnx.json");
	test_kokoro_remove_file("a.bin");
	rmdir(folder);
	mem_deref(installed.model);
	mem_deref(installed.file);
	mem_deref(installed.runtime);
	return mem_live() == 0 ? 0 : -1;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kokoro_a_vits_graph_is_refused),
		cmocka_unit_test(test_kokoro_a_missing_style_file_is_named),
		cmocka_unit_test(test_kokoro_a_style_file_has_whole_vectors),
		cmocka_unit_test(test_kokoro_a_style_file_has_a_limit),
		cmocka_unit_test(test_kokoro_a_style_file_of_no_numbers_is_damaged),
		cmocka_unit_test(test_kokoro_a_sentence_sounds_like_one),
		cmocka_unit_test(test_kokoro_durations_add_up_to_the_samples),
		cmocka_unit_test(test_kokoro_the_same_text_gives_the_same_samples),
		cmocka_unit_test(test_kokoro_speakers_and_speeds_differ),
	};

	return cmocka_run_group_tests(tests, test_kokoro_make_folder, test_kokoro_drop_folder);
}
