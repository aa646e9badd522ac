/* G.711: the standard's own intervals decide, for each of the 65536 samples. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "audio/g711.h"

#define SAMPLES 65536

struct law {
	int decisions[129]; /* magnitudes, scaled to 16 bits */
	uint8_t codes[128]; /* of the positive intervals, as on the line */
};

/* G.711, table 2a: 16 intervals of 2 (the first one of 1), then of 4, 8 ...
 * 256, on a scale of 14 bits. */
static void test_g711_build_mulaw(struct law *law)
{
	int value = 0;

	for (int i = 0; i < 128; ++i) {
		law->decisions[i] = value * 4;
		law->codes[i] = (uint8_t)(0xff - i);
		value += i == 0 ? 1 : 2 << i / 16;
	}
	law->decisions[128] = 32768;
}

/* G.711, table 1a: 32 intervals of 2, then 16 of 4, 8 ... 128, on a scale of 13
 * bits; the even bits of the character signal are inverted. */
static void test_g711_build_alaw(struct law *law)
{
	int value = 0;

	for (int i = 0; i < 128; ++i) {
		law->decisions[i] = value * 8;
		law->codes[i] = (uint8_t)((0x80 | i) ^ 0x55);
		value += i < 32 ? 2 : 2 << (i / 16 - 1);
	}
	law->decisions[128] = 32768;
}

/* A magnitude on a decision value belongs to the interval above it when the
 * sample is positive and to the one below when it is negative. */
static uint8_t test_g711_expected(const struct law *law, int sample)
{
	int i = 0;

	if (sample >= 0) {
		while (i < 127 && sample >= law->decisions[i + 1])
			++i;
		return law->codes[i];
	}
	while (i < 127 && -sample > law->decisions[i + 1])
		++i;
	return law->codes[i] ^ 0x80;
}

typedef void(encode_h)(uint8_t *out, const int16_t *samples, size_t count);

static void test_g711_check_all(encode_h *encode, const struct law *law)
{
	int16_t *samples = malloc(SAMPLES * sizeof(*samples));
	uint8_t *codes = malloc(SAMPLES);

	for (int i = 0; i < SAMPLES; ++i)
		samples[i] = (int16_t)(i - 32768);
	encode(codes, samples, SAMPLES);
	for (int i = 0; i < SAMPLES; ++i)
		if (codes[i] != test_g711_expected(law, samples[i]))
			fail_msg("%d: %02x, not %02x", samples[i], codes[i],
				 test_g711_expected(law, samples[i]));
	free(samples);
	free(codes);
}

static void test_g711_every_sample_falls_into_its_mulaw_interval(void **state)
{
	struct law law;

	(void)state;
	test_g711_build_mulaw(&law);
	assert_int_equal(law.decisions[127], 7903 * 4); /* the last but one of table 2a */
	test_g711_check_all(g711_encode_mulaw, &law);
}

static void test_g711_every_sample_falls_into_its_alaw_interval(void **state)
{
	struct law law;

	(void)state;
	test_g711_build_alaw(&law);
	assert_int_equal(law.decisions[127], 3968 * 8); /* the last but one of table 1a */
	test_g711_check_all(g711_encode_alaw, &law);
}

/* Written out in G.711 and in every telephone's silence. */
static void test_g711_known_samples_have_their_known_codes(void **state)
{
	static const int16_t samples[] = {0, -1, 32767, -32768, 1000, -1000, 4, -4, 3};
	static const uint8_t mulaw[] = {0xff, 0x7f, 0x80, 0x00, 0xce, 0x4e, 0xfe, 0x7f, 0xff};
	static const uint8_t alaw[] = {0xd5, 0x55, 0xaa, 0x2a, 0xfa, 0x7a, 0xd5, 0x55, 0xd5};
	uint8_t codes[sizeof(mulaw)];

	(void)state;
	g711_encode_mulaw(codes, samples, sizeof(mulaw));
	assert_memory_equal(codes, mulaw, sizeof(mulaw));
	g711_encode_alaw(codes, samples, sizeof(alaw));
	assert_memory_equal(codes, alaw, sizeof(alaw));
}

/* The level of a code is in the middle of its interval. */
static void test_g711_check_levels(encode_h *encode, const struct law *law)
{
	for (int i = 0; i < 127; ++i) {
		int level = (law->decisions[i] + law->decisions[i + 1]) / 2;
		int16_t samples[2] = {(int16_t)level, (int16_t)-level};
		uint8_t codes[2];

		encode(codes, samples, 2);
		assert_int_equal(codes[0], law->codes[i]);
		if (level > 0)
			assert_int_equal(codes[1], law->codes[i] ^ 0x80);
	}
}

static void test_g711_a_decoded_level_encodes_to_its_own_code(void **state)
{
	struct law law;

	(void)state;
	test_g711_build_mulaw(&law);
	test_g711_check_levels(g711_encode_mulaw, &law);
	test_g711_build_alaw(&law);
	test_g711_check_levels(g711_encode_alaw, &law);
}

static void test_g711_samples_may_be_encoded_in_place(void **state)
{
	int16_t samples[500];
	uint8_t codes[500];

	(void)state;
	for (int i = 0; i < 500; ++i)
		samples[i] = (int16_t)(i * 131 - 32000);
	g711_encode_mulaw(codes, samples, 500);
	g711_encode_mulaw((uint8_t *)samples, samples, 500);
	assert_memory_equal(samples, codes, 500);
}

/* A code stands for the middle of its interval, so it is its own encoding. */
static void test_mulaw_codes_are_decoded_to_the_middle_of_their_intervals(void **state)
{
	struct law law;

	(void)state;
	test_g711_build_mulaw(&law);
	for (int i = 0; i < 128; ++i) {
		uint8_t codes[2] = {law.codes[i], (uint8_t)(law.codes[i] ^ 0x80)};
		uint8_t again[2];
		int16_t samples[2];
		int low = law.decisions[i];
		int high = i < 127 ? law.decisions[i + 1] : 4 * 8159; /* the end of table 2a */

		g711_decode_mulaw(samples, codes, 2);
		g711_encode_mulaw(again, samples, 2);
		assert_int_equal(samples[0], i == 0 ? 0 : (low + high) / 2);
		assert_int_equal(samples[1], -samples[0]);
		assert_int_equal(again[0], codes[0]);
		if (i > 0) /* there is only one zero among the samples */
			assert_int_equal(again[1], codes[1]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_g711_every_sample_falls_into_its_mulaw_interval),
		cmocka_unit_test(test_mulaw_codes_are_decoded_to_the_middle_of_their_intervals),
		cmocka_unit_test(test_g711_every_sample_falls_into_its_alaw_interval),
		cmocka_unit_test(test_g711_known_samples_have_their_known_codes),
		cmocka_unit_test(test_g711_a_decoded_level_encodes_to_its_own_code),
		cmocka_unit_test(test_g711_samples_may_be_encoded_in_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
