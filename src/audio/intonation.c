/*
 * intonation.c: pitch by normalized autocorrelation, and syllables by dips in loudness.
 *
 * The audio is halved to 8 kHz and divided into steps of 10 ms.  For each step, a window of 32 ms is
 * compared with itself at every distance from one period of 400 Hz to one of 70 Hz.  The samples of a
 * window are reduced to 11 bits, so that all sums fit into 32 bits and the compiler can use the
 * multiply-and-add instructions for 16-bit numbers; floating point takes four times as long.
 */
#include "audio/intonation.h"

#include <math.h>
#include <string.h>

#define STEP 80u /* 10 ms at 8 kHz */
#define STEP_MS 10.0F
#define WINDOW 256u
#define LAG_MIN 20u /* 400 Hz */
#define LAG_MAX 114u /* 70 Hz */
#define HALF_RATE 8000.0F

/* A frame of 32 ms is shorter than a window and the longest lag, so that periods are searched up to one of
 * 80 Hz, and only whether there is one matters. */
#define FRAME_HALF_MAX 256u
#define FRAME_LAG_MAX 100u
#define FRAME_WINDOW 96u

#define HALF_MAX (INTONATION_SAMPLES_MAX / 2u)
#define STEPS_MAX (HALF_MAX / STEP)

/* A window is voiced if it resembles itself one period later by this much, and is neither far quieter
 * than the loudest one nor nearly silent.  Consonants are below 0.5, vowels through a telephone above
 * 0.7. */
#define VOICED_MIN 0.6F
#define VOICED_RANGE_DB 30.0F
#define VOICED_LEVEL_DB (-60.0F)

/* Twice the period fits as well as the period; the shortest that fits nearly as well as the best is
 * right. */
#define OCTAVE_SHARE 0.88F

#define GAP_MAX 3u /* steps without a voice inside a stretch */
#define STRETCH_MIN 4u /* steps; shorter ones are clicks and mistakes */
#define STRETCH_MAX 50u
#define ENDS 5u /* steps whose median is the pitch at the middle and at the end */
#define DIP_DB 3.0F /* between two syllables, below both */

struct intonation_step {
	float pitch; /* in semitones above 1 Hz; 0: no voice */
	float level_db;
};

static float intonation_db(double sum_of_squares, size_t count)
{
	double mean = count ? sum_of_squares / (double)count : 0;

	return mean < 1e-3 ? INTONATION_SILENCE_DB : (float)(10 * log10(mean) - 90.309);
}

/* A half-band filter: what is above 4 kHz would be heard as something else. */
static size_t intonation_halve(int16_t *out, const int16_t *in, size_t count)
{
	size_t made = 0;

	for (size_t i = 3; i + 3 < count && made < HALF_MAX; i += 2) {
		int32_t sum = 16 * in[i] + 9 * (in[i - 1] + in[i + 1]) - (in[i - 3] + in[i + 3]);

		sum /= 32;
		out[made++] = (int16_t)(sum > INT16_MAX   ? INT16_MAX
					: sum < INT16_MIN ? INT16_MIN
							  : sum);
	}
	return made;
}

static int32_t intonation_product(const int16_t *a, const int16_t *b, size_t count)
{
	int32_t sum = 0;

	for (size_t i = 0; i < count; ++i)
		sum += (int32_t)a[i] * b[i];
	return sum;
}

/* The period between two lags, from the likeness at three of them: a parabola's top. */
static float intonation_top(const float *likeness, size_t at)
{
	float left = likeness[at - 1], middle = likeness[at], right = likeness[at + 1];
	float curve = left - 2 * middle + right;

	return (float)at + (curve < -1e-6F ? 0.5F * (left - right) / curve : 0);
}

/* Computes how much a window resembles what is LAG_MIN - 1 to lag_max + 1 samples later, up to where
 * samples are needed, and returns the largest likeness.  window is at most WINDOW. */
static float intonation_likeness(float likeness[LAG_MAX + 2], const int16_t *samples, size_t window,
				 size_t lag_max)
{
	int16_t small[WINDOW + LAG_MAX + 2];
	float best = 0, energy, energy_there;
	int peak = 0;
	unsigned shift = 0;

	for (size_t i = 0; i < window + lag_max + 2; ++i) {
		int size = samples[i] < 0 ? -samples[i] : samples[i];

		peak = size > peak ? size : peak;
	}
	while (peak >> shift > 1023)
		++shift;
	for (size_t i = 0; i < window + lag_max + 2; ++i)
		small[i] = (int16_t)(samples[i] / (1 << shift));
	energy = (float)intonation_product(small, small, window);
	energy_there = (float)intonation_product(small + LAG_MIN - 1, small + LAG_MIN - 1, window);
	for (size_t lag = LAG_MIN - 1; lag <= lag_max + 1; ++lag) {
		float product = (float)intonation_product(small, small + lag, window);

		likeness[lag] = product / sqrtf(energy * energy_there + 1);
		best = likeness[lag] > best ? likeness[lag] : best;
		if (lag <= lag_max)
			energy_there += (float)(small[lag + window] * small[lag + window] -
						small[lag] * small[lag]);
	}
	return best;
}

/* The pitch of a window in semitones, or 0.  There are LAG_MAX + 2 samples after it. */
static float intonation_pitch(const int16_t *samples)
{
	float likeness[LAG_MAX + 2];
	float best = intonation_likeness(likeness, samples, WINDOW, LAG_MAX);

	if (best < VOICED_MIN)
		return 0;
	for (size_t lag = LAG_MIN; lag <= LAG_MAX; ++lag)
		if (likeness[lag] >= OCTAVE_SHARE * best && likeness[lag] >= likeness[lag - 1] &&
		    likeness[lag] >= likeness[lag + 1])
			return 12 * log2f(HALF_RATE / intonation_top(likeness, lag));
	return 0;
}

struct intonation_frame intonation_of_frame(const int16_t *samples, size_t count)
{
	struct intonation_frame frame = {INTONATION_SILENCE_DB, 0, 0};
	int16_t half[FRAME_HALF_MAX];
	float likeness[LAG_MAX + 2];
	double whole = 0, high = 0;
	float low[3] = {0};
	size_t halves;

	for (size_t i = 0; i < count; ++i) {
		float sample = samples[i], rest = sample;

		/* Three filters that weaken what is below about 570 Hz, 6 dB an octave each. */
		for (size_t n = 0; n < 3; ++n) {
			low[n] += 0.2F * (rest - low[n]);
			rest -= low[n];
		}
		whole += (double)sample * sample;
		high += (double)rest * rest;
	}
	frame.level_db = intonation_db(whole, count);
	if (frame.level_db > INTONATION_SILENCE_DB)
		frame.brightness_db = intonation_db(high, count) - frame.level_db;
	halves = intonation_halve(half, samples,
				  count < 2 * FRAME_HALF_MAX ? count : 2 * FRAME_HALF_MAX);
	if (halves >= FRAME_WINDOW + FRAME_LAG_MAX + 2)
		frame.voicing = intonation_likeness(likeness, half, halves - FRAME_LAG_MAX - 2,
						    FRAME_LAG_MAX);
	return frame;
}

static float intonation_median(const struct intonation_step *steps, size_t from, size_t to)
{
	float sorted[2 * ENDS];
	size_t count = 0;

	for (size_t i = from; i < to && count < 2 * ENDS; ++i) {
		size_t at = count;

		if (steps[i].pitch <= 0)
			continue;
		for (; at > 0 && sorted[at - 1] > steps[i].pitch; --at)
			sorted[at] = sorted[at - 1];
		sorted[at] = steps[i].pitch;
		++count;
	}
	return count ? sorted[count / 2] : 0;
}

static float intonation_loudness(const struct intonation_step *steps, size_t from, size_t to)
{
	float sum = 0;

	for (size_t i = from; i < to; ++i)
		sum += steps[i].level_db;
	return to > from ? sum / (float)(to - from) : INTONATION_SILENCE_DB;
}

/* Where the last syllable of a stretch begins: after the last dip that is lower than what is on both
 * sides of it. */
static size_t intonation_syllable(const struct intonation_step *steps, size_t from, size_t to)
{
	float peak = INTONATION_SILENCE_DB, low = 0;
	size_t low_at = to;

	for (size_t i = to; i > from; --i) {
		float level = steps[i - 1].level_db;

		if (low_at == to) { /* on the way up to the syllable's loudest step */
			if (level > peak)
				peak = level;
			else if (level < peak - DIP_DB) {
				low = level;
				low_at = i - 1;
			}
		} else if (level < low) {
			low = level;
			low_at = i - 1;
		} else if (level > low + DIP_DB) {
			return low_at;
		}
	}
	return from;
}

/* Finds the last voiced stretch; false: there is none. */
static bool intonation_stretch(const struct intonation_step *steps, size_t count, size_t *from,
			       size_t *to)
{
	size_t end = count;

	while (end > 0) {
		size_t begin, voiced = 1;

		while (end > 0 && steps[end - 1].pitch <= 0)
			--end;
		if (end == 0)
			return false;
		begin = end - 1;
		for (size_t i = begin; i > 0 && begin - i < GAP_MAX + 1 && end - i < STRETCH_MAX;
		     --i)
			if (steps[i - 1].pitch > 0) {
				begin = i - 1;
				++voiced;
			}
		if (voiced >= STRETCH_MIN) {
			*from = begin;
			*to = end;
			return true;
		}
		end = begin;
	}
	return false;
}

bool intonation_measure(struct intonation *intonation, const int16_t *samples, size_t count)
{
	int16_t half[HALF_MAX];
	struct intonation_step steps[STEPS_MAX];
	size_t skipped = count > INTONATION_SAMPLES_MAX ? count - INTONATION_SAMPLES_MAX : 0;
	size_t halves = intonation_halve(half, samples + skipped, count - skipped);
	size_t step_count = 0, from, to, middle, wide;
	float floor_db = VOICED_LEVEL_DB;
	float change;

	for (size_t at = 0; at + WINDOW + LAG_MAX + 2 <= halves; at += STEP) {
		double sum = 0;

		for (size_t i = 0; i < WINDOW; ++i)
			sum += (double)(half[at + i] * half[at + i]);
		steps[step_count].level_db = intonation_db(sum, WINDOW);
		if (steps[step_count].level_db - VOICED_RANGE_DB > floor_db)
			floor_db = steps[step_count].level_db - VOICED_RANGE_DB;
		++step_count;
	}
	for (size_t i = 0; i < step_count; ++i)
		steps[i].pitch =
			steps[i].level_db >= floor_db ? intonation_pitch(half + i * STEP) : 0;
	if (!intonation_stretch(steps, step_count, &from, &to))
		return false;
	middle = from + (to - from) / 2;
	wide = to - from < 2 * ENDS ? (to - from) / 2 : ENDS;
	intonation->pitch_hz = exp2f(intonation_median(steps, to - wide, to) / 12);
	change = intonation_median(steps, to - wide, to) -
		 intonation_median(steps, middle - wide / 2, middle - wide / 2 + wide);
	/* Nobody's pitch changes by an octave within a syllable: half the pitch was found in one place. */
	if (fabsf(change) > 9)
		change -= change > 0 ? 12 : -12;
	intonation->pitch_change = change;
	intonation->energy_change =
		intonation_loudness(steps, to - wide, to) -
		intonation_loudness(steps, middle - wide / 2, middle - wide / 2 + wide);
	intonation->syllable_ms = STEP_MS * (float)(to - intonation_syllable(steps, from, to));
	return true;
}
