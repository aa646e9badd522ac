/*
 * fir.h: the low-pass filter of one pair of rates, as a polyphase table.
 *
 * Sample n of the output lies at input time n × in_rate ÷ out_rate: a whole
 * number of samples and a multiple of 1 ÷ `phases`.  Each of these fractions has
 * its own row of coefficients, centred on it, so that the output is aligned with
 * the input (zero phase); producing a sample looks `half` input samples ahead.
 *
 * The shape, for every pair: flat to 0.9 of the lower rate's Nyquist frequency,
 * more than 90 dB down from 1.1 of it.  Frequencies in the flat part therefore
 * leave no image, and aliases fall above it, where neither speech nor a telephone
 * line has much energy.  A stop band from 1.0 on would need twice the taps and a
 * look-ahead of 8 ms at the telephone's 8 kHz; this one needs 4 ms.
 *
 * A table is immutable once made and belongs to one thread (see mem.h).
 */
#ifndef AUDIO_FIR_H
#define AUDIO_FIR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FIR_RATE_MIN 8000u
#define FIR_RATE_MAX 48000u

/* The largest number of input samples that a row covers: 48000 to 8000 Hz. */
#define FIR_TAPS_MAX 384u

/* Rows are padded with zeros to whole vectors, so this many samples past the last tap are
 * read; they must be finite. */
#define FIR_PAD 8u

struct fir {
	unsigned in_rate, out_rate;
	unsigned phases; /* out_rate ÷ gcd: fractions that an output can fall on */
	unsigned step; /* in_rate ÷ gcd: phases from one output to the next */
	unsigned half; /* look-ahead; a row covers 2 × half input samples */
	unsigned stride; /* floats from row to row */
	unsigned rows; /* equal to phases, or fewer when two rows are interpolated */
	bool interpolates;
	const float *coefs; /* rows (+ 1 when it interpolates) × stride */
};

/* EINVAL for a rate out of range, ENOMEM. */
int fir_alloc(struct fir **firp, unsigned in_rate, unsigned out_rate);

/* Makes count samples. x points to the first input sample that the first of them depends on, which
 * is half - 1 samples before its own position; phase is the fraction of that position, in units of
 * 1 ÷ phases. Results are rounded to the nearest integer and saturated. */
void fir_convolve(const struct fir *fir, int16_t *out, size_t count, const float *x,
		  unsigned phase);

/* The same without AVX2: the fallback of fir_convolve, exported so that tests can compare both
 * on one machine. */
void fir_convolve_portable(const struct fir *fir, int16_t *out, size_t count, const float *x,
			   unsigned phase);

#endif
