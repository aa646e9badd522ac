/* Moonshine as a recognizer: on a tiny model, whose words and times can be predicted, and on real ones,
 * which must understand what their own package understands. */
#include <errno.h>
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
#include "ears.h"
#include "engine/hear/recognizer.h"
#include "recorded.h"
#include "workers/message.h"

/* Tokens of the tiny model. */
enum { UNKNOWN = 0, END = 2, ONE = 4, TWO = 5, THREE = 6, FOUR = 7, TEEN = 10, COMMA, STOP };

static struct runtime *runtime;
static struct recognizer *tiny;

static struct recognizer *test_moonshine_open(const char *folder)
{
	struct recognizer *recognizer = NULL;
	char why[RUNTIME_WHY_SIZE] = "";

	if (recognizer_moonshine.open(&recognizer, runtime, folder, why) != 0)
		fail_msg("%s: %s", folder, why);
	return recognizer;
}

/* A piece of speech to the tiny model, and silence after it. */
static int test_moonshine_hear(struct recognizer_result *result, const unsigned *tokens,
			       size_t count, const struct recognizer_piece *options)
{
	size_t silence = 12;
	unsigned *all = calloc(count + silence, sizeof(*all));
	struct recognizer_piece piece = *options;
	char why[RUNTIME_WHY_SIZE] = "";
	float *samples;
	int err;

	assert_non_null(all);
	memcpy(all, tokens, count * sizeof(*all));
	samples = ears_speak(all, count + silence);
	piece.samples = samples;
	piece.count = (count + silence) * EARS_FRAME;
	piece.language = piece.prompt = "";
	recognizer_result_init(result);
	err = recognizer_run(tiny, result, &piece, why);
	free(samples);
	free(all);
	return err;
}

static void test_moonshine_assert_text(const struct recognizer_result *result, const char *want)
{
	assert_int_equal(result->text.len, strlen(want));
	if (result->text.len > 0)
		assert_memory_equal(result->text.bytes, want, result->text.len);
}

static void test_moonshine_assert_word(const struct recognizer_result *result, size_t i,
				       const char *want)
{
	const struct recognizer_word *word = &result->words[i];

	assert_true(i < result->word_count);
	assert_int_equal(word->byte_end - word->byte_start, strlen(want));
	assert_memory_equal(result->text.bytes + word->byte_start, want, strlen(want));
}

static void test_moonshine_tokens_become_words_with_times(void **state)
{
	const unsigned said[] = {ONE, ONE, TWO, COMMA, FOUR, TEEN, STOP, END};
	struct recognizer_result result;

	(void)state;
	if (!tiny)
		skip();
	assert_int_equal(test_moonshine_hear(&result, said, COUNT(said),
					     &(struct recognizer_piece){.want_times = true}),
			 0);
	test_moonshine_assert_text(&result, "one one two, fourteen.");
	assert_int_equal(result.word_count, 4);
	test_moonshine_assert_word(&result, 2, "two,");
	test_moonshine_assert_word(&result, 3, "fourteen.");
	for (size_t i = 0; i < result.word_count; ++i) {
		const struct recognizer_word *word = &result.words[i];
		size_t first = i < 3 ? i : i + 1; /* the comma is not said */

		/* The decoder attends to a frame 40 ms before its word begins: see DELAY. */
		assert_int_equal(word->sample_start, first > 0 ? first * EARS_FRAME + 640 : 0);
		assert_true(word->sample_end > word->sample_start);
		assert_true(word->probability > 0.9f && word->probability <= 1);
	}
	assert_string_equal(result.language, "en");
	assert_false(result.times_are_approximate);
	recognizer_result_reset(&result);
}

static void test_moonshine_silence_has_no_words(void **state)
{
	struct recognizer_result result;

	(void)state;
	if (!tiny)
		skip();
	assert_int_equal(test_moonshine_hear(&result, (unsigned[]){UNKNOWN}, 1,
					     &(struct recognizer_piece){.want_times = true}),
			 0);
	test_moonshine_assert_text(&result, "");
	assert_int_equal(result.word_count, 0);
	recognizer_result_reset(&result);
}

static void test_moonshine_a_loop_is_ended(void **state)
{
	unsigned said[60];
	struct recognizer_result result;

	(void)state;
	if (!tiny)
		skip();
	for (size_t i = 0; i < COUNT(said); ++i)
		said[i] = i == 0 ? ONE : i % 2 ? TWO : THREE;
	assert_int_equal(
		test_moonshine_hear(&result, said, COUNT(said), &(struct recognizer_piece){0}), 0);
	test_moonshine_assert_text(&result, "one two three");
	recognizer_result_reset(&result);
}

/* Nobody says a word in 24 ms: the text ends with as many tokens as are possible. */
static void test_moonshine_an_endless_text_is_ended(void **state)
{
	unsigned said[200];
	uint32_t random = 1;
	struct recognizer_result result;

	(void)state;
	if (!tiny)
		skip();
	for (size_t i = 0; i < COUNT(said); ++i) {
		random = random * 1664525 + 1013904223;
		said[i] = ONE + (random >> 24) % 6;
	}
	assert_int_equal(test_moonshine_hear(&result, said, COUNT(said),
					     &(struct recognizer_piece){.want_times = true}),
			 0);
	assert_in_range(result.word_count, 50, 100);
	recognizer_result_reset(&result);
}

static bool test_moonshine_is_third(void *arg)
{
	return ++*(unsigned *)arg == 3;
}

static void test_moonshine_a_cancel_ends_it_between_two_tokens(void **state)
{
	const unsigned said[] = {ONE, TWO, THREE, FOUR, END};
	struct recognizer_result result;
	unsigned calls = 0;

	(void)state;
	if (!tiny)
		skip();
	assert_int_equal(test_moonshine_hear(
				 &result, said, COUNT(said),
				 &(struct recognizer_piece){.is_cancelled = test_moonshine_is_third,
							    .arg = &calls}),
			 ECANCELED);
	assert_int_equal(calls, 3);
	recognizer_result_reset(&result);
}

static void test_moonshine_any_length_is_accepted(void **state)
{
	static float samples[RECOGNIZER_RATE * 61];
	char why[RUNTIME_WHY_SIZE] = "";

	(void)state;
	if (!tiny)
		skip();
	for (size_t count = 1; count <= COUNT(samples); count = count * 3 + 1) {
		const struct recognizer_piece piece = {.samples = samples,
						       .count = count,
						       .language = "",
						       .prompt = "",
						       .want_times = true};
		struct recognizer_result result;

		recognizer_result_init(&result);
		assert_int_equal(recognizer_run(tiny, &result, &piece, why), 0);
		recognizer_result_reset(&result);
	}
}

static void test_moonshine_a_model_says_what_it_is(void **state)
{
	(void)state;
	if (!tiny) {
		skip();
		return;
	}
	assert_string_equal(tiny->title, "Moonshine tiny");
	assert_string_equal(tiny->languages, "en");
	assert_string_equal(tiny->licence, "MIT");
	assert_true(tiny->capabilities & MESSAGE_MODEL_PARTIALS);
	assert_int_equal(tiny->longest, 30 * RECOGNIZER_RATE);
}

static void test_moonshine_hears_what_its_package_hears(const char *name)
{
	struct recorded_clip *clips;
	struct recognizer *recognizer;
	char why[RUNTIME_WHY_SIZE] = "";
	char path[PATH_MAX];
	char file[64];
	size_t count;

	if (!runtime || !ears_installed(path, name))
		skip();
	recognizer = test_moonshine_open(path);
	count = recorded_read_clips(&clips);
	snprintf(file, sizeof(file), "%s.txt", name);
	for (size_t i = 0; i < count; ++i) {
		float *samples = calloc(clips[i].count, sizeof(*samples));
		const struct recognizer_piece piece = {.samples = samples,
						       .count = clips[i].count,
						       .language = "",
						       .prompt = "",
						       .want_times = true};
		struct recognizer_result result;

		assert_non_null(samples);
		for (size_t k = 0; k < clips[i].count; ++k)
			samples[k] = (float)clips[i].samples[k] / 32768;
		recognizer_result_init(&result);
		if (recognizer_run(recognizer, &result, &piece, why) != 0)
			fail_msg("%s", why);
		test_moonshine_assert_text(&result, recorded_line(file, clips[i].name, 0));
		recognizer_result_reset(&result);
		free(samples);
	}
	recorded_free_clips(clips, count);
	mem_deref(recognizer);
}

static void test_moonshine_tiny_hears_what_its_package_hears(void **state)
{
	(void)state;
	test_moonshine_hears_what_its_package_hears("moonshine-tiny");
}

static void test_moonshine_base_hears_what_its_package_hears(void **state)
{
	(void)state;
	test_moonshine_hears_what_its_package_hears("moonshine-base");
}

static int test_moonshine_set_up(void **state)
{
	char path[PATH_MAX];

	(void)state;
	runtime = ears_open_runtime();
	if (runtime) {
		ears_tiny(path, "moonshine-tiny");
		tiny = test_moonshine_open(path);
	}
	return 0;
}

static int test_moonshine_tear_down(void **state)
{
	(void)state;
	tiny = mem_deref(tiny);
	runtime = mem_deref(runtime);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_moonshine_tokens_become_words_with_times),
		cmocka_unit_test(test_moonshine_silence_has_no_words),
		cmocka_unit_test(test_moonshine_a_loop_is_ended),
		cmocka_unit_test(test_moonshine_an_endless_text_is_ended),
		cmocka_unit_test(test_moonshine_a_cancel_ends_it_between_two_tokens),
		cmocka_unit_test(test_moonshine_any_length_is_accepted),
		cmocka_unit_test(test_moonshine_a_model_says_what_it_is),
		cmocka_unit_test(test_moonshine_tiny_hears_what_its_package_hears),
		cmocka_unit_test(test_moonshine_base_hears_what_its_package_hears),
	};

	return cmocka_run_group_tests(tests, test_moonshine_set_up, test_moonshine_tear_down);
}
