/*
 * The features that Whisper's encoder reads: the same numbers as those of transformers.js 4.3.1
 * (WhisperFeatureExtractor, which computes with doubles) for a signal that is easy to make
 * anywhere.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <errno.h>
#include <math.h>

#include "base/count.h"
#include "base/mem.h"
#include "engine/hear/mel.h"
#include "mem_fail.h"

#define FRAMES 3000

/* A number of transformers.js. */
struct spot {
	unsigned bin, frame;
	float value;
};

/* 2.5 s, then silence up to 30 s. */
static const struct spot spots_short[] = {
	{0, 0, 1.137243f},      {0, 1, 1.049547f},      {0, 7, 1.050033f},
	{0, 100, 0.598216f},    {0, 101, 0.052759f},    {0, 125, 0.525641f},
	{0, 250, 0.253271f},    {0, 251, -0.217153f},   {0, 252, -0.862757f},
	{0, 2999, -0.862757f},  {1, 0, 0.882102f},      {1, 1, 0.786984f},
	{1, 7, 0.834312f},      {1, 100, 0.618284f},    {1, 101, 0.050545f},
	{1, 125, 0.573533f},    {1, 250, 0.188738f},    {1, 251, -0.211399f},
	{1, 252, -0.862757f},   {1, 2999, -0.862757f},  {5, 0, 0.165996f},
	{5, 1, -0.022540f},     {5, 7, 0.122479f},      {5, 100, 0.932457f},
	{5, 101, 0.027681f},    {5, 125, 0.758997f},    {5, 250, 0.305052f},
	{5, 251, -0.140496f},   {5, 252, -0.862757f},   {5, 2999, -0.862757f},
	{20, 0, 0.145724f},     {20, 1, 0.202146f},     {20, 7, 0.015285f},
	{20, 100, 0.466032f},   {20, 101, -0.330605f},  {20, 125, 0.298607f},
	{20, 250, 0.584157f},   {20, 251, 0.007639f},   {20, 252, -0.862757f},
	{20, 2999, -0.862757f}, {40, 0, 0.018097f},     {40, 1, 0.028525f},
	{40, 7, 0.081983f},     {40, 100, 0.007465f},   {40, 101, -0.862757f},
	{40, 125, 0.212736f},   {40, 250, 0.224944f},   {40, 251, -0.278171f},
	{40, 252, -0.862757f},  {40, 2999, -0.862757f}, {63, 0, 0.229455f},
	{63, 1, -0.001431f},    {63, 7, 0.069705f},     {63, 100, 0.017795f},
	{63, 101, -0.731153f},  {63, 125, 0.125015f},   {63, 250, 0.236310f},
	{63, 251, -0.434998f},  {63, 252, -0.862757f},  {63, 2999, -0.862757f},
	{79, 0, 0.129211f},     {79, 1, 0.149846f},     {79, 7, 0.174696f},
	{79, 100, 0.034139f},   {79, 101, -0.575500f},  {79, 125, -0.062133f},
	{79, 250, 0.087912f},   {79, 251, -0.592189f},  {79, 252, -0.862757f},
	{79, 2999, -0.862757f},
};

/* 30 s, so that the end is mirrored as the beginning is. */
static const struct spot spots_long[] = {
	{0, 0, 1.137243f},     {0, 1500, 0.159601f},  {0, 2997, 0.079441f},  {0, 2998, -0.157137f},
	{0, 2999, 0.099665f},  {1, 0, 0.882102f},     {1, 1500, -0.043774f}, {1, 2997, 0.137909f},
	{1, 2998, 0.115383f},  {1, 2999, 0.004925f},  {5, 0, 0.165996f},     {5, 1500, 0.202945f},
	{5, 2997, 0.213637f},  {5, 2998, 0.208639f},  {5, 2999, 0.186082f},  {20, 0, 0.145724f},
	{20, 1500, 0.183980f}, {20, 2997, 0.155348f}, {20, 2998, 0.033479f}, {20, 2999, 0.109211f},
	{40, 0, 0.018097f},    {40, 1500, 0.136401f}, {40, 2997, 0.021337f}, {40, 2998, 0.133378f},
	{40, 2999, 0.035189f}, {63, 0, 0.229455f},    {63, 1500, 0.178569f}, {63, 2997, -0.014022f},
	{63, 2998, 0.025615f}, {63, 2999, 0.151255f}, {79, 0, 0.129211f},    {79, 1500, 0.145055f},
	{79, 2997, 0.131252f}, {79, 2998, 0.125107f}, {79, 2999, 0.177254f},
};

/* 2.5 s in 128 bins, as the newest models have. */
static const struct spot spots_fine[] = {
	{0, 0, 1.061484f},     {0, 7, 0.974274f},      {0, 100, 0.522457f},   {0, 125, 0.449882f},
	{0, 250, 0.177512f},   {1, 0, 1.159048f},      {1, 7, 1.071838f},     {1, 100, 0.620022f},
	{1, 125, 0.547446f},   {1, 250, 0.275077f},    {5, 0, 0.243319f},     {5, 7, 0.347194f},
	{5, 100, 0.628482f},   {5, 125, 0.554556f},    {5, 250, 0.180780f},   {20, 0, -0.171728f},
	{20, 7, 0.207999f},    {20, 100, 0.434685f},   {20, 125, 0.532841f},  {20, 250, 0.558633f},
	{40, 0, 0.168023f},    {40, 7, 0.160200f},     {40, 100, -0.274103f}, {40, 125, 0.501735f},
	{40, 250, 0.468265f},  {63, 0, 0.021406f},     {63, 7, 0.163159f},    {63, 100, -0.257798f},
	{63, 125, 0.158991f},  {63, 250, 0.269855f},   {127, 0, 0.162369f},   {127, 7, 0.152123f},
	{127, 100, 0.056232f}, {127, 125, -0.121564f}, {127, 250, 0.091560f},
};

/* A triangle wave that rises in pitch, noise, and a quarter of a second of nothing. */
static void test_mel_make_signal(float *samples, size_t count)
{
	uint32_t random = 1;
	uint16_t phase = 0;

	for (size_t i = 0; i < count; ++i) {
		int noise;
		int wave;
		int sample;

		random = random * 1664525u + 1013904223u;
		noise = (int)(random >> 16) - 32768;
		phase = (uint16_t)(phase + 40 + i / 16);
		wave = abs((int16_t)phase) - 16384;
		sample = wave / 4 + noise / 64;
		samples[i] = (float)sample / 32768.0f;
		if (i >= 16000 && i < 20000)
			samples[i] = 0;
	}
}

static void test_mel_compare(unsigned bins, size_t count, const struct spot *spots,
			     size_t spot_count)
{
	struct mel *mel;
	float *samples = malloc(count * sizeof(*samples));
	float *features = malloc(bins * FRAMES * sizeof(*features));

	assert_non_null(samples);
	assert_non_null(features);
	assert_int_equal(mel_alloc(&mel, bins), 0);
	test_mel_make_signal(samples, count);
	mel_compute(mel, features, FRAMES, samples, count);
	for (size_t i = 0; i < spot_count; ++i) {
		float value = features[spots[i].bin * FRAMES + spots[i].frame];

		if (!(fabsf(value - spots[i].value) < 1e-4f))
			fail_msg("bin %u of frame %u is %f, not %f", spots[i].bin, spots[i].frame,
				 (double)value, (double)spots[i].value);
	}
	mem_deref(mel);
	free(features);
	free(samples);
}

static void test_mel_equals_the_reference(void **state)
{
	(void)state;
	test_mel_compare(80, 40000, spots_short, COUNT(spots_short));
	test_mel_compare(80, FRAMES * MEL_HOP, spots_long, COUNT(spots_long));
	test_mel_compare(128, 40000, spots_fine, COUNT(spots_fine));
}

static void test_mel_samples_after_the_last_frame_do_not_matter(void **state)
{
	enum { COUNT_MAX = 8 * MEL_HOP + 1000, BINS = 80 };
	static float samples[COUNT_MAX];
	static float whole[BINS * 8], longer[BINS * 8];
	struct mel *mel;

	(void)state;
	assert_int_equal(mel_alloc(&mel, BINS), 0);
	test_mel_make_signal(samples, COUNT_MAX);
	mel_compute(mel, whole, 8, samples, 8 * MEL_HOP);
	mel_compute(mel, longer, 8, samples, COUNT_MAX);
	assert_memory_equal(whole, longer, sizeof(whole));
	mem_deref(mel);
}

/* Any number of frames and samples: the sanitizers watch the edges. */
static void test_mel_any_length_gives_numbers(void **state)
{
	static const size_t counts[] = {0, 1, 2, 159, 160, 199, 200, 201, 399, 400, 401, 1600};
	static float samples[1600];
	static float features[20 * 11];
	struct mel *mel;

	(void)state;
	assert_int_equal(mel_alloc(&mel, 20), 0);
	test_mel_make_signal(samples, COUNT(samples));
	for (size_t frames = 0; frames <= 11; ++frames)
		for (size_t i = 0; i < COUNT(counts); ++i) {
			mel_compute(mel, features, frames, samples, counts[i]);
			for (size_t k = 0; k < 20 * frames; ++k)
				assert_true(isfinite(features[k]));
		}
	mem_deref(mel);
}

static void test_mel_silence_is_one_number(void **state)
{
	static float features[80 * 30];
	struct mel *mel;

	(void)state;
	assert_int_equal(mel_alloc(&mel, 80), 0);
	mel_compute(mel, features, 30, NULL, 0);
	for (size_t i = 0; i < COUNT(features); ++i)
		assert_float_equal(features[i], -1.5f, 1e-6f);
	mem_deref(mel);
}

static void test_mel_refuses_numbers_of_bins(void **state)
{
	struct mel *mel = NULL;

	(void)state;
	assert_int_equal(mel_alloc(&mel, 0), EINVAL);
	assert_int_equal(mel_alloc(&mel, MEL_BINS_MAX + 1), EINVAL);
	mem_fail_after(1);
	assert_int_equal(mel_alloc(&mel, 80), ENOMEM);
	mem_fail_after(0);
	assert_null(mel);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_mel_equals_the_reference),
		cmocka_unit_test(test_mel_samples_after_the_last_frame_do_not_matter),
		cmocka_unit_test(test_mel_any_length_gives_numbers),
		cmocka_unit_test(test_mel_silence_is_one_number),
		cmocka_unit_test(test_mel_refuses_numbers_of_bins),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
