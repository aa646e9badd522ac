/* Resampling: the same sound at the same time, and never a sample too many. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <speex/speex_resampler.h>

#include "audio/fir.h"
#include "audio/resample.h"
#include "base/count.h"
#include "base/mem.h"
#include "mem_fail.h"
#include "signal.h"

#define AMPLITUDE 32000

/* 22051 has hardly a divisor in common with the rest: rows are interpolated. */
static const unsigned engine_rates[] = {8000,  11025, 16000, 22050, 22051,
					24000, 32000, 44100, 47999, 48000};
static const unsigned client_rates[] = {8000, 16000, 22050, 24000, 44100};

typedef void(pair_h)(unsigned in_rate, unsigned out_rate);

static void test_resample_for_each_pair(pair_h *check)
{
	for (size_t i = 0; i < COUNT(engine_rates); ++i)
		for (size_t k = 0; k < COUNT(client_rates); ++k)
			check(engine_rates[i], client_rates[k]);
}

static unsigned test_resample_lower(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

static size_t test_resample_due(uint64_t in_count, unsigned in_rate, unsigned out_rate)
{
	return (size_t)(in_count * out_rate / in_rate);
}

/* All of a signal in one write and one chunk; the caller frees. */
static int16_t *test_resample_convert(size_t *out_count, const int16_t *in, size_t count,
				      unsigned in_rate, unsigned out_rate)
{
	struct resample *resample;
	int16_t *out;

	assert_int_equal(resample_alloc(&resample, in_rate, out_rate), 0);
	out = malloc((resample_room(resample, count) + 1) * sizeof(*out));
	*out_count = resample_write(resample, out, in, count);
	*out_count += resample_end_chunk(resample, out + *out_count);
	mem_deref(resample);
	return out;
}

static void test_resample_check_tone(unsigned in_rate, unsigned out_rate, double hz)
{
	size_t count = in_rate / 4;
	int16_t *in = malloc(count * sizeof(*in));
	size_t edge = out_rate / 100; /* where the tone begins and ends there is no tone */
	size_t out_count;
	int16_t *out;
	double db;

	signal_sine(in, count, AMPLITUDE, hz, in_rate);
	out = test_resample_convert(&out_count, in, count, in_rate, out_rate);
	db = signal_snr_db(out + edge, out_count - 2 * edge, edge, AMPLITUDE, hz, out_rate);
	if (db < 90)
		fail_msg("%u to %u, %.0f Hz: %.1f dB", in_rate, out_rate, hz, db);
	free(in);
	free(out);
}

static void test_resample_check_tones(unsigned in_rate, unsigned out_rate)
{
	static const double places[] = {0.03, 0.21, 0.47, 0.77, 0.9};
	double nyquist = test_resample_lower(in_rate, out_rate) / 2.0;

	for (size_t i = 0; i < COUNT(places); ++i)
		test_resample_check_tone(in_rate, out_rate, places[i] * nyquist);
}

static void test_resample_a_tone_keeps_level_place_and_purity_to_90_db(void **state)
{
	(void)state;
	test_resample_for_each_pair(test_resample_check_tones);
}

static void test_resample_check_stop_band(unsigned in_rate, unsigned out_rate)
{
	size_t count = in_rate / 4;
	int16_t *in = malloc(count * sizeof(*in));
	size_t edge = out_rate / 100;
	double hz = 1.1 * out_rate / 2;

	while (hz < 0.99 * in_rate / 2) {
		size_t out_count;
		int16_t *out;
		double rms;

		signal_sine(in, count, AMPLITUDE, hz, in_rate);
		out = test_resample_convert(&out_count, in, count, in_rate, out_rate);
		rms = signal_rms(out + edge, out_count - 2 * edge);
		if (rms > AMPLITUDE * M_SQRT1_2 * pow(10, -90 / 20.0))
			fail_msg("%u to %u: %.0f Hz leaves %.2f", in_rate, out_rate, hz, rms);
		free(out);
		hz *= 1.1;
	}
	free(in);
}

static void test_resample_what_the_lower_rate_cannot_hold_is_90_db_down(void **state)
{
	(void)state;
	test_resample_for_each_pair(test_resample_check_stop_band);
}

static void test_resample_check_counts(unsigned in_rate, unsigned out_rate)
{
	static const int16_t silence[5000];
	int16_t *out = malloc(60000 * sizeof(*out));
	struct resample *resample;
	uint32_t seed = in_rate ^ out_rate;
	uint64_t in_count = 0;
	size_t out_count = 0;

	assert_int_equal(resample_alloc(&resample, in_rate, out_rate), 0);
	for (int chunk = 0; chunk < 100; ++chunk) {
		size_t writes = signal_random(&seed, 4);

		for (size_t i = 0; i < writes; ++i) {
			size_t count = signal_random(&seed, chunk % 3 ? 5000 : 4);

			out_count += resample_write(resample, out, silence, count);
			in_count += count;
			assert_true(out_count <= test_resample_due(in_count, in_rate, out_rate));
		}
		out_count += resample_end_chunk(resample, out);
		assert_int_equal(out_count, test_resample_due(in_count, in_rate, out_rate));
	}
	mem_deref(resample);
	free(out);
}

static void test_resample_after_every_chunk_the_count_is_the_exact_floor(void **state)
{
	(void)state;
	test_resample_for_each_pair(test_resample_check_counts);
}

static void test_resample_check_cuts(unsigned in_rate, unsigned out_rate)
{
	size_t count = in_rate / 2;
	int16_t *in = malloc(count * sizeof(*in));
	uint32_t seed = 7;
	size_t whole_count, out_count = 0;
	int16_t *whole, *out;
	struct resample *resample;

	signal_speech(in, count, in_rate);
	whole = test_resample_convert(&whole_count, in, count, in_rate, out_rate);
	out = malloc(whole_count * sizeof(*out));
	assert_int_equal(resample_alloc(&resample, in_rate, out_rate), 0);
	for (size_t at = 0; at < count;) {
		size_t n = signal_random(&seed, at % 2 ? 700 : 3);

		n = n > count - at ? count - at : n;
		out_count += resample_write(resample, out + out_count, in + at, n);
		at += n;
	}
	out_count += resample_end_chunk(resample, out + out_count);
	assert_int_equal(out_count, whole_count);
	assert_memory_equal(out, whole, whole_count * sizeof(*out));
	mem_deref(resample);
	free(in);
	free(out);
	free(whole);
}

static void test_resample_how_the_input_is_cut_into_writes_changes_no_sample(void **state)
{
	(void)state;
	test_resample_for_each_pair(test_resample_check_cuts);
}

/* As chunks of chunk_len; the caller frees. */
static int16_t *test_resample_convert_chunks(const int16_t *in, size_t count, size_t chunk_len,
					     unsigned in_rate, unsigned out_rate)
{
	int16_t *out = malloc((test_resample_due(count, in_rate, out_rate) + 1) * sizeof(*out));
	struct resample *resample;
	size_t out_count = 0;

	assert_int_equal(resample_alloc(&resample, in_rate, out_rate), 0);
	for (size_t at = 0; at < count; at += chunk_len) {
		size_t n = count - at < chunk_len ? count - at : chunk_len;

		out_count += resample_write(resample, out + out_count, in + at, n);
		out_count += resample_end_chunk(resample, out + out_count);
	}
	assert_int_equal(out_count, test_resample_due(count, in_rate, out_rate));
	mem_deref(resample);
	return out;
}

static void test_resample_check_silent_seams(unsigned in_rate, unsigned out_rate)
{
	size_t chunk_len = in_rate / 5 + 13;
	size_t count = 5 * chunk_len;
	int16_t *in = malloc(count * sizeof(*in));
	size_t out_count;
	int16_t *whole, *chunks;

	for (size_t at = 0; at < count; at += chunk_len)
		signal_speech(in + at, chunk_len, in_rate);
	whole = test_resample_convert(&out_count, in, count, in_rate, out_rate);
	chunks = test_resample_convert_chunks(in, count, chunk_len, in_rate, out_rate);
	assert_memory_equal(chunks, whole, out_count * sizeof(*chunks));
	free(in);
	free(whole);
	free(chunks);
}

static void test_resample_a_seam_in_silence_is_no_seam_at_all(void **state)
{
	(void)state;
	test_resample_for_each_pair(test_resample_check_silent_seams);
}

/* The outputs that looked ahead past a chunk's end saw zeros there; no others
 * may differ. */
static void test_resample_check_loud_seams(unsigned in_rate, unsigned out_rate)
{
	size_t chunk_len = in_rate / 7;
	size_t count = 7 * chunk_len;
	size_t ahead = out_rate / 200 + 1;
	int16_t *in = malloc(count * sizeof(*in));
	size_t out_count;
	int16_t *whole, *chunks;

	signal_sine(in, count, AMPLITUDE, 440, in_rate);
	whole = test_resample_convert(&out_count, in, count, in_rate, out_rate);
	chunks = test_resample_convert_chunks(in, count, chunk_len, in_rate, out_rate);
	for (size_t at = 0; at < count; at += chunk_len) {
		size_t from = test_resample_due(at, in_rate, out_rate);
		size_t to = test_resample_due(at + chunk_len, in_rate, out_rate) - ahead;

		assert_memory_equal(chunks + from, whole + from, (to - from) * sizeof(*chunks));
	}
	free(in);
	free(whole);
	free(chunks);
}

static void test_resample_a_seam_in_sound_touches_only_the_look_ahead(void **state)
{
	(void)state;
	test_resample_for_each_pair(test_resample_check_loud_seams);
}

static void test_resample_check_lag(unsigned in_rate, unsigned out_rate)
{
	size_t count = in_rate / 20;
	int16_t *in = calloc(count, sizeof(*in));
	int16_t *out = malloc(out_rate / 10 * sizeof(*out));
	struct resample *resample;
	size_t made;

	assert_int_equal(resample_alloc(&resample, in_rate, out_rate), 0);
	made = resample_write(resample, out, in, count);
	assert_true(made + out_rate / 200 >= test_resample_due(count, in_rate, out_rate));
	mem_deref(resample);
	free(in);
	free(out);
}

static void test_resample_sound_waits_for_at_most_5_ms_of_what_follows(void **state)
{
	(void)state;
	test_resample_for_each_pair(test_resample_check_lag);
}

/* speexdsp's best quality, its delay taken off.  Its filter is longer than
 * ours: the sound stays below the bands where the two may differ. */
static void test_resample_check_speexdsp(unsigned in_rate, unsigned out_rate)
{
	spx_uint32_t count = in_rate / 2;
	spx_uint32_t speex_count = out_rate;
	int16_t *in = malloc(count * sizeof(*in));
	int16_t *speex = malloc(speex_count * sizeof(*speex));
	SpeexResamplerState *reference;
	size_t out_count;
	int16_t *out;

	signal_speech(in, count, in_rate);
	out = test_resample_convert(&out_count, in, count, in_rate, out_rate);
	reference = speex_resampler_init(1, in_rate, out_rate, 10, NULL);
	speex_resampler_skip_zeros(reference);
	speex_resampler_process_int(reference, 0, in, &count, speex, &speex_count);
	assert_in_range(speex_count, out_count * 9 / 10, out_count + 1);
	for (size_t i = 0; i < speex_count && i < out_count; ++i)
		if (abs(out[i] - speex[i]) > 2)
			fail_msg("%u to %u, sample %zu: %d, speexdsp %d", in_rate, out_rate, i,
				 out[i], speex[i]);
	speex_resampler_destroy(reference);
	free(in);
	free(out);
	free(speex);
}

static void test_resample_agrees_with_speexdsp_at_its_best(void **state)
{
	(void)state;
	test_resample_for_each_pair(test_resample_check_speexdsp);
}

static void test_resample_equal_rates_give_the_input_itself(void **state)
{
	int16_t in[1000];
	size_t out_count;
	int16_t *out;

	(void)state;
	signal_sine(in, 1000, AMPLITUDE, 3999, 24000);
	out = test_resample_convert(&out_count, in, 1000, 24000, 24000);
	assert_int_equal(out_count, 1000);
	assert_memory_equal(out, in, sizeof(in));
	free(out);
}

/* A full square wave overshoots by a tenth; wrapped around it would step by
 * more than its own height. */
static void test_resample_what_overshoots_full_scale_is_held_there(void **state)
{
	size_t count = 2205;
	int16_t *in = malloc(count * sizeof(*in));
	size_t highest = 0, out_count;
	int16_t *out;

	(void)state;
	for (size_t i = 0; i < count; ++i)
		in[i] = i / 50 % 2 ? INT16_MIN : INT16_MAX;
	out = test_resample_convert(&out_count, in, count, 22050, 24000);
	for (size_t i = 100; i + 100 < out_count; ++i) {
		size_t place = i * 147 / 160 % 50; /* in its half wave */

		highest += out[i] == INT16_MAX;
		if (place > 5 && place < 44)
			assert_true(abs(out[i]) > 25000);
		if (place > 5 && place < 44)
			assert_int_equal(out[i] < 0, i * 147 / 160 / 50 % 2);
	}
	assert_true(highest > 10);
	free(in);
	free(out);
}

static void test_resample_check_both_paths(unsigned in_rate, unsigned out_rate)
{
	static float x[FIR_TAPS_MAX + 6100 + FIR_PAD];
	static int16_t fast[1001], portable[1001];
	uint32_t seed = 3;
	struct fir *fir;

	for (size_t i = 0; i < COUNT(x); ++i)
		x[i] = (float)signal_random(&seed, 60000) - 30000.0f;
	assert_int_equal(fir_alloc(&fir, in_rate, out_rate), 0);
	fir_convolve(fir, fast, 1001, x, fir->phases / 3);
	fir_convolve_portable(fir, portable, 1001, x, fir->phases / 3);
	for (size_t i = 0; i < 1001; ++i)
		assert_in_range(fast[i] - portable[i] + 1, 0, 2);
	mem_deref(fir);
}

static void test_resample_with_and_without_vector_instructions_agree_within_rounding(void **state)
{
	(void)state;
	test_resample_for_each_pair(test_resample_check_both_paths);
}

static void test_resample_rates_outside_8000_to_48000_are_refused(void **state)
{
	struct resample *resample;

	(void)state;
	assert_int_equal(resample_alloc(&resample, 7999, 24000), EINVAL);
	assert_int_equal(resample_alloc(&resample, 48001, 24000), EINVAL);
	assert_int_equal(resample_alloc(&resample, 24000, 0), EINVAL);
	assert_int_equal(resample_alloc(&resample, 0, 0), EINVAL);
	assert_int_equal(resample_alloc(&resample, 24000, UINT32_MAX), EINVAL);
}

static void test_resample_a_table_is_made_once_and_outlives_being_forgotten(void **state)
{
	struct resample *first, *second;
	int16_t out[8];

	(void)state;
	resample_forget();
	assert_int_equal(mem_live(), 0);
	assert_int_equal(resample_alloc(&first, 22050, 24000), 0);
	assert_int_equal(mem_live(), 2);
	assert_int_equal(resample_alloc(&second, 22050, 24000), 0);
	assert_int_equal(mem_live(), 3);
	resample_forget();
	assert_int_equal(resample_write(first, out, out, 0), 0);
	mem_deref(first);
	assert_int_equal(mem_live(), 2);
	mem_deref(second);
	assert_int_equal(mem_live(), 0);
}

static void test_resample_the_number_of_tables_kept_is_bounded(void **state)
{
	struct resample *resample;

	(void)state;
	resample_forget();
	for (unsigned rate = 8001; rate < 8040; ++rate) {
		assert_int_equal(resample_alloc(&resample, rate, 8000), 0);
		mem_deref(resample);
	}
	assert_int_equal(mem_live(), 16);
	resample_forget();
	assert_int_equal(mem_live(), 0);
}

static void test_resample_when_memory_is_out_nothing_is_left_behind(void **state)
{
	struct resample *resample;

	(void)state;
	resample_forget();
	for (size_t n = 1; n <= 2; ++n) {
		mem_fail_after(n);
		assert_int_equal(resample_alloc(&resample, 16000, 24000), ENOMEM);
		resample_forget();
		assert_int_equal(mem_live(), 0);
	}
	mem_fail_after(0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_resample_a_tone_keeps_level_place_and_purity_to_90_db),
		cmocka_unit_test(test_resample_what_the_lower_rate_cannot_hold_is_90_db_down),
		cmocka_unit_test(test_resample_after_every_chunk_the_count_is_the_exact_floor),
		cmocka_unit_test(test_resample_how_the_input_is_cut_into_writes_changes_no_sample),
		cmocka_unit_test(test_resample_a_seam_in_silence_is_no_seam_at_all),
		cmocka_unit_test(test_resample_a_seam_in_sound_touches_only_the_look_ahead),
		cmocka_unit_test(test_resample_sound_waits_for_at_most_5_ms_of_what_follows),
		cmocka_unit_test(test_resample_agrees_with_speexdsp_at_its_best),
		cmocka_unit_test(test_resample_equal_rates_give_the_input_itself),
		cmocka_unit_test(test_resample_what_overshoots_full_scale_is_held_there),
		cmocka_unit_test(
			test_resample_with_and_without_vector_instructions_agree_within_rounding),
		cmocka_unit_test(test_resample_rates_outside_8000_to_48000_are_refused),
		cmocka_unit_test(test_resample_a_table_is_made_once_and_outlives_being_forgotten),
		cmocka_unit_test(test_resample_the_number_of_tables_kept_is_bounded),
		cmocka_unit_test(test_resample_when_memory_is_out_nothing_is_left_behind),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
