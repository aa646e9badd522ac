/* Stretching: another tempo, the same pitch, and an exact count. */
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

#include "audio/stretch.h"
#include "base/count.h"
#include "base/mem.h"
#include "signal.h"

#define RATE 22050u

static const unsigned speeds[] = {2500,  3125,  5000,  8000,  8001,  9000,  9999,
				  10001, 11000, 12000, 12345, 20000, 33333, 40000};
#define SPEEDS COUNT(speeds)

static uint64_t test_stretch_due(uint64_t in_count, unsigned speed)
{
	return in_count * 10000 / speed;
}

static size_t test_stretch_read_all(struct stretch *stretch, int16_t *out)
{
	size_t total = 0;
	size_t n;

	while ((n = stretch_read(stretch, out + total, 333)) > 0)
		total += n;
	return total;
}

/* One chunk in writes of at most `step`; gives the number of samples out. */
static size_t test_stretch_chunk(struct stretch *stretch, int16_t *out, const int16_t *in,
				 size_t count, size_t step)
{
	size_t total = 0;

	for (size_t at = 0; at < count; at += step) {
		size_t n = count - at < step ? count - at : step;

		assert_int_equal(stretch_write(stretch, in + at, n), 0);
		total += test_stretch_read_all(stretch, out + total);
	}
	assert_int_equal(stretch_end_chunk(stretch), 0);
	return total + test_stretch_read_all(stretch, out + total);
}

static void test_stretch_after_every_chunk_the_count_is_the_exact_floor(void **state)
{
	int16_t *in = malloc(RATE * sizeof(*in));
	int16_t *out = malloc(5 * RATE * sizeof(*out));

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
			made = test_stretch_chunk(stretch, out, in, count,
						  1 + signal_random(&seed, 2000));
			assert_int_equal(made, room);
			in_count += count;
			out_count += made;
			assert_int_equal(out_count, test_stretch_due(in_count, speeds[i]));
		}
		mem_deref(stretch);
	}
	free(in);
	free(out);
}

static void test_stretch_how_the_input_is_cut_into_writes_changes_no_sample(void **state)
{
	int16_t *in = malloc(RATE * sizeof(*in));
	int16_t *whole = malloc(5 * RATE * sizeof(*whole));
	int16_t *cut = malloc(5 * RATE * sizeof(*cut));

	(void)state;
	signal_speech(in, RATE, RATE);
	for (size_t i = 0; i < SPEEDS; ++i) {
		struct stretch *stretch;
		size_t count;

		assert_int_equal(stretch_alloc(&stretch, RATE, speeds[i]), 0);
		count = test_stretch_chunk(stretch, whole, in, RATE, RATE);
		mem_deref(stretch);
		assert_int_equal(stretch_alloc(&stretch, RATE, speeds[i]), 0);
		assert_int_equal(test_stretch_chunk(stretch, cut, in, RATE, 17), count);
		mem_deref(stretch);
		assert_memory_equal(cut, whole, count * sizeof(*cut));
	}
	free(in);
	free(whole);
	free(cut);
}

static unsigned test_stretch_upward_crossings(const int16_t *samples, size_t count)
{
	unsigned crossings = 0;

	for (size_t i = 1; i < count; ++i)
		crossings += samples[i - 1] < 0 && samples[i] >= 0;
	return crossings;
}

static void test_stretch_the_pitch_is_kept(void **state)
{
	int16_t *in = malloc(2 * RATE * sizeof(*in));
	int16_t *out = malloc(9 * RATE * sizeof(*out));

	(void)state;
	signal_sine(in, 2 * RATE, 20000, 200, RATE);
	for (size_t i = 0; i < SPEEDS; ++i) {
		struct stretch *stretch;
		size_t count;
		double hz;

		assert_int_equal(stretch_alloc(&stretch, RATE, speeds[i]), 0);
		count = test_stretch_chunk(stretch, out, in, 2 * RATE, 441);
		hz = test_stretch_upward_crossings(out, count) / ((double)count / RATE);
		assert_true(fabs(hz - 200) < 5);
		mem_deref(stretch);
	}
	free(in);
	free(out);
}

/* The loudest moment lies where the speed puts it, not a period later. */
static void test_stretch_what_is_said_is_heard_at_its_stretched_time(void **state)
{
	int16_t *in = malloc(RATE * sizeof(*in));
	int16_t *out = malloc(5 * RATE * sizeof(*out));

	(void)state;
	for (size_t i = 0; i < SPEEDS; ++i) {
		size_t half = (size_t)test_stretch_due(RATE / 2, speeds[i]);
		struct stretch *stretch;
		size_t count;

		memset(in, 0, RATE * sizeof(*in));
		signal_sine(in + RATE / 2, RATE / 4, 20000, 150, RATE);
		assert_int_equal(stretch_alloc(&stretch, RATE, speeds[i]), 0);
		count = test_stretch_chunk(stretch, out, in, RATE, 441);
		assert_true(signal_rms(out, half - RATE / 30) < 1);
		assert_true(signal_rms(out + half + RATE / 30, RATE / 20) > 10000);
		assert_true(signal_rms(out + count * 4 / 5, count / 5) < 1);
		mem_deref(stretch);
	}
	free(in);
	free(out);
}

#define BURSTS 12

/* Sounds of some length with silences between them. */
static void test_stretch_make_bursts(int16_t *in, size_t count, double hz, uint32_t seed,
				     size_t *edges)
{
	size_t at = RATE / 20;

	memset(in, 0, count * sizeof(*in));
	for (size_t i = 0; i < BURSTS; ++i) {
		size_t len = RATE / 10 + signal_random(&seed, RATE / 4);

		signal_sine(in + at, len, 12000, hz, RATE);
		edges[2 * i] = at;
		edges[2 * i + 1] = at + len;
		at += len + RATE / 25 + signal_random(&seed, RATE / 6);
	}
	assert_true(at < count);
}

/* From the place where a sound should begin or end to where it does, if that is
 * within 30 ms of it. */
static double test_stretch_edge_error_ms(const int16_t *out, uint64_t place, bool is_start)
{
	const size_t window = RATE / 500;
	const size_t reach = RATE * 30 / 1000;
	size_t from = (size_t)place - reach;
	bool was_loud = signal_rms(out + from, window) > 1500;
	double least = 1000;

	for (size_t i = from; i < place + reach; i += 5) {
		bool is_loud = signal_rms(out + i, window) > 1500;
		size_t middle = i + window / 2;
		double ms = fabs((double)middle - (double)place) * 1000 / RATE;

		if (is_loud != was_loud && is_loud == is_start && ms < least)
			least = ms;
		was_loud = is_loud;
	}
	return least;
}

static void test_stretch_check_places(unsigned speed, double hz, uint32_t seed)
{
	size_t count = 8 * RATE;
	int16_t *in = malloc(count * sizeof(*in));
	int16_t *out = malloc(2 * count * sizeof(*out));
	size_t edges[2 * BURSTS];
	struct stretch *stretch;

	test_stretch_make_bursts(in, count, hz, seed, edges);
	assert_int_equal(stretch_alloc(&stretch, RATE, speed), 0);
	test_stretch_chunk(stretch, out, in, count, 441);
	for (size_t i = 0; i < 2 * BURSTS; ++i) {
		uint64_t place = stretch_place(RATE, speed, edges[i]);
		double ms = test_stretch_edge_error_ms(out, place, i % 2 == 0);

		if (ms > 10)
			fail_msg("%g Hz at %u: %.1f ms off", hz, speed, ms);
	}
	mem_deref(stretch);
	free(in);
	free(out);
}

static void test_stretch_a_word_is_heard_within_10_ms_of_its_place(void **state)
{
	static const unsigned spoken[] = {8000, 8500, 9000, 9500, 9900, 10100, 10500, 11000, 12000};
	static const double pitches[] = {85, 120, 170, 220, 300};

	(void)state;
	for (size_t i = 0; i < COUNT(spoken); ++i)
		for (size_t k = 0; k < COUNT(pitches); ++k)
			for (uint32_t seed = 1; seed <= 3; ++seed)
				test_stretch_check_places(spoken[i], pitches[k], seed);
}

static void test_stretch_a_chunk_that_ends_in_sound_is_faded_to_zero(void **state)
{
	int16_t *in = malloc(RATE * sizeof(*in));
	int16_t *out = malloc(5 * RATE * sizeof(*out));

	(void)state;
	signal_sine(in, RATE, 20000, 210, RATE);
	for (size_t i = 0; i < SPEEDS; ++i) {
		struct stretch *stretch;
		size_t count;

		assert_int_equal(stretch_alloc(&stretch, RATE, speeds[i]), 0);
		count = test_stretch_chunk(stretch, out, in, RATE - 25, 441);
		assert_int_equal(out[count - 1], 0);
		mem_deref(stretch);
	}
	free(in);
	free(out);
}

static void test_stretch_speeds_past_a_factor_of_four_are_refused(void **state)
{
	struct stretch *stretch;

	(void)state;
	assert_int_equal(stretch_alloc(&stretch, RATE, 2499), EINVAL);
	assert_int_equal(stretch_alloc(&stretch, RATE, 40001), EINVAL);
	assert_int_equal(stretch_alloc(&stretch, RATE, 0), EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stretch_after_every_chunk_the_count_is_the_exact_floor),
		cmocka_unit_test(test_stretch_how_the_input_is_cut_into_writes_changes_no_sample),
		cmocka_unit_test(test_stretch_the_pitch_is_kept),
		cmocka_unit_test(test_stretch_what_is_said_is_heard_at_its_stretched_time),
		cmocka_unit_test(test_stretch_a_word_is_heard_within_10_ms_of_its_place),
		cmocka_unit_test(test_stretch_a_chunk_that_ends_in_sound_is_faded_to_zero),
		cmocka_unit_test(test_stretch_speeds_past_a_factor_of_four_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
