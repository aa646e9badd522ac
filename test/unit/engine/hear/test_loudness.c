/* Where sounds begin and end, and where a long piece is divided. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "engine/hear/loudness.h"

#define COUNT_S(seconds) ((size_t)((seconds)*16000))

/* A square wave in [from, to), in seconds. */
static void test_loudness_sound(float *samples, double from, double to, float level)
{
	for (size_t i = COUNT_S(from); i < COUNT_S(to); ++i)
		samples[i] = i % 100 < 50 ? level : -level;
}

static void test_loudness_silence_around_a_word_is_removed(void **state)
{
	float *samples = calloc(COUNT_S(2), sizeof(*samples));
	struct loudness loudness;
	size_t start = COUNT_S(0.1);
	size_t end = COUNT_S(1.9);

	(void)state;
	test_loudness_sound(samples, 0, 2, 0.001f);
	test_loudness_sound(samples, 0.5, 1.25, 0.3f);
	assert_int_equal(loudness_measure(&loudness, samples, COUNT_S(2)), 0);
	loudness_trim(&loudness, &start, &end);
	assert_int_equal(start, COUNT_S(0.5));
	assert_int_equal(end, COUNT_S(1.25));
	loudness_reset(&loudness);
	free(samples);
}

/* A stop consonant is silent, and a click is not a part of the word. */
static void test_loudness_short_silence_is_inside_and_a_click_outside(void **state)
{
	float *samples = calloc(COUNT_S(2), sizeof(*samples));
	struct loudness loudness;
	size_t start = 0;
	size_t end = COUNT_S(2);

	(void)state;
	test_loudness_sound(samples, 0.1, 0.13, 0.2f);
	test_loudness_sound(samples, 0.5, 0.8, 0.3f);
	test_loudness_sound(samples, 0.88, 1.25, 0.3f);
	assert_int_equal(loudness_measure(&loudness, samples, COUNT_S(2)), 0);
	loudness_trim(&loudness, &start, &end);
	assert_int_equal(start, COUNT_S(0.5));
	assert_int_equal(end, COUNT_S(1.25));
	loudness_reset(&loudness);
	free(samples);
}

static void test_loudness_a_span_without_a_sound_is_left_alone(void **state)
{
	float *samples = calloc(COUNT_S(1), sizeof(*samples));
	struct loudness loudness;
	size_t start = 1234;
	size_t end = 2345;

	(void)state;
	test_loudness_sound(samples, 0.5, 1, 0.3f);
	assert_int_equal(loudness_measure(&loudness, samples, COUNT_S(1)), 0);
	loudness_trim(&loudness, &start, &end);
	assert_int_equal(start, 1234);
	assert_int_equal(end, 2345);
	loudness_reset(&loudness);
	assert_int_equal(loudness_measure(&loudness, samples, 10), 0); /* less than a step */
	loudness_trim(&loudness, &start, &end);
	assert_int_equal(end, 2345);
	loudness_reset(&loudness);
	free(samples);
}

/* A span may end beyond the samples that were measured, by less than a step. */
static void test_loudness_spans_stay_within_their_ends(void **state)
{
	float *samples = calloc(COUNT_S(1) + 50, sizeof(*samples));
	struct loudness loudness;
	size_t start = 30;
	size_t end = COUNT_S(1) + 50;

	(void)state;
	test_loudness_sound(samples, 0, 1, 0.3f);
	assert_int_equal(loudness_measure(&loudness, samples, COUNT_S(1) + 50), 0);
	loudness_trim(&loudness, &start, &end);
	assert_int_equal(start, 30);
	assert_int_equal(end, COUNT_S(1));
	loudness_reset(&loudness);
	free(samples);
}

static void test_loudness_a_piece_is_divided_in_its_pause(void **state)
{
	float *samples = calloc(COUNT_S(10), sizeof(*samples));
	size_t at;

	(void)state;
	test_loudness_sound(samples, 0, 7, 0.3f);
	test_loudness_sound(samples, 7.4, 10, 0.3f);
	at = loudness_quietest(samples, COUNT_S(5), COUNT_S(10));
	assert_in_range(at, COUNT_S(7.05), COUNT_S(7.35));
	free(samples);
}

static void test_loudness_a_piece_without_a_pause_is_divided_nevertheless(void **state)
{
	float *samples = calloc(COUNT_S(1), sizeof(*samples));

	(void)state;
	assert_in_range(loudness_quietest(samples, COUNT_S(0.5), COUNT_S(1)), 1, COUNT_S(1));
	assert_in_range(loudness_quietest(samples, 10, 20), 1, 20);
	assert_in_range(loudness_quietest(samples, 0, 20), 1, 20);
	free(samples);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_loudness_silence_around_a_word_is_removed),
		cmocka_unit_test(test_loudness_short_silence_is_inside_and_a_click_outside),
		cmocka_unit_test(test_loudness_a_span_without_a_sound_is_left_alone),
		cmocka_unit_test(test_loudness_spans_stay_within_their_ends),
		cmocka_unit_test(test_loudness_a_piece_is_divided_in_its_pause),
		cmocka_unit_test(test_loudness_a_piece_without_a_pause_is_divided_nevertheless),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
