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
static void build_mulaw(struct law *law)
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
static void build_alaw(struct law *law)
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
static uint8_t expected(const struct law *law, int sample)
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

static void check_all(encode_h *encode, const struct law *law)
{
	int16_t *samples = malloc(SAMPLES * sizeof(*samples));
	uint8_t *codes = malloc(SAMPLES);

	for (int i = 0; i < SAMPLES; ++i)
		samples[i] = (int16_t)(i - 32768);
	encode(codes, samples, SAMPLES);
	for (int i = 0; i < SAMPLES; ++i)
		if (codes[i] != expected(law, samples[i]))
			fail_msg("%d: %02x, not %02x", samples[i], codes[i],
				 expected(law, samples[i]));
	free(samples);
	free(codes);
}

static void test_every_sample_falls_into_its_mulaw_interval(void **state)
{
	struct law law;

	(void)state;
	build_mulaw(&law);
	assert_int_equal(law.decisions[127], 7903 * 4); /* the last but one of table 2a */
	check_all(g711_encode_mulaw, &law);
}

static void test_every_sample_falls_into_its_alaw_interval(void **state)
{
	struct law law;

	(void)state;
	build_alaw(&law);
	assert_int_equal(law.decisions[127], 3968 * 8); /* the last but one of table 1a */
	check_all(g711_encode_alaw, &law);
}

/* Written out in G.711 and in every telephone's silence. */
static void test_known_samples_have_their_known_codes(void **state)
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

/* The level that a code stands for lies in the middle of its interval. */
static void check_levels(encode_h *encode, const struct law *law)
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

static void test_a_decoded_level_encodes_to_its_own_code(void **state)
{
	struct law law;

	(void)state;
	build_mulaw(&law);
	check_levels(g711_encode_mulaw, &law);
	build_alaw(&law);
	check_levels(g711_encode_alaw, &law);
}

static void test_samples_may_be_encoded_in_place(void **state)
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_sample_falls_into_its_mulaw_interval),
		cmocka_unit_test(test_every_sample_falls_into_its_alaw_interval),
		cmocka_unit_test(test_known_samples_have_their_known_codes),
		cmocka_unit_test(test_a_decoded_level_encodes_to_its_own_code),
		cmocka_unit_test(test_samples_may_be_encoded_in_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
