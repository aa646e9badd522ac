/*
 * loudness.c: how loud audio is, over time (see loudness.h).
 */
#include "engine/hear/loudness.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A pause of this length is looked for: a fifth of a second. */
#define PAUSE 3200u

/* What is louder than the background, and than a fraction of loud speech, is a sound. The background is
 * what a tenth of the piece is quieter than, which in a piece without any pause is quiet speech: so
 * there is a limit to it. Found by comparing the times of words with those of voices that know when
 * they say them. */
#define QUIET_PERCENT 10
#define LOUD_PERCENT 95
#define BACKGROUND_FACTOR 1.5f
#define LOUD_FRACTION_MIN 0.1f
#define LOUD_FRACTION_MAX 0.15f

/* A sound that is separated from a word by a longer silence, 100 ms, is not a part of it: a click, or
 * the word before. Inside words there are shorter ones, before p, t and k. */
#define GAP_STEPS 20

static float loudness_level(const float *samples, size_t count)
{
	float sum = 0;

	for (size_t i = 0; i < count; ++i)
		sum += samples[i] * samples[i];
	return sqrtf(sum / (float)count);
}

static int loudness_compare(const void *left, const void *right)
{
	const float *a = left;
	const float *b = right;

	return (*a > *b) - (*a < *b);
}

static float loudness_find_threshold(float *sorted, size_t count)
{
	float quiet;
	float loud;

	qsort(sorted, count, sizeof(*sorted), loudness_compare);
	quiet = sorted[count * QUIET_PERCENT / 100];
	loud = sorted[count * LOUD_PERCENT / 100];
	return fminf(fmaxf(BACKGROUND_FACTOR * quiet, LOUD_FRACTION_MIN * loud),
		     LOUD_FRACTION_MAX * loud);
}

int loudness_measure(struct loudness *loudness, const float *samples, size_t count)
{
	size_t steps = count / LOUDNESS_STEP;
	float *sorted = calloc(steps + 1, sizeof(*sorted));

	*loudness = (struct loudness){.levels = calloc(steps + 1, sizeof(*loudness->levels)),
				      .count = steps};
	if (!loudness->levels || !sorted) {
		loudness_reset(loudness);
		free(sorted);
		return ENOMEM;
	}
	for (size_t i = 0; i < steps; ++i)
		loudness->levels[i] = loudness_level(samples + i * LOUDNESS_STEP, LOUDNESS_STEP);
	memcpy(sorted, loudness->levels, steps * sizeof(*sorted));
	if (steps > 0)
		loudness->threshold = loudness_find_threshold(sorted, steps);
	free(sorted);
	return 0;
}

void loudness_reset(struct loudness *loudness)
{
	free(loudness->levels);
	*loudness = (struct loudness){0};
}

/* The last of `count` steps with a sound, before a longer silence, on the way from one in this
 * direction, 1 or -1. */
static size_t loudness_reach(const struct loudness *loudness, size_t from, size_t count,
			     int direction)
{
	const float *level = loudness->levels + from;
	size_t last = 0;

	for (size_t i = 0; i < count && i <= last + GAP_STEPS; ++i, level += direction)
		if (*level >= loudness->threshold)
			last = i;
	return last;
}

void loudness_trim(const struct loudness *loudness, size_t *start, size_t *end)
{
	size_t from = *start / LOUDNESS_STEP;
	size_t to = (*end + LOUDNESS_STEP - 1) / LOUDNESS_STEP;
	size_t loudest = from;
	size_t first;
	size_t last;

	if (to > loudness->count)
		to = loudness->count;
	for (size_t i = from; i < to; ++i)
		if (loudness->levels[i] > loudness->levels[loudest])
			loudest = i;
	if (from >= to || loudness->levels[loudest] < loudness->threshold)
		return;
	first = loudest - loudness_reach(loudness, loudest, loudest - from + 1, -1);
	last = loudest + loudness_reach(loudness, loudest, to - loudest, 1);
	if (first * LOUDNESS_STEP > *start)
		*start = first * LOUDNESS_STEP;
	if ((last + 1) * LOUDNESS_STEP < *end)
		*end = (last + 1) * LOUDNESS_STEP;
}

size_t loudness_quietest(const float *samples, size_t from, size_t to)
{
	float quietest = INFINITY;
	size_t best = from;

	for (size_t at = from; at + PAUSE <= to; at += LOUDNESS_STEP) {
		float level = loudness_level(samples + at, PAUSE);

		if (level < quietest) {
			quietest = level;
			best = at + PAUSE / 2;
		}
	}
	return best > 0 ? best : to;
}
