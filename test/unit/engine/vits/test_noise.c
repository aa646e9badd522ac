/* Random numbers that are the same every time. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/count.h"
#include "engine/vits/noise.h"

#define MANY 100000

static struct noise_key test_noise_key_of(const char *text)
{
	struct noise_key key;

	noise_key_init(&key);
	noise_key_add(&key, text, strlen(text));
	return key;
}

static void test_noise_numbers_are_normally_distributed(void **state)
{
	static float numbers[MANY];
	struct noise_key key = test_noise_key_of("a sentence");
	double sum = 0;
	double squares = 0;
	int within[3] = {0};

	(void)state;
	noise_fill(&key, 0, 0, numbers, MANY);
	for (size_t i = 0; i < MANY; ++i) {
		sum += (double)numbers[i];
		squares += (double)numbers[i] * (double)numbers[i];
		for (int k = 0; k < 3; ++k)
			within[k] += fabsf(numbers[i]) < (float)(k + 1);
	}
	assert_true(fabs(sum / MANY) < 0.01);
	assert_true(fabs(squares / MANY - 1) < 0.02);
	assert_true(fabs(within[0] / (double)MANY - 0.6827) < 0.01);
	assert_true(fabs(within[1] / (double)MANY - 0.9545) < 0.005);
	assert_true(fabs(within[2] / (double)MANY - 0.9973) < 0.002);
}

/* A window of a sentence gets what the whole sentence would have there. */
static void test_noise_any_stretch_is_what_the_whole_has_there(void **state)
{
	float whole[257];
	struct noise_key key = test_noise_key_of("a sentence");

	(void)state;
	noise_fill(&key, 1, 0, whole, COUNT(whole));
	for (size_t from = 0; from < 9; ++from) {
		for (size_t n = 1; n < 9; ++n) {
			float part[8];

			noise_fill(&key, 1, from, part, n);
			assert_memory_equal(part, whole + from, n * sizeof(part[0]));
		}
	}
}

static double test_noise_correlation(const float *a, const float *b, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; ++i)
		sum += (double)a[i] * (double)b[i];
	return sum / (double)n;
}

static void test_noise_streams_keys_and_places_have_nothing_in_common(void **state)
{
	static float numbers[4][MANY];
	struct noise_key key = test_noise_key_of("a sentence");
	struct noise_key other = test_noise_key_of("a sentencf");

	(void)state;
	noise_fill(&key, 0, 0, numbers[0], MANY);
	noise_fill(&key, 1, 0, numbers[1], MANY);
	noise_fill(&other, 0, 0, numbers[2], MANY);
	noise_fill(&key, 0, UINT64_C(1) << 40, numbers[3], MANY);
	for (size_t i = 1; i < COUNT(numbers); ++i)
		assert_true(fabs(test_noise_correlation(numbers[0], numbers[i], MANY)) < 0.015);
}

static void test_noise_a_key_knows_where_its_parts_end(void **state)
{
	struct noise_key a, b;

	(void)state;
	noise_key_init(&a);
	noise_key_add(&a, "ab", 2);
	noise_key_add(&a, "c", 1);
	noise_key_init(&b);
	noise_key_add(&b, "a", 1);
	noise_key_add(&b, "bc", 2);
	assert_memory_not_equal(&a, &b, sizeof(a));
}

/* 0.333 and 0.667 are what Piper's models have; the last is a model's that wants
 * more than VITS is trained with. */
static void test_noise_a_temperature_scales_the_noise_of_the_model(void **state)
{
	static const struct {
		float own, temperature, scale;
	} rows[] = {
		{0.333f, 0, 0},          {0.333f, 0.2f, 0.1665f}, {0.333f, 0.4f, 0.333f},
		{0.333f, 1, 0.8325f},    {0.667f, 0, 0},          {0.667f, 0.4f, 0.667f},
		{0.667f, 0.7f, 0.8335f}, {0.667f, 1, 1},          {1.2f, 0.4f, 1.2f},
		{1.2f, 1, 1.2f},         {0.667f, 9, 1},          {0.667f, -1, 0},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); ++i)
		assert_float_equal(noise_scale_at(rows[i].own, rows[i].temperature), rows[i].scale,
				   1e-6f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_noise_numbers_are_normally_distributed),
		cmocka_unit_test(test_noise_any_stretch_is_what_the_whole_has_there),
		cmocka_unit_test(test_noise_streams_keys_and_places_have_nothing_in_common),
		cmocka_unit_test(test_noise_a_key_knows_where_its_parts_end),
		cmocka_unit_test(test_noise_a_temperature_scales_the_noise_of_the_model),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
