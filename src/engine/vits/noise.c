/*
 * noise.c: reproducible random numbers (see noise.h).
 *
 * Philox 4x32 with ten rounds (Salmon and others, "Parallel random numbers: as easy as 1, 2,
 * 3"), followed by the Box-Muller transform.
 */
#include "engine/vits/noise.h"

#include <math.h>

#define ROUNDS 10
#define BLOCK 4 /* numbers that one counter gives */

#define TEMPERATURE_USUAL 0.4f

void noise_key_init(struct noise_key *key)
{
	*key = (struct noise_key){{0x811c9dc5u, 0xcbf29ce4u}};
}

static uint64_t noise_mix(uint64_t h)
{
	h ^= h >> 33;
	h *= 0xff51afd7ed558ccdull;
	h ^= h >> 33;
	h *= 0xc4ceb9fe1a85ec53ull;
	return h ^ (h >> 33);
}

void noise_key_add(struct noise_key *key, const void *bytes, size_t len)
{
	const unsigned char *byte = bytes;
	uint64_t h = (uint64_t)key->words[1] << 32 | key->words[0];

	for (size_t i = 0; i < len; ++i)
		h = (h ^ byte[i]) * 1099511628211ull; /* FNV-1a */
	h = noise_mix(h ^ len); /* "a","bc" is not "ab","c" */
	key->words[0] = (uint32_t)h;
	key->words[1] = (uint32_t)(h >> 32);
}

float noise_scale_at(float own, float temperature)
{
	float most = fminf(own / TEMPERATURE_USUAL, fmaxf(own, 1));
	float above = (fminf(temperature, 1) - TEMPERATURE_USUAL) / (1 - TEMPERATURE_USUAL);

	if (!(temperature > TEMPERATURE_USUAL))
		return own * fmaxf(temperature, 0) / TEMPERATURE_USUAL;
	return own + above * (most - own);
}

static void noise_philox(const struct noise_key *key, uint32_t stream, uint64_t counter,
			 uint32_t out[4])
{
	uint32_t x0 = (uint32_t)counter;
	uint32_t x1 = (uint32_t)(counter >> 32);
	uint32_t x2 = stream;
	uint32_t x3 = 0;
	uint32_t k0 = key->words[0];
	uint32_t k1 = key->words[1];

	for (int round = 0; round < ROUNDS; ++round) {
		uint64_t p0 = (uint64_t)x0 * 0xd2511f53u;
		uint64_t p1 = (uint64_t)x2 * 0xcd9e8d57u;

		x0 = (uint32_t)(p1 >> 32) ^ x1 ^ k0;
		x1 = (uint32_t)p1;
		x2 = (uint32_t)(p0 >> 32) ^ x3 ^ k1;
		x3 = (uint32_t)p0;
		k0 += 0x9e3779b9u;
		k1 += 0xbb67ae85u;
	}
	out[0] = x0;
	out[1] = x1;
	out[2] = x2;
	out[3] = x3;
}

/* Converts two uniform numbers to two normal ones. The first must not be 0. */
static void noise_normal_pair(uint32_t a, uint32_t b, float out[2])
{
	float radius = sqrtf(-2 * logf(((float)(a >> 8) + 1) * 0x1p-24f));
	float angle = 6.28318530717958647692f * ((float)(b >> 8) * 0x1p-24f);

	out[0] = radius * cosf(angle);
	out[1] = radius * sinf(angle);
}

void noise_fill(const struct noise_key *key, uint32_t stream, uint64_t from, float *out, size_t n)
{
	size_t i = 0;

	while (i < n) {
		uint64_t at = from + i;
		uint32_t words[BLOCK];
		float block[BLOCK];

		noise_philox(key, stream, at / BLOCK, words);
		noise_normal_pair(words[0], words[1], block);
		noise_normal_pair(words[2], words[3], block + 2);
		for (size_t k = at % BLOCK; k < BLOCK && i < n; ++k)
			out[i++] = block[k];
	}
}
