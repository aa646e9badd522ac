/*
 * Tests of intonation.c with voices made of harmonics, whose pitch and loudness are known.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "audio/intonation.h"
#include "signal.h"

#define RATE INTONATION_RATE

struct voice {
	double from_hz, to_hz; /* the pitch glides in a straight line of semitones */
	double from_db, to_db;
	double low_hz; /* harmonics below are missing, as on a telephone */
	unsigned ms;
};

/* Appends a vowel: harmonics up to 3 kHz whose strength falls by 6 dB an octave. */
static size_t speak(int16_t *samples, size_t at, struct voice voice)
{
	size_t count = voice.ms * RATE / 1000;
	double phase = 0;

	for (size_t i = 0; i < count; ++i) {
		double part = (double)i / (double)count;
		double hz = voice.from_hz * pow(voice.to_hz / voice.from_hz, part);
		double gain = pow(10, (voice.from_db + (voice.to_db - voice.from_db) * part) / 20);
		double sum = 0;

		for (unsigned n = 1; n * hz < 3000; ++n)
			sum += n * hz < voice.low_hz ? 0 : sin(phase * n + 0.3 * n * n) / n;
		phase += 2 * M_PI * hz / RATE;
		samples[at + i] = (int16_t)lrint(12000 * gain * sum);
	}
	return at + count;
}

static size_t hiss(int16_t *samples, size_t at, int amplitude, unsigned ms)
{
	uint32_t seed = 1;
	size_t end = at + ms * RATE / 1000;

	for (; at < end; ++at)
		samples[at] =
			(int16_t)((int)signal_random(&seed, 2 * (size_t)amplitude + 1) - amplitude);
	return at;
}

static int16_t sound[4 * RATE];

static struct intonation measured(size_t count)
{
	struct intonation intonation = {0};

	assert_true(intonation_measure(&intonation, sound, count));
	return intonation;
}

static void glides_are_measured_in_semitones(void **state)
{
	(void)state;
	for (double hz = 85; hz < 300; hz *= 1.3) {
		for (int semitones = -8; semitones <= 8; semitones += 4) {
			double to = hz * pow(2, semitones / 12.0);
			size_t count;

			if (to < 75 || to > 380)
				continue;
			/* Nearly half of the glide is between the middle and the end, which are means of
			 * 50 ms. */
			count = speak(sound, 0, (struct voice){hz, to, 0, 0, 0, 400});
			assert_float_equal(measured(count).pitch_change, 0.4F * (float)semitones,
					   0.9);
			assert_float_equal(measured(count).energy_change, 0, 1);
			assert_float_equal(12 * log2f(measured(count).pitch_hz / (float)to), 0,
					   1.2);
		}
	}
}

static void a_telephone_line_without_the_fundamental_changes_nothing(void **state)
{
	size_t count = speak(sound, 0, (struct voice){120, 100, 0, 0, 300, 400});

	(void)state;
	assert_float_equal(measured(count).pitch_hz, 101, 3);
	assert_float_equal(measured(count).pitch_change, -1.6, 0.8);
}

static void falling_loudness_is_measured_in_decibels(void **state)
{
	size_t count = speak(sound, 0, (struct voice){150, 150, 0, -20, 0, 400});

	(void)state;
	assert_float_equal(measured(count).energy_change, -8, 2.5);
	assert_float_equal(measured(count).pitch_change, 0, 0.3);
}

static void noise_and_silence_after_the_voice_do_no_harm(void **state)
{
	size_t count = hiss(sound, 0, 500, 200);

	(void)state;
	count = speak(sound, count, (struct voice){200, 150, 0, -6, 0, 300});
	count = hiss(sound, count, 300, 400);
	assert_float_equal(measured(count).pitch_change, -2.5, 0.8);
	assert_float_equal(measured(count).syllable_ms, 300, 60);
}

static void the_last_syllable_begins_after_a_dip_or_a_consonant(void **state)
{
	size_t count = speak(sound, 0, (struct voice){150, 150, 0, -10, 0, 200});

	(void)state;
	count = speak(sound, count, (struct voice){150, 150, -10, 0, 0, 60});
	count = speak(sound, count, (struct voice){150, 150, 0, -8, 0, 150});
	assert_float_equal(measured(count).syllable_ms, 210, 50);
	count = hiss(sound, count, 3000, 90);
	count = speak(sound, count, (struct voice){150, 150, 0, -2, 0, 340});
	assert_float_equal(measured(count).syllable_ms, 340, 50);
}

static void only_the_last_seconds_count(void **state)
{
	size_t count = speak(sound, 0, (struct voice){300, 300, 0, 0, 0, 800});

	(void)state;
	memset(sound + count, 0, 2 * RATE * sizeof(*sound));
	assert_false(intonation_measure(&(struct intonation){0}, sound, count + 2 * RATE));
	count = speak(sound, count + RATE, (struct voice){110, 110, 0, 0, 0, 300});
	assert_float_equal(measured(count).pitch_hz, 110, 2);
}

static void there_is_no_voice_in_noise_silence_or_too_little(void **state)
{
	struct intonation intonation;

	(void)state;
	memset(sound, 0, sizeof(sound));
	for (size_t count = 0; count < 1200; ++count)
		assert_false(intonation_measure(&intonation, sound, count));
	assert_false(intonation_measure(&intonation, sound, RATE));
	assert_false(intonation_measure(&intonation, sound, hiss(sound, 0, 8000, 1500)));
	for (size_t i = 0; i < RATE; ++i) /* as loud as can be */
		sound[i] = i / 40 % 2 ? INT16_MAX : INT16_MIN;
	assert_true(intonation_measure(&intonation, sound, RATE));
	assert_float_equal(intonation.pitch_hz, 200, 1);
}

static void the_level_of_a_frame_is_its_root_mean_square(void **state)
{
	(void)state;
	memset(sound, 0, sizeof(sound));
	assert_float_equal(intonation_of_frame(sound, 512).level_db, INTONATION_SILENCE_DB, 0.1);
	assert_float_equal(intonation_of_frame(sound, 0).level_db, INTONATION_SILENCE_DB, 0.1);
	signal_sine(sound, 512, 32767, 1000, RATE);
	assert_float_equal(intonation_of_frame(sound, 512).level_db, -3, 0.1);
	signal_sine(sound, 512, 327.67, 1000, RATE);
	assert_float_equal(intonation_of_frame(sound, 512).level_db, -43, 0.2);
}

static void a_hum_is_less_bright_than_a_vowel_and_that_less_than_a_hiss(void **state)
{
	float hum, vowel;

	(void)state;
	signal_sine(sound, 512, 5000, 150, RATE);
	hum = intonation_of_frame(sound, 512).brightness_db;
	speak(sound, 0, (struct voice){150, 150, 0, 0, 0, 32});
	vowel = intonation_of_frame(sound, 512).brightness_db;
	hiss(sound, 0, 5000, 32);
	assert_true(hum < vowel - 3);
	assert_true(vowel < intonation_of_frame(sound, 512).brightness_db - 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(glides_are_measured_in_semitones),
		cmocka_unit_test(a_telephone_line_without_the_fundamental_changes_nothing),
		cmocka_unit_test(falling_loudness_is_measured_in_decibels),
		cmocka_unit_test(noise_and_silence_after_the_voice_do_no_harm),
		cmocka_unit_test(the_last_syllable_begins_after_a_dip_or_a_consonant),
		cmocka_unit_test(only_the_last_seconds_count),
		cmocka_unit_test(there_is_no_voice_in_noise_silence_or_too_little),
		cmocka_unit_test(the_level_of_a_frame_is_its_root_mean_square),
		cmocka_unit_test(a_hum_is_less_bright_than_a_vowel_and_that_less_than_a_hiss),
	};

	return cmocka_run_group_tests_name("audio intonation", tests, NULL, NULL);
}
