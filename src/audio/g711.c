/*
 * g711.c: µ-law and A-law (see g711.h).
 *
 * Negative samples are complemented, not negated: a magnitude that lies on a
 * decision value then falls to the interval nearer zero, and the two halves
 * mirror each other about -1/2, as in the ITU's own software (G.191).  At 8000
 * samples a second arithmetic is cheap enough; tables would only fill the cache.
 */
#include "audio/g711.h"

static unsigned g711_highest_bit(unsigned value)
{
	return 31u - (unsigned)__builtin_clz(value);
}

/* G.711, table 2: 14 bits, eight segments of doubling size, biased by 33 so that the segment
 * is the position of the highest bit. */
static uint8_t g711_mulaw(int16_t sample)
{
	unsigned sign = sample < 0 ? 0 : 0x80;
	unsigned value = ((unsigned)(sample < 0 ? ~sample : sample) >> 2) + 33;
	unsigned segment;

	if (value > 0x1fff)
		value = 0x1fff;
	segment = g711_highest_bit(value) - 5;
	return (uint8_t)(sign | (0x7f ^ (segment << 4 | (value >> (segment + 1) & 15))));
}

/* G.711, table 1: 13 bits; the two lowest segments have the same step. */
static uint8_t g711_alaw(int16_t sample)
{
	unsigned sign = sample < 0 ? 0 : 0x80;
	unsigned value = (unsigned)(sample < 0 ? ~sample : sample) >> 4;

	if (value > 31) {
		unsigned segment = g711_highest_bit(value) - 3;

		value = segment << 4 | (value >> (segment - 1) & 15);
	}
	return (uint8_t)((sign | value) ^ 0x55);
}

void g711_encode_mulaw(uint8_t *out, const int16_t *samples, size_t count)
{
	for (size_t i = 0; i < count; ++i)
		out[i] = g711_mulaw(samples[i]);
}

void g711_encode_alaw(uint8_t *out, const int16_t *samples, size_t count)
{
	for (size_t i = 0; i < count; ++i)
		out[i] = g711_alaw(samples[i]);
}

/* The middle of the interval, as in G.191: the bias of 33 that the encoder added is removed. */
static int16_t g711_linear(uint8_t byte)
{
	unsigned bits = ~(unsigned)byte & 0x7f;
	unsigned segment = bits >> 4;
	int value = (int)(((2 * (bits & 15) + 33) << segment) - 33) * 4;

	return (int16_t)(byte & 0x80 ? value : -value);
}

void g711_decode_mulaw(int16_t *out, const uint8_t *bytes, size_t count)
{
	for (size_t i = 0; i < count; ++i)
		out[i] = g711_linear(bytes[i]);
}
