/*
 * g711.c: µ-law and A-law encoders (see g711.h).
 *
 * Negative samples are complemented, not negated: a magnitude that lies on a
 * decision value then falls to the interval nearer zero, and the two halves
 * mirror each other about -1/2, as in the ITU's own software (G.191).  At 8000
 * samples a second arithmetic is cheap enough; tables would only fill the cache.
 */
#include "audio/g711.h"

static unsigned highest_bit(unsigned value)
{
	return 31u - (unsigned)__builtin_clz(value);
}

/* G.711, table 2: 14 bits, eight segments that double, biased by 33 so that a
 * segment is the place of the highest bit. */
static uint8_t mulaw(int16_t sample)
{
	unsigned sign = sample < 0 ? 0 : 0x80;
	unsigned value = ((unsigned)(sample < 0 ? ~sample : sample) >> 2) + 33;
	unsigned segment;

	if (value > 0x1fff)
		value = 0x1fff;
	segment = highest_bit(value) - 5;
	return (uint8_t)(sign | (0x7f ^ (segment << 4 | (value >> (segment + 1) & 15))));
}

/* G.711, table 1: 13 bits; the two lowest segments have the same step. */
static uint8_t alaw(int16_t sample)
{
	unsigned sign = sample < 0 ? 0 : 0x80;
	unsigned value = (unsigned)(sample < 0 ? ~sample : sample) >> 4;

	if (value > 31) {
		unsigned segment = highest_bit(value) - 3;

		value = segment << 4 | (value >> (segment - 1) & 15);
	}
	return (uint8_t)((sign | value) ^ 0x55);
}

void g711_encode_mulaw(uint8_t *out, const int16_t *samples, size_t count)
{
	for (size_t i = 0; i < count; ++i)
		out[i] = mulaw(samples[i]);
}

void g711_encode_alaw(uint8_t *out, const int16_t *samples, size_t count)
{
	for (size_t i = 0; i < count; ++i)
		out[i] = alaw(samples[i]);
}
