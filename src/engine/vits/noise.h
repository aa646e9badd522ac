/*
 * noise.h: random numbers that are the same every time.
 *
 * A counter-based generator: the n-th number of a key can be had without the
 * ones before it, on any thread, in any order, so a window of a sentence gets
 * the same noise whether the sentence was begun here or on a worker that died.
 */
#ifndef ENGINE_VITS_NOISE_H
#define ENGINE_VITS_NOISE_H

#include <stddef.h>
#include <stdint.h>

struct noise_key {
	uint32_t words[2];
};

/* A key from what determines a sentence; order and lengths count. */
void noise_key_init(struct noise_key *key);
void noise_key_add(struct noise_key *key, const void *bytes, size_t len);

/* The scale of a model's noise at a temperature: 0 at 0, the model's own at 0.4,
 * which is what a client gets that asks for nothing, and more above that: in
 * proportion, but at 1 no more than 1, the noise that VITS models are trained
 * with, unless the model's own is more. */
float noise_scale_at(float own, float temperature);

/* Numbers `from` to `from + n` of a stream: normally distributed, mean 0,
 * deviation 1.  Streams with different numbers have nothing in common. */
void noise_fill(const struct noise_key *key, uint32_t stream, uint64_t from, float *out, size_t n);

#endif
