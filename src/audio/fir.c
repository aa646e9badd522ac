/*
 * fir.c: design and use of polyphase filters (see fir.h).
 *
 * The arithmetic is written once, on the compiler's vector types, and compiled
 * twice: for the base instruction set and for AVX2 with fused multiply-add.
 */
#include "audio/fir.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/mem.h"

/* Samples of the lower rate on each side: 4 ms at 8 kHz, less at higher rates; and the maximum
 * in time for all rates. */
#define CROSSINGS 32u
#define LOOK_AHEADS_PER_S 200u

/* The middle of the transition, and Kaiser's beta for 96 dB: with 64 samples
 * of the lower rate the transition is 0.194 of its Nyquist frequency wide. */
#define CUTOFF 0.997
#define BETA 9.7

/* A table is at most 256 KiB.  Pairs that would need more (rates with hardly a
 * common divisor) get 512 rows per sample of the lower rate and interpolate:
 * the error of that is 116 dB down. */
#define COEFS_MAX 65536u
#define ROWS_INTERPOLATED 512u

#define LANES 8u
_Static_assert(FIR_PAD == LANES, "a row is padded to whole vectors");

/* Number of terms of the power series below that matter in double precision. */
#define SERIES 24

struct fir_table {
	struct fir fir; /* first member: callers hold a pointer to it */
	float storage[];
};

static unsigned fir_greatest_common_divisor(unsigned a, unsigned b)
{
	while (b > 0) {
		unsigned rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/* I0(BETA √u) as a power series in u, which needs no square root:
 * the k-th coefficient is (BETA² ÷ 4)^k ÷ k!². */
static void fir_window_series(double series[SERIES])
{
	series[0] = 1;
	for (int k = 1; k < SERIES; ++k)
		series[k] = series[k - 1] * (BETA * BETA / 4) / ((double)k * k);
}

static double fir_window_at(const double series[SERIES], double u)
{
	double sum = series[SERIES - 1];

	for (int k = SERIES - 2; k >= 0; --k)
		sum = sum * u + series[k];
	return sum;
}

/* Computes one row: the windowed sinc around `fraction` of a sample, normalized to a sum of 1
 * so that a constant offset is preserved. The sine is rotated from tap to tap instead of being
 * evaluated for each. */
static void fir_design_row(const struct fir *fir, const double series[SERIES], double fraction,
			   float *row)
{
	double scale = CUTOFF * fmin(1.0, (double)fir->out_rate / fir->in_rate);
	double half = fir->half;
	double t = 1 - half - fraction;
	double sine = sin(M_PI * scale * t), cosine = cos(M_PI * scale * t);
	double turn_sine = sin(M_PI * scale), turn_cosine = cos(M_PI * scale);
	double taps[FIR_TAPS_MAX];
	double sum = 0;

	for (unsigned k = 0; k < 2 * fir->half; ++k, t += 1) {
		double u = fmax(0.0, 1 - t * t / (half * half));
		double sinc = fabs(t) < 1e-9 ? scale : sine / (M_PI * t);
		double next = sine * turn_cosine + cosine * turn_sine;

		taps[k] = sinc * fir_window_at(series, u);
		sum += taps[k];
		cosine = cosine * turn_cosine - sine * turn_sine;
		sine = next;
	}
	for (unsigned k = 0; k < 2 * fir->half; ++k)
		row[k] = (float)(taps[k] / sum);
}

/* Row r lies at r ÷ rows of a sample; the row at 1 - r ÷ rows is its mirror. */
static void fir_design(const struct fir *fir, float *coefs)
{
	unsigned width = 2 * fir->half;
	double series[SERIES];

	fir_window_series(series);
	for (unsigned r = 0; r <= fir->rows / 2; ++r) {
		float *row = coefs + (size_t)r * fir->stride;
		float *mirror = coefs + (size_t)(fir->rows - r) * fir->stride;

		fir_design_row(fir, series, (double)r / fir->rows, row);
		if (mirror == row || (r == 0 && !fir->interpolates))
			continue;
		for (unsigned k = 0; k < width; ++k)
			mirror[k] = row[width - 1 - k];
	}
}

static void fir_arrange(struct fir *fir, unsigned in_rate, unsigned out_rate)
{
	unsigned divisor = fir_greatest_common_divisor(in_rate, out_rate);
	unsigned low = in_rate < out_rate ? in_rate : out_rate;

	*fir = (struct fir){
		.in_rate = in_rate,
		.out_rate = out_rate,
		.phases = out_rate / divisor,
		.step = in_rate / divisor,
		.half = (CROSSINGS * in_rate + low - 1) / low,
	};
	if (fir->half > in_rate / LOOK_AHEADS_PER_S)
		fir->half = in_rate / LOOK_AHEADS_PER_S;
	fir->stride = (2 * fir->half + LANES - 1) / LANES * LANES;
	fir->rows = fir->phases;
	if ((size_t)fir->rows * fir->stride > COEFS_MAX) {
		fir->rows = (ROWS_INTERPOLATED * low + in_rate - 1) / in_rate;
		fir->interpolates = true;
	}
}

int fir_alloc(struct fir **firp, unsigned in_rate, unsigned out_rate)
{
	struct fir_table *table;
	struct fir fir;
	size_t count;
	uintptr_t misaligned;
	float *coefs;

	if (in_rate < FIR_RATE_MIN || in_rate > FIR_RATE_MAX || out_rate < FIR_RATE_MIN ||
	    out_rate > FIR_RATE_MAX)
		return EINVAL;
	fir_arrange(&fir, in_rate, out_rate);
	count = (size_t)(fir.rows + fir.interpolates) * fir.stride;
	table = mem_zalloc(sizeof(*table) + (count + LANES) * sizeof(float), NULL);
	if (!table)
		return ENOMEM;
	/* Rows aligned to vectors never straddle a cache line. */
	misaligned = (uintptr_t)table->storage % (LANES * sizeof(float));
	coefs = table->storage + (misaligned ? LANES - misaligned / sizeof(float) : 0);
	fir_design(&fir, coefs);
	fir.coefs = coefs;
	table->fir = fir;
	*firp = &table->fir;
	return 0;
}

typedef float lanes __attribute__((vector_size(32)));
typedef float loaded __attribute__((vector_size(32), aligned(4)));
typedef float four __attribute__((vector_size(16)));

#define INLINE static inline __attribute__((always_inline))

INLINE four fir_fold(const lanes *sum)
{
	return __builtin_shufflevector(*sum, *sum, 0, 1, 2, 3) +
	       __builtin_shufflevector(*sum, *sum, 4, 5, 6, 7);
}

/* Computes four inner products at once, which share the horizontal additions. */
INLINE void fir_multiply_four(float sums[4], const float *const x[4], const float *const rows[4],
			      unsigned stride)
{
	lanes a = {0}, b = {0}, c = {0}, d = {0};
	four ab, cd, fa, fb, fc, fd;

	for (size_t k = 0; k < stride; k += LANES) {
		a += *(const loaded *)(x[0] + k) * *(const loaded *)(rows[0] + k);
		b += *(const loaded *)(x[1] + k) * *(const loaded *)(rows[1] + k);
		c += *(const loaded *)(x[2] + k) * *(const loaded *)(rows[2] + k);
		d += *(const loaded *)(x[3] + k) * *(const loaded *)(rows[3] + k);
	}
	fa = fir_fold(&a);
	fb = fir_fold(&b);
	fc = fir_fold(&c);
	fd = fir_fold(&d);
	ab = __builtin_shufflevector(fa, fb, 0, 4, 1, 5) +
	     __builtin_shufflevector(fa, fb, 2, 6, 3, 7);
	cd = __builtin_shufflevector(fc, fd, 0, 4, 1, 5) +
	     __builtin_shufflevector(fc, fd, 2, 6, 3, 7);
	ab = __builtin_shufflevector(ab, cd, 0, 1, 4, 5) +
	     __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
	memcpy(sums, &ab, sizeof(ab));
}

INLINE int16_t fir_to_sample(float value)
{
	int rounded = (int)(value + (value < 0 ? -0.5f : 0.5f));

	if (rounded > INT16_MAX)
		return INT16_MAX;
	return rounded < INT16_MIN ? INT16_MIN : (int16_t)rounded;
}

struct fir_position {
	const float *x;
	unsigned phase;
};

/* Moves from one output to the next. */
INLINE void fir_advance(struct fir_position *at, const struct fir *fir, unsigned whole,
			unsigned part)
{
	at->x += whole;
	at->phase += part;
	if (at->phase >= fir->phases) {
		at->phase -= fir->phases;
		++at->x;
	}
}

/* An incomplete group repeats its last member, so that every output is computed by the same
 * additions in the same order, however the input was divided into writes. */
INLINE void fir_convolve_exact(const struct fir *fir, int16_t *out, size_t count,
			       struct fir_position at)
{
	unsigned whole = fir->step / fir->phases, part = fir->step % fir->phases;

	for (size_t n = 0; n < count; n += 4) {
		size_t group = count - n < 4 ? count - n : 4;
		const float *x[4], *rows[4];
		float sums[4];

		for (size_t i = 0; i < 4; ++i) {
			x[i] = at.x;
			rows[i] = fir->coefs + (size_t)at.phase * fir->stride;
			if (i + 1 < group || group == 4)
				fir_advance(&at, fir, whole, part);
		}
		fir_multiply_four(sums, x, rows, fir->stride);
		for (size_t i = 0; i < group; ++i)
			out[n + i] = fir_to_sample(sums[i]);
	}
}

/* Interpolates between two rows, two outputs at a time. */
INLINE void fir_convolve_between(const struct fir *fir, int16_t *out, size_t count,
				 struct fir_position at)
{
	unsigned whole = fir->step / fir->phases, part = fir->step % fir->phases;

	for (size_t n = 0; n < count; n += 2) {
		size_t group = count - n < 2 ? 1 : 2;
		const float *x[4], *rows[4];
		float sums[4], weights[2];

		for (size_t i = 0; i < 2; ++i) {
			unsigned scaled = at.phase * fir->rows;

			x[2 * i] = x[2 * i + 1] = at.x;
			rows[2 * i] = fir->coefs + (size_t)(scaled / fir->phases) * fir->stride;
			rows[2 * i + 1] = rows[2 * i] + fir->stride;
			weights[i] = (float)(scaled % fir->phases) / (float)fir->phases;
			if (group == 2)
				fir_advance(&at, fir, whole, part);
		}
		fir_multiply_four(sums, x, rows, fir->stride);
		for (size_t i = 0; i < group; ++i)
			out[n + i] = fir_to_sample(sums[2 * i] +
						   weights[i] * (sums[2 * i + 1] - sums[2 * i]));
	}
}

INLINE void fir_convolve_inline(const struct fir *fir, int16_t *out, size_t count, const float *x,
				unsigned phase)
{
	struct fir_position at = {x, phase};

	if (fir->interpolates)
		fir_convolve_between(fir, out, count, at);
	else
		fir_convolve_exact(fir, out, count, at);
}

void fir_convolve_portable(const struct fir *fir, int16_t *out, size_t count, const float *x,
			   unsigned phase)
{
	fir_convolve_inline(fir, out, count, x, phase);
}

#if defined(__x86_64__)

__attribute__((target("avx2,fma"))) static void
fir_convolve_avx2(const struct fir *fir, int16_t *out, size_t count, const float *x, unsigned phase)
{
	fir_convolve_inline(fir, out, count, x, phase);
}

void fir_convolve(const struct fir *fir, int16_t *out, size_t count, const float *x, unsigned phase)
{
	if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
		fir_convolve_avx2(fir, out, count, x, phase);
	else
		fir_convolve_portable(fir, out, count, x, phase);
}

#else

void fir_convolve(const struct fir *fir, int16_t *out, size_t count, const float *x, unsigned phase)
{
	fir_convolve_portable(fir, out, count, x, phase);
}

#endif
