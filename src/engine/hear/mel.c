/*
 * mel.c: what Whisper's encoder reads (see mel.h).
 *
 * Windows are transformed in batches, so that every step of the Fourier transform is the same
 * arithmetic on LANES neighbouring numbers, which compilers make vector instructions of.  A window
 * is real; two of them are transformed as the real and the imaginary part of one, and separated
 * afterwards.
 */
#include "engine/hear/mel.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/count.h"
#include "base/mem.h"

#define LANES 4
#define BATCH (2 * LANES) /* windows */
#define BANDS (MEL_WINDOW / 2 + 1) /* frequencies of a window */

/* Their product is the length of a window. */
#define FACTOR_MAX 5
static const unsigned mel_factors[] = {4, 4, 5, 5};

/* Energies below this are silence. */
#define FLOOR 1e-10f
/* How far below the loudest band, in powers of ten, everything else is cut off. */
#define RANGE 8.0f

struct mel {
	unsigned bins;
	float window[MEL_WINDOW];
	float cosine[MEL_WINDOW], sine[MEL_WINDOW]; /* of the i-th part of a turn */
	/* The weights of frequencies first, first + 1, … in each bin. */
	struct mel_bin {
		unsigned first, count;
		float weights[BANDS];
	} bin[];
};

/* Complex numbers, each for LANES pairs of windows. */
struct mel_numbers {
	float re[MEL_WINDOW][LANES], im[MEL_WINDOW][LANES];
};

/* Slaney's mel scale: linear to 1 kHz, logarithmic above. */
#define MEL_PER_HZ (3.0 / 200.0)
#define LOG_FROM_HZ 1000.0
#define LOG_FROM_MEL (LOG_FROM_HZ * MEL_PER_HZ)

static double mel_log_step(void)
{
	return log(6.4) / 27.0;
}

static double mel_from_hz(double hz)
{
	if (hz < LOG_FROM_HZ)
		return hz * MEL_PER_HZ;
	return LOG_FROM_MEL + log(hz / LOG_FROM_HZ) / mel_log_step();
}

static double mel_to_hz(double mel)
{
	if (mel < LOG_FROM_MEL)
		return mel / MEL_PER_HZ;
	return LOG_FROM_HZ * exp(mel_log_step() * (mel - LOG_FROM_MEL));
}

/* A triangle from the centre of the bin below to the centre of the one above, of area 1. */
static void mel_make_bin(struct mel_bin *bin, double below, double centre, double above)
{
	for (unsigned i = 0; i < BANDS; ++i) {
		double hz = (double)i * MEL_RATE / MEL_WINDOW;
		double weight =
			fmin((hz - below) / (centre - below), (above - hz) / (above - centre));

		if (weight <= 0)
			continue;
		if (bin->count == 0)
			bin->first = i;
		bin->weights[bin->count++] = (float)(weight * 2.0 / (above - below));
	}
}

int mel_alloc(struct mel **melp, unsigned bins)
{
	double step = mel_from_hz(MEL_RATE / 2.0) / (bins + 1.0);
	struct mel *mel;

	if (bins == 0 || bins > MEL_BINS_MAX)
		return EINVAL;
	mel = mem_zalloc(sizeof(*mel) + bins * sizeof(mel->bin[0]), NULL);
	if (!mel)
		return ENOMEM;
	mel->bins = bins;
	for (unsigned i = 0; i < MEL_WINDOW; ++i) {
		double turn = 2.0 * M_PI * i / MEL_WINDOW;

		mel->window[i] = (float)(0.5 - 0.5 * cos(turn)); /* Hann's */
		mel->cosine[i] = (float)cos(turn);
		mel->sine[i] = (float)-sin(turn);
	}
	for (unsigned i = 0; i < bins; ++i)
		mel_make_bin(&mel->bin[i], mel_to_hz(step * i), mel_to_hz(step * (i + 1.0)),
			     mel_to_hz(step * (i + 2.0)));
	*melp = mel;
	return 0;
}

/* One step of a Stockham transform, which needs no reordering: `blocks` × `stride` transforms of
 * length `radix`.  The inputs of one are blocks × stride apart, its outputs stride. */
static void mel_transform_step(const struct mel *mel, struct mel_numbers *out,
			       const struct mel_numbers *in, unsigned radix, unsigned stride)
{
	unsigned blocks = MEL_WINDOW / radix / stride;

	for (unsigned i = 0; i < blocks * radix; ++i) {
		unsigned block = i / radix;
		unsigned k = i % radix;
		float c[FACTOR_MAX];
		float d[FACTOR_MAX];

		for (unsigned j = 0; j < radix; ++j) {
			unsigned angle = block * k * stride + j * k * (MEL_WINDOW / radix);

			c[j] = mel->cosine[angle % MEL_WINDOW];
			d[j] = mel->sine[angle % MEL_WINDOW];
		}
		for (unsigned s = 0; s < stride; ++s) {
			float re[LANES] = {0};
			float im[LANES] = {0};

			for (unsigned j = 0; j < radix; ++j) {
				const float *x = in->re[s + stride * (block + blocks * j)];
				const float *y = in->im[s + stride * (block + blocks * j)];

				for (unsigned l = 0; l < LANES; ++l) {
					re[l] += x[l] * c[j] - y[l] * d[j];
					im[l] += x[l] * d[j] + y[l] * c[j];
				}
			}
			memcpy(out->re[s + stride * i], re, sizeof(re));
			memcpy(out->im[s + stride * i], im, sizeof(im));
		}
	}
}

/* Transforms `numbers`, which the result replaces. */
static void mel_transform(const struct mel *mel, struct mel_numbers *numbers)
{
	struct mel_numbers between;
	unsigned stride = 1;

	_Static_assert(COUNT(mel_factors) % 2 == 0, "the last step writes into numbers");
	for (size_t i = 0; i < COUNT(mel_factors); i += 2) {
		mel_transform_step(mel, &between, numbers, mel_factors[i], stride);
		stride *= mel_factors[i];
		mel_transform_step(mel, numbers, &between, mel_factors[i + 1], stride);
		stride *= mel_factors[i + 1];
	}
}

/* The recording, with silence up to `total`, and mirrored beyond both ends. */
struct mel_recording {
	const float *samples;
	size_t count, total;
};

static float mel_sample(const struct mel_recording *recording, ptrdiff_t at)
{
	ptrdiff_t last = (ptrdiff_t)recording->total - 1;

	if (at < 0)
		at = -at;
	if (at > last)
		at = 2 * last - at;
	/* A recording of one frame is shorter than half a window. */
	if (at < 0 || (size_t)at >= recording->count)
		return 0;
	return recording->samples[at];
}

static void mel_read_windows(const struct mel *mel, struct mel_numbers *numbers,
			     const struct mel_recording *recording, size_t frame)
{
	for (size_t l = 0; l < LANES; ++l)
		for (size_t i = 0; i < MEL_WINDOW; ++i) {
			ptrdiff_t at = (ptrdiff_t)((frame + 2 * l) * MEL_HOP + i) - MEL_WINDOW / 2;

			numbers->re[i][l] = mel->window[i] * mel_sample(recording, at);
			numbers->im[i][l] = mel->window[i] * mel_sample(recording, at + MEL_HOP);
		}
}

/* The energy of each frequency of each window: those of even windows, then of odd ones. */
static void mel_find_energies(float energies[BANDS][BATCH], const struct mel_numbers *numbers)
{
	for (unsigned i = 0; i < BANDS; ++i) {
		unsigned mirrored = (MEL_WINDOW - i) % MEL_WINDOW;

		for (unsigned l = 0; l < LANES; ++l) {
			float even_re = numbers->re[i][l] + numbers->re[mirrored][l];
			float even_im = numbers->im[i][l] - numbers->im[mirrored][l];
			float odd_re = numbers->im[i][l] + numbers->im[mirrored][l];
			float odd_im = numbers->re[mirrored][l] - numbers->re[i][l];

			energies[i][l] = 0.25f * (even_re * even_re + even_im * even_im);
			energies[i][LANES + l] = 0.25f * (odd_re * odd_re + odd_im * odd_im);
		}
	}
}

static void mel_find_bins(const struct mel *mel, float *features, size_t frames, size_t frame,
			  float energies[BANDS][BATCH])
{
	for (unsigned b = 0; b < mel->bins; ++b) {
		const struct mel_bin *bin = &mel->bin[b];
		float sums[BATCH] = {0};

		for (unsigned i = 0; i < bin->count; ++i)
			for (unsigned l = 0; l < BATCH; ++l)
				sums[l] += bin->weights[i] * energies[bin->first + i][l];
		for (size_t i = 0; i < BATCH && frame + i < frames; ++i) {
			float sum = sums[i / 2 + (i % 2) * LANES];

			features[b * frames + frame + i] = log10f(fmaxf(sum, FLOOR));
		}
	}
}

/* Cuts off what is far below the loudest, and scales the rest to about −1 to 1. */
static void mel_scale(float *features, size_t count)
{
	float loudest = features[0];

	for (size_t i = 1; i < count; ++i)
		loudest = fmaxf(loudest, features[i]);
	for (size_t i = 0; i < count; ++i)
		features[i] = (fmaxf(features[i], loudest - RANGE) + 4.0f) / 4.0f;
}

void mel_compute(const struct mel *mel, float *features, size_t frames, const float *samples,
		 size_t count)
{
	struct mel_recording recording = {samples, count, frames * MEL_HOP};
	struct mel_numbers numbers;
	float energies[BANDS][BATCH];
	size_t frame = 0;

	/* The last window that has a sample, mirrored ones included, is heard. */
	while (frame < frames && frame * MEL_HOP < count + MEL_WINDOW / 2) {
		mel_read_windows(mel, &numbers, &recording, frame);
		mel_transform(mel, &numbers);
		mel_find_energies(energies, &numbers);
		mel_find_bins(mel, features, frames, frame, energies);
		frame += BATCH;
	}
	for (unsigned b = 0; b < mel->bins; ++b)
		for (size_t i = frame; i < frames; ++i)
			features[b * frames + i] = log10f(FLOOR);
	if (frames > 0)
		mel_scale(features, mel->bins * frames);
}
