/*
 * signal.c: the sounds that audio tests feed in (see signal.h).
 */
#include "signal.h"

#include <math.h>
#include <stdlib.h>

#define PITCH_HZ 120
#define SPEECH_HZ_MAX 3000
#define SILENCE_PER_S 33 /* 30 ms */

void signal_sine(int16_t *samples, size_t count, double amplitude, double hz, unsigned rate)
{
	for (size_t i = 0; i < count; ++i)
		samples[i] = (int16_t)lrint(amplitude * sin(2 * M_PI * hz * (double)i / rate));
}

static double signal_envelope(double at, double length)
{
	double edge = sin(M_PI * at / length);
	double swell = 0.6 + 0.4 * sin(2 * M_PI * 4 * at);

	return edge * edge * swell;
}

void signal_speech(int16_t *samples, size_t count, unsigned rate)
{
	size_t silence = rate / SILENCE_PER_S;

	for (size_t i = 0; i < count; ++i) {
		double at = ((double)i - (double)silence) / rate;
		double length = ((double)count - 2 * (double)silence) / rate;
		double sum = 0;

		samples[i] = 0;
		if (i < silence || i + silence >= count)
			continue;
		for (int k = 1; k * PITCH_HZ <= SPEECH_HZ_MAX; ++k)
			sum += sin(2 * M_PI * PITCH_HZ * k * at + k * k) / k;
		samples[i] = (int16_t)lrint(9000 * sum * signal_envelope(at, length));
	}
}

double signal_snr_db(const int16_t *samples, size_t count, size_t first, double amplitude,
		     double hz, unsigned rate)
{
	double wanted = 0;
	double differs = 0;

	for (size_t i = 0; i < count; ++i) {
		double ideal = amplitude * sin(2 * M_PI * hz * (double)(first + i) / rate);

		wanted += ideal * ideal;
		differs += (samples[i] - ideal) * (samples[i] - ideal);
	}
	return 10 * log10(wanted / differs);
}

double signal_rms(const int16_t *samples, size_t count)
{
	double sum = 0;

	for (size_t i = 0; i < count; ++i)
		sum += (double)samples[i] * samples[i];
	return sqrt(sum / (double)count);
}

int signal_step_max(const int16_t *samples, size_t count)
{
	int max = 0;

	for (size_t i = 1; i < count; ++i) {
		int step = abs(samples[i] - samples[i - 1]);

		if (step > max)
			max = step;
	}
	return max;
}

size_t signal_random(uint32_t *seed, size_t n)
{
	*seed = *seed * 1664525u + 1013904223u;
	return (*seed >> 8) % n;
}
