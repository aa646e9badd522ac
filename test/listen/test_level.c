/* Loudness of speech: pauses do not count, silence around it is measured. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "level.h"

#define RATE 16000

static void put_tone(int16_t *samples, size_t count, double amplitude)
{
	for (size_t i = 0; i < count; ++i)
		samples[i] =
			(int16_t)lrint(32768 * amplitude * sin(2 * M_PI * 400 * (double)i / RATE));
}

static void test_a_pause_does_not_make_speech_softer(void **state)
{
	static int16_t samples[3 * RATE];
	struct level whole, parted;

	(void)state;
	memset(samples, 0, sizeof(samples));
	put_tone(samples, RATE, 0.1);
	level_measure(&whole, samples, RATE, RATE);
	put_tone(samples + 2 * RATE, RATE, 0.1);
	level_measure(&parted, samples, 3 * RATE, RATE);
	assert_float_equal(whole.active_db, -23.0, 0.05); /* −20 dB, and 3 for the sine */
	assert_float_equal(parted.active_db, whole.active_db, 0.05);
	assert_float_equal(whole.peak_db, -20.0, 0.05);
}

static void test_soft_noise_in_a_pause_does_not_count(void **state)
{
	static int16_t samples[2 * RATE];
	struct level level;

	(void)state;
	put_tone(samples, RATE, 0.1);
	put_tone(samples + RATE, RATE, 0.002);
	level_measure(&level, samples, 2 * RATE, RATE);
	assert_float_equal(level.active_db, -23.0, 0.05);
}

static void test_silence_around_speech_is_measured(void **state)
{
	static int16_t samples[2 * RATE];
	struct level level;

	(void)state;
	memset(samples, 0, sizeof(samples));
	put_tone(samples + RATE / 10, RATE, 0.2);
	level_measure(&level, samples, RATE + RATE / 10 + RATE / 4, RATE);
	assert_float_equal(level.lead_ms, 100, 0.1);
	assert_float_equal(level.tail_ms, 250, 0.1);
	assert_float_equal(level.seconds, 1.35, 0.0001);
}

static void test_nothing_and_silence_have_a_level(void **state)
{
	static int16_t samples[RATE];
	struct level level;

	(void)state;
	memset(samples, 0, sizeof(samples));
	level_measure(&level, samples, 0, RATE);
	assert_float_equal(level.active_db, LEVEL_SILENT_DB, 0.001);
	level_measure(&level, samples, RATE, RATE);
	assert_float_equal(level.active_db, LEVEL_SILENT_DB, 0.001);
	assert_float_equal(level.peak_db, LEVEL_SILENT_DB, 0.001);
	assert_float_equal(level.lead_ms, 1000, 0.1);
	assert_float_equal(level.tail_ms, 0, 0.1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_pause_does_not_make_speech_softer),
		cmocka_unit_test(test_soft_noise_in_a_pause_does_not_count),
		cmocka_unit_test(test_silence_around_speech_is_measured),
		cmocka_unit_test(test_nothing_and_silence_have_a_level),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
