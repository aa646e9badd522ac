/* Any rate and any number of channels become the same sound at 16 kHz. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "audio/resample.h"
#include "base/count.h"
#include "base/mem.h"
#include "engine/decode/mono.h"
#include "mem_fail.h"
#include "recording.h"

/* Converts a second of the tone, in writes of `step` frames. */
static size_t convert(int16_t *out, unsigned rate, unsigned channels, size_t step)
{
	float *frames = calloc((size_t)rate * channels, sizeof(*frames));
	struct mono *mono;
	size_t count = 0;

	assert_non_null(frames);
	for (size_t i = 0; i < rate; ++i) {
		double angle = 2 * M_PI * RECORDING_HZ * (double)i / rate;

		for (unsigned c = 0; c < channels; ++c)
			frames[i * channels + c] = (float)(RECORDING_LEVEL * sin(angle));
	}
	assert_int_equal(mono_alloc(&mono, rate, channels), 0);
	for (size_t at = 0; at < rate; at += step) {
		int16_t part[MONO_SAMPLES_MAX];
		size_t n = mono_write(mono, part, frames + at * channels,
				      rate - at < step ? rate - at : step);

		assert_true(n <= MONO_SAMPLES_MAX && count + n <= MONO_RATE);
		memcpy(out + count, part, n * sizeof(*part));
		count += n;
	}
	count += mono_end(mono, out + count);
	mem_deref(mono);
	free(frames);
	return count;
}

static void test_a_tone_keeps_its_pitch_level_and_length(void **state)
{
	static const unsigned rates[] = {1000,  1500,   2000,   3999,   4000,   6000,   7999,
					 8000,  11025,  12000,  16000,  22050,  24000,  32000,
					 44100, 47999,  48000,  48001,  64000,  88200,  96000,
					 96001, 176400, 192000, 352800, 384000, 705600, 768000};
	int16_t *out = calloc(2 * MONO_RATE, sizeof(*out));

	(void)state;
	assert_non_null(out);
	for (size_t i = 0; i < COUNT(rates); ++i) {
		size_t count = convert(out, rates[i], 1, MONO_FRAMES_MAX);
		/* High rates that are odd are rounded, so the tone is not quite the same. */
		bool is_rounded = rates[i] > 48000 && rates[i] % 2 != 0;

		assert_in_range(count, is_rounded ? MONO_RATE - 1 : MONO_RATE, MONO_RATE);
		if (fabs(recording_tone(out, count) - RECORDING_LEVEL) > 0.002 ||
		    recording_noise(out, count) > (is_rounded ? 0.01 : 0.001))
			fail_msg("%u Hz: tone %f noise %f", rates[i], recording_tone(out, count),
				 recording_noise(out, count));
	}
	free(out);
}

static void test_how_it_is_written_does_not_matter(void **state)
{
	static const unsigned rates[] = {1000, 16000, 44100, 192000};
	int16_t *once = calloc(2 * MONO_RATE, sizeof(*once));
	int16_t *split = calloc(2 * MONO_RATE, sizeof(*split));

	(void)state;
	assert_true(once && split);
	for (size_t i = 0; i < COUNT(rates); ++i) {
		size_t count = convert(once, rates[i], 2, MONO_FRAMES_MAX);

		for (size_t step = 1; step < MONO_FRAMES_MAX; step += 97) {
			assert_int_equal(convert(split, rates[i], 2, step), count);
			assert_memory_equal(split, once, count * sizeof(*once));
		}
	}
	free(once);
	free(split);
}

static void test_channels_are_averaged_and_clipped(void **state)
{
	static const float frames[] = {
		0.5f,  0.25f,       -0.5f,       0.5f,     1.0f, 1.0f,      4.0f,     4.0f, -4.0f,
		-4.0f, 1.f / 32768, 1.f / 32768, INFINITY, 0,    -INFINITY, INFINITY, NAN,  0};
	static const int16_t wanted[] = {12288, 0, 32767, 32767, -32768, 1, 32767, 0, 0};
	int16_t out[MONO_SAMPLES_MAX];
	struct mono *mono;

	(void)state;
	assert_int_equal(mono_alloc(&mono, 16000, 2), 0);
	assert_int_equal(mono_write(mono, out, frames, COUNT(wanted)), COUNT(wanted));
	assert_memory_equal(out, wanted, sizeof(wanted));
	assert_int_equal(mono_end(mono, out), 0);
	mem_deref(mono);
}

static void test_rates_beyond_the_limits_are_refused(void **state)
{
	struct mono *mono;

	(void)state;
	assert_int_equal(mono_alloc(&mono, MONO_RATE_MIN - 1, 1), EINVAL);
	assert_int_equal(mono_alloc(&mono, MONO_RATE_MAX + 1, 1), EINVAL);
	assert_int_equal(mono_alloc(&mono, 0, 1), EINVAL);
	assert_int_equal(mono_alloc(&mono, UINT32_MAX, 1), EINVAL);
	assert_int_equal(mono_alloc(&mono, 16000, 0), EINVAL);
}

static void test_no_failed_allocation_leaks(void **state)
{
	struct mono *mono;
	size_t n = 1;

	(void)state;
	do {
		resample_forget();
		mem_fail_after(n++);
	} while (mono_alloc(&mono, 768000, 1) == ENOMEM);
	mem_fail_after(0);
	assert_true(n > 5);
	mem_deref(mono);
	resample_forget();
	assert_int_equal(mem_live(), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_tone_keeps_its_pitch_level_and_length),
		cmocka_unit_test(test_how_it_is_written_does_not_matter),
		cmocka_unit_test(test_channels_are_averaged_and_clipped),
		cmocka_unit_test(test_rates_beyond_the_limits_are_refused),
		cmocka_unit_test(test_no_failed_allocation_leaks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
