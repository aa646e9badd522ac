/* Whisper as a recognizer: on a tiny model, whose words and times can be predicted, and on real ones,
 * which must understand what their own runtime understands. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <math.h>

#include "base/count.h"
#include "base/mem.h"
#include "ears.h"
#include "engine/hear/recognizer.h"
#include "engine/hear/whisper_decode.h"
#include "recorded.h"
#include "workers/message.h"

/* Samples of a frame of the encoder's output, and those that the tiny model looks at in its n-th
 * step, from 0 on: around the (10 n)-th frame.  It begins to speak in the third step. */
#define FRAME 320u
#define STEP (10 * FRAME)
#define SECOND 16000u

/* Models of this name attend to a word 800 samples after it began. */
#define EARLY 800u

static struct runtime *runtime;
static struct recognizer *tiny;
static float noise[2 * SECOND];

static struct recognizer *test_whisper_open(const char *folder)
{
	struct recognizer *recognizer = NULL;
	char why[RUNTIME_WHY_SIZE] = "";

	if (recognizer_whisper.open(&recognizer, runtime, folder, why) != 0)
		fail_msg("%s: %s", folder, why);
	return recognizer;
}

static int test_whisper_hear(struct recognizer_result *result,
			     const struct recognizer_piece *options)
{
	struct recognizer_piece piece = *options;
	char why[RUNTIME_WHY_SIZE] = "";

	if (!piece.samples) {
		piece.samples = noise;
		piece.count = COUNT(noise);
	}
	piece.language = piece.language ? piece.language : "";
	piece.prompt = "";
	recognizer_result_init(result);
	return recognizer_run(tiny, result, &piece, why);
}

static void test_whisper_assert_text(const struct recognizer_result *result, const char *want)
{
	assert_int_equal(result->text.len, strlen(want));
	if (result->text.len > 0)
		assert_memory_equal(result->text.bytes, want, result->text.len);
}

static void test_whisper_tokens_become_words_with_times(void **state)
{
	struct recognizer_result result;

	(void)state;
	if (!tiny)
		skip();
	assert_int_equal(test_whisper_hear(&result, &(struct recognizer_piece){.language = "en",
									       .want_times = true}),
			 0);
	/* Not the time, the bracket and the blank, which are likelier as the first token. */
	test_whisper_assert_text(&result, "one two, zero");
	assert_int_equal(result.word_count, 3);
	assert_int_equal(result.words[0].sample_start, 0);
	assert_int_equal(result.words[0].sample_end, 3 * STEP + STEP / 2 - EARLY);
	assert_int_equal(result.words[1].sample_end, 4 * STEP + STEP / 2 - EARLY);
	assert_int_equal(result.words[2].sample_start, 5 * STEP + STEP / 2 - EARLY);
	assert_int_equal(result.words[2].sample_end, 6 * STEP + STEP / 2 - EARLY);
	assert_int_equal(result.words[1].byte_end, strlen("one two,"));
	assert_true(result.words[1].probability > 0.99f && result.words[1].probability <= 1);
	assert_true(result.words[0].probability > 0.7f && result.words[0].probability < 0.8f);
	assert_string_equal(result.language, "en");
	assert_float_equal(result.language_probability, 1, 0);
	assert_false(result.times_are_approximate);
	recognizer_result_reset(&result);
}

static void test_whisper_detects_the_language(void **state)
{
	struct recognizer_result result;

	(void)state;
	if (!tiny)
		skip();
	assert_int_equal(test_whisper_hear(&result, &(struct recognizer_piece){0}), 0);
	test_whisper_assert_text(&result, "one two, zero");
	assert_string_equal(result.language, "de");
	assert_float_equal(result.language_probability, 1 / (1 + expf(-1)), 1e-3f);
	assert_int_equal(result.words[2].sample_end, 0); /* times were not wanted */
	recognizer_result_reset(&result);
	/* Of a code with a country only the language counts; an unknown one is detected. */
	assert_int_equal(
		test_whisper_hear(&result, &(struct recognizer_piece){.language = "en-GB"}), 0);
	assert_string_equal(result.language, "en");
	recognizer_result_reset(&result);
	assert_int_equal(test_whisper_hear(&result, &(struct recognizer_piece){.language = "xx"}),
			 0);
	assert_string_equal(result.language, "de");
	recognizer_result_reset(&result);
}

static void test_whisper_silence_has_no_words(void **state)
{
	static const float silence[SECOND];
	struct recognizer_result result;

	(void)state;
	if (!tiny)
		skip();
	assert_int_equal(test_whisper_hear(&result, &(struct recognizer_piece){.samples = silence,
									       .count = SECOND,
									       .want_times = true}),
			 0);
	test_whisper_assert_text(&result, "");
	assert_int_equal(result.word_count, 0);
	recognizer_result_reset(&result);
}

static bool test_whisper_count_down(void *arg)
{
	unsigned *steps = arg;

	return (*steps)-- == 0;
}

static void test_whisper_can_be_cancelled_at_every_step(void **state)
{
	(void)state;
	if (!tiny)
		skip();
	for (unsigned n = 0;; ++n) {
		struct recognizer_result result;
		unsigned steps = n;
		int err = test_whisper_hear(
			&result, &(struct recognizer_piece){.is_cancelled = test_whisper_count_down,
							    .arg = &steps});

		recognizer_result_reset(&result);
		if (!err) {
			assert_int_equal(n, 8); /* four of the prefix and four of text */
			break;
		}
		assert_int_equal(err, ECANCELED);
	}
}

/* A copy of the tiny model with other files; `name` is one that the folder gets. */
static void test_whisper_copy(char folder[PATH_MAX], const char *name, const char *file,
			      const char *from, const char *to)
{
	char command[4 * PATH_MAX];
	char source[PATH_MAX];

	ears_tiny(source, "other/whisper-tiny");
	snprintf(folder, PATH_MAX, "%s/syrinx-whisper-XXXXXX",
		 getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
	assert_non_null(mkdtemp(folder));
	snprintf(command, sizeof(command),
		 "cp -r '%s' '%s/%s' && cd '%s/%s' && sed 's/%s/%s/' %s > new && mv new %s", source,
		 folder, name, folder, name, from, to, file, file);
	assert_int_equal(system(command), 0);
	snprintf(folder + strlen(folder), PATH_MAX - strlen(folder), "/%s", name);
}

static void test_whisper_remove(char folder[PATH_MAX])
{
	char command[2 * PATH_MAX];

	*strrchr(folder, '/') = '\0';
	snprintf(command, sizeof(command), "rm -rf '%s'", folder);
	assert_int_equal(system(command), 0);
}

/* Without " one", the likeliest is " again", which follows itself. */
static void test_whisper_repeats_are_cut(void **state)
{
	struct recognizer *saved = tiny;
	struct recognizer_result result;
	char folder[PATH_MAX];

	(void)state;
	if (!tiny)
		skip();
	test_whisper_copy(folder, "loop", "generation_config.json", "\"suppress_tokens\": .6",
			  "\"suppress_tokens\": [1, 6");
	tiny = test_whisper_open(folder);
	assert_int_equal(test_whisper_hear(&result, &(struct recognizer_piece){.want_times = true}),
			 0);
	test_whisper_assert_text(&result, "again");
	recognizer_result_reset(&result);
	mem_deref(tiny);
	tiny = saved;
	test_whisper_remove(folder);
}

static void test_whisper_models_of_one_language_read_no_language(void **state)
{
	struct recognizer *saved = tiny;
	struct recognizer_result result;
	char folder[PATH_MAX];

	(void)state;
	if (!tiny)
		skip();
	test_whisper_copy(folder, "whisper-base", "generation_config.json",
			  "\"is_multilingual\": true", "\"is_multilingual\": false");
	tiny = test_whisper_open(folder);
	assert_string_equal(tiny->title, "Whisper base");
	assert_string_equal(tiny->licence, "MIT");
	assert_string_equal(tiny->languages, "en");
	assert_int_equal(tiny->capabilities & MESSAGE_MODEL_DETECTS_LANGUAGE, 0);
	assert_int_equal(test_whisper_hear(&result, &(struct recognizer_piece){.want_times = true}),
			 0);
	test_whisper_assert_text(&result, "one two, zero");
	assert_string_equal(result.language, "en");
	assert_float_equal(result.language_probability, 1, 0);
	/* The prefix is two tokens shorter; this name of a model has a delay of 960 samples. */
	assert_int_equal(result.words[1].sample_end, 2 * STEP + STEP / 2 + 960);
	recognizer_result_reset(&result);
	mem_deref(tiny);
	tiny = saved;
	test_whisper_remove(folder);
}

static void test_whisper_says_what_it_is(void **state)
{
	const struct recognizer *recognizer = tiny;

	(void)state;
	if (!recognizer) {
		skip();
		return; /* for the analyzer, which does not know that skip() does not return */
	}
	assert_ptr_equal(recognizer->family, &recognizer_whisper);
	assert_string_equal(recognizer->title, "Whisper tiny");
	assert_string_equal(recognizer->languages, "en de");
	assert_int_equal(recognizer->capabilities, MESSAGE_MODEL_TIMES |
							   MESSAGE_MODEL_PROBABILITIES |
							   MESSAGE_MODEL_DETECTS_LANGUAGE);
	assert_int_equal(recognizer->longest, 2 * SECOND);
}

static void test_whisper_files_that_do_not_fit_are_refused(void **state)
{
	static const struct {
		const char *file, *from, *to, *why;
	} rows[] = {
		{"config.json", "whisper", "moonshine", "config.json: its \"model_type\""},
		{"config.json", "\"decoder_layers\": 2", "\"decoder_layers\": 1", "does not agree"},
		{"config.json", "\"vocab_size\": 15", "\"vocab_size\": 14", "does not agree"},
		{"config.json", "\"vocab_size\": 15", "\"vocab_size\": 16", "does not agree"},
		{"config.json", "\"num_mel_bins\": 4", "\"num_mel_bins\": 5", "input_features"},
		{"generation_config.json", "{", "[", "generation_config.json: "},
		{"tokenizer.json", "<|transcribe|>", "<|translate|>", "there is no <|transcribe|>"},
		{"tokenizer.json", "{", "", "tokenizer.json: it is no object"},
		{"onnx/encoder_model_quantized.onnx", "last_hidden_state", "last_hidden_stale",
		 "onnx/encoder_model_quantized.onnx: it gives no last_hidden_state"},
		{"onnx/decoder_model_merged_quantized.onnx", "tiny-ears", "tiny", "no ONNX model"},
	};

	(void)state;
	if (!tiny)
		skip();
	for (size_t i = 0; i < COUNT(rows); ++i) {
		struct recognizer *recognizer = NULL;
		char why[RUNTIME_WHY_SIZE] = "";
		char folder[PATH_MAX];
		size_t live = mem_live();

		test_whisper_copy(folder, "bad", rows[i].file, rows[i].from, rows[i].to);
		assert_int_not_equal(recognizer_whisper.open(&recognizer, runtime, folder, why), 0);
		test_whisper_remove(folder);
		if (!strstr(why, rows[i].why))
			fail_msg("%s, %s: %s", rows[i].file, rows[i].to, why);
		assert_null(recognizer);
		assert_int_equal(mem_live(), live);
	}
}

/* The words of transformers.js, and the very tokens. */
static void test_whisper_check_clip(const struct recognizer *recognizer, const char *file,
				    const struct recorded_clip *clip)
{
	const struct whisper_model *model = (const struct whisper_model *)recognizer;
	float *samples = calloc(clip->count, sizeof(*samples));
	struct recognizer_piece piece = {.samples = samples,
					 .count = clip->count,
					 .language = "en",
					 .prompt = "",
					 .want_times = true};
	struct whisper_tokens tokens = {.language = whisper_model_find_language(model, "en")};
	struct recognizer_result result;
	char why[RUNTIME_WHY_SIZE] = "";
	char ids[512] = "";
	size_t len = 0;

	assert_non_null(samples);
	for (size_t i = 0; i < clip->count; ++i)
		samples[i] = (float)clip->samples[i] / 32768;
	assert_int_equal(whisper_decode(&tokens, model, &piece, why), 0);
	for (size_t i = 0; i < tokens.count; ++i)
		len += (size_t)snprintf(ids + len, sizeof(ids) - len, "%s%lld", i > 0 ? " " : "",
					(long long)tokens.ids[i]);
	assert_string_equal(ids, recorded_line(file, clip->name, 1));
	piece.language = "";
	recognizer_result_init(&result);
	assert_int_equal(recognizer_run(recognizer, &result, &piece, why), 0);
	test_whisper_assert_text(&result, recorded_line(file, clip->name, 0));
	assert_string_equal(result.language, "en");
	assert_true(result.language_probability > 0.5f);
	for (size_t i = 0; i < result.word_count; ++i) {
		assert_true(result.words[i].sample_start <= result.words[i].sample_end);
		assert_true(result.words[i].sample_end <= clip->count);
	}
	recognizer_result_reset(&result);
	free(samples);
}

static void test_whisper_check_silence(const struct recognizer *recognizer)
{
	static const float silence[SECOND];
	const struct recognizer_piece piece = {
		.samples = silence, .count = SECOND, .language = "", .prompt = ""};
	struct recognizer_result result;
	char why[RUNTIME_WHY_SIZE] = "";

	recognizer_result_init(&result);
	assert_int_equal(recognizer_run(recognizer, &result, &piece, why), 0);
	test_whisper_assert_text(&result, "");
	recognizer_result_reset(&result);
}

static void test_whisper_understands_what_its_own_runtime_understands(void **state)
{
	static const char *const names[] = {"whisper-tiny", "whisper-base"};
	struct recorded_clip *clips;
	size_t count = recorded_read_clips(&clips);

	(void)state;
	for (size_t i = 0; i < COUNT(names); ++i) {
		struct recognizer *recognizer;
		char folder[PATH_MAX];
		char file[32];

		if (!runtime || !ears_installed(folder, names[i]))
			continue;
		snprintf(file, sizeof(file), "%s.txt", names[i]);
		recognizer = test_whisper_open(folder);
		for (size_t k = 0; k < count; ++k)
			test_whisper_check_clip(recognizer, file, &clips[k]);
		test_whisper_check_silence(recognizer);
		mem_deref(recognizer);
	}
	recorded_free_clips(clips, count);
}

static int test_whisper_set_up(void **state)
{
	uint32_t random = 1;
	char folder[PATH_MAX];

	(void)state;
	for (size_t i = 0; i < COUNT(noise); ++i) {
		random = random * 1664525u + 1013904223u;
		noise[i] = (float)(random >> 16) / 65536 - 0.5f;
	}
	runtime = ears_open_runtime();
	ears_tiny(folder, "other/whisper-tiny");
	if (runtime)
		tiny = test_whisper_open(folder);
	return 0;
}

static int test_whisper_tear_down(void **state)
{
	(void)state;
	mem_deref(tiny);
	mem_deref(runtime);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whisper_tokens_become_words_with_times),
		cmocka_unit_test(test_whisper_detects_the_language),
		cmocka_unit_test(test_whisper_silence_has_no_words),
		cmocka_unit_test(test_whisper_can_be_cancelled_at_every_step),
		cmocka_unit_test(test_whisper_repeats_are_cut),
		cmocka_unit_test(test_whisper_models_of_one_language_read_no_language),
		cmocka_unit_test(test_whisper_says_what_it_is),
		cmocka_unit_test(test_whisper_files_that_do_not_fit_are_refused),
		cmocka_unit_test(test_whisper_understands_what_its_own_runtime_understands),
	};

	return cmocka_run_group_tests(tests, test_whisper_set_up, test_whisper_tear_down);
}
