/* Stretching: another tempo, the same pitch, and an exact count. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "audio/stretch.h"
#include "base/count.h"
#include "base/mem.h"
#include "signal.h"

#define RATE 22050u

static const unsigned speeds[] = {5000, 8000, 8001, 9000, 9999, 10001, 11000, 12000, 12345, 20000};
#define SPEEDS COUNT(speeds)

static uint64_t due(uint64_t in_count, unsigned speed)
{
	return in_count * 10000 / speed;
}

static size_t read_all(struct stretch *stretch, int16_t *out)
{
	size_t total = 0;
	size_t n;

	while ((n = stretch_read(stretch, out + total, 333)) > 0)
		total += n;
	return total;
}

/* One chunk in writes of at most `step`; gives the number of samples out. */
static size_t stretch_chunk(struct stretch *stretch, int16_t *out, const int16_t *in, size_t count,
			    size_t step)
{
	size_t total = 0;

	for (size_t at = 0; at < count; at += step) {
		size_t n = count - at < step ? count - at : step;

		assert_int_equal(stretch_write(stretch, in + at, n), 0);
		total += read_all(stretch, out + total);
	}
	assert_int_equal(stretch_end_chunk(stretch), 0);
	return total + read_all(stretch, out + total);
}

static void test_after_every_chunk_the_count_is_the_exact_floor(void **state)
{
	int16_t *in = malloc(RATE * sizeof(*in));
	int16_t *out = malloc(3 * RATE * sizeof(*out));

	(void)state;
	for (size_t i = 0; i < SPEEDS; ++i) {
		uint64_t in_count = 0, out_count = 0;
		struct stretch *stretch;
		uint32_t seed = 11;

		assert_int_equal(stretch_alloc(&stretch, RATE, speeds[i]), 0);
		for (int chunk = 0; chunk < 40; ++chunk) {
			size_t count = signal_random(&seed, chunk % 4 ? RATE / 2 : 5);
			size_t room = stretch_room(stretch, count);
			size_t made;

			signal_speech(in, count, RATE);
			made = stretch_chunk(stretch, out, in, count,
					     1 + signal_random(&seed, 2000));
			assert_int_equal(made, room);
			in_count += count;
			out_count += made;
			assert_int_equal(out_count, due(in_count, speeds[i]));
		}
		mem_deref(stretch);
	}
	free(in);
	free(out);
}

static void test_how_the_input_is_cut_into_writes_changes_no_sample(void **state)
{
	int16_t *in = malloc(RATE * sizeof(*in));
	int16_t *whole = malloc(3 * RATE * sizeof(*whole));
	int16_t *cut = malloc(3 * RATE * sizeof(*cut));

	(void)state;
	signal_speech(in, RATE, RATE);
	for (size_t i = 0; i < SPEEDS; ++i) {
		struct stretch *stretch;
		size_t count;

		assert_int_equal(stretch_alloc(&stretch, RATE, speeds[i]), 0);
		count = stretch_chunk(stretch, whole, in, RATE, RATE);
		mem_deref(stretch);
		assert_int_equal(stretch_alloc(&stretch, RATE, speeds[i]), 0);
		assert_int_equal(stretch_chunk(stretch, cut, in, RATE, 17), count);
		mem_deref(stretch);
		assert_memory_equal(cut, whole, count * sizeof(*cut));
	}
	free(in);
	free(whole);
	free(cut);
}

static unsigned upward_crossings(const int16_t *samples, size_t count)
{
	unsigned crossings = 0;

	for (size_t i = 1; i < count; ++i)
		crossings += samples[i - 1] < 0 && samples[i] >= 0;
	return crossings;
}

static void test_the_pitch_is_kept(void **state)
{
	int16_t *in = malloc(2 * RATE * sizeof(*in));
	int16_t *out = malloc(5 * RATE * sizeof(*out));

	(void)state;
	signal_sine(in, 2 * RATE, 20000, 200, RATE);
	for (size_t i = 0; i < SPEEDS; ++i) {
		struct stretch *stretch;
		size_t count;
		double hz;

		assert_int_equal(stretch_alloc(&stretch, RATE, speeds[i]), 0);
		count = stretch_chunk(stretch, out, in, 2 * RATE, 441);
		hz = upward_crossings(out, count) / ((double)count / RATE);
		assert_true(fabs(hz - 200) < 5);
		mem_deref(stretch);
	}
	free(in);
	free(out);
}

/* The loudest moment lies where the speed puts it, not a period later. */
static void test_what_is_said_is_heard_at_its_stretched_time(void **state)
{
	int16_t *in = malloc(RATE * sizeof(*in));
	int16_t *out = malloc(3 * RATE * sizeof(*out));

	(void)state;
	for (size_t i = 0; i < SPEEDS; ++i) {
		size_t half = (size_t)due(RATE / 2, speeds[i]);
		struct stretch *stretch;
		size_t count;

		memset(in, 0, RATE * sizeof(*in));
		signal_sine(in + RATE / 2, RATE / 4, 20000, 150, RATE);
		assert_int_equal(stretch_alloc(&stretch, RATE, speeds[i]), 0);
		count = stretch_chunk(stretch, out, in, RATE, 441);
		assert_true(signal_rms(out, half - RATE / 30) < 1);
		assert_true(signal_rms(out + half + RATE / 30, RATE / 20) > 10000);
		assert_true(signal_rms(out + count * 4 / 5, count / 5) < 1);
		mem_deref(stretch);
	}
	free(in);
	free(out);
}

static void test_a_chunk_that_ends_in_sound_is_faded_to_zero(void **state)
{
	int16_t *in = malloc(RATE * sizeof(*in));
	int16_t *out = malloc(3 * RATE * sizeof(*out));

	(void)state;
	signal_sine(in, RATE, 20000, 210, RATE);
	for (size_t i = 0; i < SPEEDS; ++i) {
		struct stretch *stretch;
		size_t count;

		assert_int_equal(stretch_alloc(&stretch, RATE, speeds[i]), 0);
		count = stretch_chunk(stretch, out, in, RATE - 25, 441);
		assert_int_equal(out[count - 1], 0);
		mem_deref(stretch);
	}
	free(in);
	free(out);
}

static void test_speeds_past_a_factor_of_two_are_refused(void **state)
{
	struct stretch *stretch;

	(void)state;
	assert_int_equal(stretch_alloc(&stretch, RATE, 4999), EINVAL);
	assert_int_equal(stretch_alloc(&stretch, RATE, 20001), EINVAL);
	assert_int_equal(stretch_alloc(&stretch, RATE, 0), EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_after_every_chunk_the_count_is_the_exact_floor),
		cmocka_unit_test(test_how_the_input_is_cut_into_writes_changes_no_sample),
		cmocka_unit_test(test_the_pitch_is_kept),
		cmocka_unit_test(test_what_is_said_is_heard_at_its_stretched_time),
		cmocka_unit_test(test_a_chunk_that_ends_in_sound_is_faded_to_zero),
		cmocka_unit_test(test_speeds_past_a_factor_of_two_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
