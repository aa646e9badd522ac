/*
 * level.c: loudness of speech, gated in two steps.
 *
 * The mean power of all blocks that are not silent is taken first; what lies
 * far under it is a pause, and the mean of the others is the answer.  So a
 * sentence with a pause in it is as loud as the same one without.
 */
#include "level.h"

#include <math.h>
#include <stdbool.h>

#define BLOCK_MS 5

/* Power, relative to full scale: −60 dB is silence whatever follows; under the
 * mean −20 dB is a pause, −35 dB is less than the softest consonant. */
#define SILENCE 1e-6
#define PAUSE 1e-2
#define SOFTEST 3.2e-4

static double decibel(double power)
{
	return power > 0 ? fmax(10 * log10(power), LEVEL_SILENT_DB) : LEVEL_SILENT_DB;
}

static double power_of(const int16_t *samples, size_t count)
{
	double sum = 0;

	for (size_t i = 0; i < count; ++i)
		sum += (double)samples[i] * samples[i];
	return sum / (32768.0 * 32768.0) / (double)count;
}

/* The mean power of the blocks that have at least `least`. */
static double mean_over(const int16_t *samples, size_t blocks, size_t block, double least)
{
	double sum = 0;
	size_t n = 0;

	for (size_t i = 0; i < blocks; ++i) {
		double power = power_of(samples + i * block, block);

		if (power >= least) {
			sum += power;
			++n;
		}
	}
	return n > 0 ? sum / (double)n : 0;
}

static double peak_of(const int16_t *samples, size_t count)
{
	double peak = 0;

	for (size_t i = 0; i < count; ++i)
		peak = fmax(peak, fabs((double)samples[i]));
	return peak / 32768.0;
}

void level_measure(struct level *level, const int16_t *samples, size_t count, unsigned rate)
{
	size_t block = (size_t)rate * BLOCK_MS / 1000;
	size_t blocks = count / block;
	double mean = mean_over(samples, blocks, block, SILENCE);
	double active = mean_over(samples, blocks, block, fmax(mean * PAUSE, SILENCE));
	double peak = peak_of(samples, count);
	size_t first = 0;
	size_t end = blocks;

	while (first < blocks &&
	       power_of(samples + first * block, block) < fmax(active * SOFTEST, SILENCE))
		++first;
	while (end > first &&
	       power_of(samples + (end - 1) * block, block) < fmax(active * SOFTEST, SILENCE))
		--end;
	level->seconds = (double)count / rate;
	level->lead_ms = (double)first * BLOCK_MS;
	level->tail_ms = (double)(blocks - end) * BLOCK_MS;
	level->active_db = decibel(active);
	level->peak_db = decibel(peak * peak);
}
