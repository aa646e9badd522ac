/*
 * noise.h: reproducible random numbers.
 *
 * A counter-based generator: the n-th number of a key can be computed without the previous
 * ones, on any thread and in any order. So a window of a sentence gets the same noise
 * whether the sentence was begun in this process or in a worker that died.
 */
#ifndef ENGINE_VITS_NOISE_H
#define ENGINE_VITS_NOISE_H

#include <stddef.h>
#include <stdint.h>

struct noise_key {
	uint32_t words[2];
};

/* A key is made from everything that determines a sentence. The same bytes in another order, or
 * divided into calls differently, give another key. */
void noise_key_init(struct noise_key *key);
void noise_key_add(struct noise_key *key, const void *bytes, size_t len);

/* The scale of a model's noise at a temperature: 0 at 0, the model's own at 0.4, which is the
 * default of clients, and proportionally more above that, but at most 1, the noise that VITS
 * models are trained with, unless the model's own is larger. */
float noise_scale_at(float own, float temperature);

/* Numbers `from` to `from + n` of a stream: normally distributed with mean 0 and deviation 1.
 * Streams with different numbers are independent. */
void noise_fill(const struct noise_key *key, uint32_t stream, uint64_t from, float *out, size_t n);

#endif
