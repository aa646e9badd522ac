/* Pieces of any length, with a family whose models say how many samples they were given. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/hear/recognizer.h"

#define LONGEST 32000u

static size_t given[16];
static size_t given_count;
static int failure;

/* One word, which is as long as the piece. */
static int test_recognizer_recognize(const struct recognizer *recognizer,
				     struct recognizer_result *result,
				     const struct recognizer_piece *piece,
				     char why[RUNTIME_WHY_SIZE])
{
	struct recognizer_word word = {.byte_end = 4, .sample_end = piece->count, .probability = 1};

	(void)why;
	assert_true(piece->count <= recognizer->longest);
	given[given_count++] = piece->count;
	strcpy(result->language, "en");
	result->language_probability = 0.5f;
	assert_int_equal(buf_append(&result->text, "word", 4), 0);
	assert_int_equal(recognizer_result_add(result, &word), 0);
	return given_count == 2 ? failure : 0;
}

static const struct recognizer_family family = {.name = "test",
						.recognize = test_recognizer_recognize};
static const struct recognizer recognizer = {.family = &family, .longest = LONGEST};

/* Sound everywhere, except in two pauses. */
static float *test_recognizer_speech(size_t count, size_t pause, size_t second_pause)
{
	float *samples = calloc(count, sizeof(*samples));

	assert_non_null(samples);
	for (size_t i = 0; i < count; ++i)
		if ((i < pause || i > pause + 4000) &&
		    (i < second_pause || i > second_pause + 4000))
			samples[i] = i % 100 < 50 ? 0.2f : -0.2f;
	return samples;
}

static int test_recognizer_run(struct recognizer_result *result, const float *samples, size_t count)
{
	const struct recognizer_piece piece = {.samples = samples,
					       .count = count,
					       .language = "",
					       .prompt = "",
					       .want_times = true};
	char why[RUNTIME_WHY_SIZE];

	given_count = 0;
	recognizer_result_init(result);
	return recognizer_run(&recognizer, result, &piece, why);
}

static void test_recognizer_a_short_piece_is_recognized_at_once(void **state)
{
	float *samples = test_recognizer_speech(LONGEST, 10000, 20000);
	struct recognizer_result result;

	(void)state;
	assert_int_equal(test_recognizer_run(&result, samples, LONGEST), 0);
	assert_int_equal(given_count, 1);
	assert_int_equal(result.word_count, 1);
	assert_string_equal(result.language, "en");
	recognizer_result_reset(&result);
	free(samples);
}

static void test_recognizer_a_long_piece_is_divided_in_its_pauses(void **state)
{
	const size_t count = 80000;
	float *samples = test_recognizer_speech(count, 25000, 50000);
	struct recognizer_result result;

	(void)state;
	assert_int_equal(test_recognizer_run(&result, samples, count), 0);
	assert_int_equal(given_count, 3);
	assert_in_range(given[0], 25000, 29000);
	assert_in_range(given[0] + given[1], 50000, 54000);
	assert_int_equal(given[0] + given[1] + given[2], count);
	assert_int_equal(result.text.len, strlen("word word word"));
	assert_memory_equal(result.text.bytes, "word word word", result.text.len);
	assert_int_equal(result.word_count, 3);
	for (size_t i = 0; i < 3; ++i) {
		assert_int_equal(result.words[i].byte_start, 5 * i);
		assert_true(result.words[i].sample_start < result.words[i].sample_end);
	}
	/* The pauses are not a part of the words. */
	assert_in_range(result.words[0].sample_end, 24900, 25100);
	assert_in_range(result.words[1].sample_start, 28900, 29100);
	recognizer_result_reset(&result);
	free(samples);
}

static void test_recognizer_an_error_ends_it(void **state)
{
	float *samples = test_recognizer_speech(100000, 25000, 50000);
	struct recognizer_result result;

	(void)state;
	failure = ECANCELED;
	assert_int_equal(test_recognizer_run(&result, samples, 100000), ECANCELED);
	assert_int_equal(given_count, 2);
	failure = 0;
	recognizer_result_reset(&result);
	free(samples);
}

/* What a model with broken weights could give. */
static int test_recognizer_recognize_badly(const struct recognizer *model,
					   struct recognizer_result *result,
					   const struct recognizer_piece *piece,
					   char why[RUNTIME_WHY_SIZE])
{
	const struct recognizer_word words[] = {
		{.byte_end = 1, .sample_start = 900, .sample_end = 100, .probability = NAN},
		{.byte_start = 2, .byte_end = 3, .sample_start = 50, .sample_end = SIZE_MAX},
		{.byte_start = 4, .byte_end = 5, .sample_start = SIZE_MAX, .probability = INFINITY},
	};

	(void)model;
	(void)piece;
	(void)why;
	result->language_probability = -1;
	assert_int_equal(buf_append_str(&result->text, "a b c"), 0);
	for (size_t i = 0; i < 3; ++i)
		assert_int_equal(recognizer_result_add(result, &words[i]), 0);
	return 0;
}

static void test_recognizer_words_are_in_order_whatever_a_model_gives(void **state)
{
	static const struct recognizer_family bad_family = {
		.name = "bad", .recognize = test_recognizer_recognize_badly};
	static const struct recognizer bad = {.family = &bad_family, .longest = LONGEST};
	static const float silence[1000];
	const struct recognizer_piece piece = {
		.samples = silence, .count = 1000, .language = "", .prompt = ""};
	struct recognizer_result result;
	char why[RUNTIME_WHY_SIZE];
	size_t before = 0;

	(void)state;
	recognizer_result_init(&result);
	assert_int_equal(recognizer_run(&bad, &result, &piece, why), 0);
	assert_int_equal(result.word_count, 3);
	for (size_t i = 0; i < result.word_count; ++i) {
		const struct recognizer_word *word = &result.words[i];

		assert_true(word->sample_start >= before);
		assert_true(word->sample_end >= word->sample_start);
		assert_true(word->sample_end <= 1000);
		assert_true(word->probability >= 0 && word->probability <= 1);
		before = word->sample_start;
	}
	assert_true(result.language_probability >= 0);
	recognizer_result_reset(&result);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_recognizer_a_short_piece_is_recognized_at_once),
		cmocka_unit_test(test_recognizer_a_long_piece_is_divided_in_its_pauses),
		cmocka_unit_test(test_recognizer_an_error_ends_it),
		cmocka_unit_test(test_recognizer_words_are_in_order_whatever_a_model_gives),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
