/*
 * resample.c: converts one sample rate to another (see resample.h).
 *
 *     past (the last 2 × half - 1 inputs), block of input, zeros at the end of a chunk
 *                                                        ^ in_count
 *
 * The position of an output follows from its number alone, so the state consists only of
 * counters and the past samples.
 */
#include "audio/resample.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "audio/fir.h"
#include "base/mem.h"

/* Inputs converted at a time, which limits the stack to 6 KiB. */
#define BLOCK 1024u

/* Tables kept per thread: five rates of clients times the few of engines. The largest takes
 * 256 KiB, most take 50 to 150. */
#define TABLES_MAX 16u

struct resample {
	struct fir *fir; /* NULL: equal rates */
	uint64_t in_count;
	uint64_t out_count;
	size_t past_len;
	int16_t past[];
};

/* most recently used first, then NULL */
static _Thread_local struct fir *resample_tables[TABLES_MAX];

static void resample_move_to_front(struct fir *fir, size_t from)
{
	memmove(&resample_tables[1], &resample_tables[0], from * sizeof(resample_tables[0]));
	resample_tables[0] = fir;
}

/* Borrows the table of a pair of rates, which is made if this thread has none. */
static int resample_table_get(struct fir **firp, unsigned in_rate, unsigned out_rate)
{
	struct fir *fir;
	size_t i;
	int err;

	for (i = 0; i < TABLES_MAX && resample_tables[i]; ++i) {
		if (resample_tables[i]->in_rate == in_rate &&
		    resample_tables[i]->out_rate == out_rate) {
			resample_move_to_front(resample_tables[i], i);
			*firp = resample_tables[0];
			return 0;
		}
	}
	err = fir_alloc(&fir, in_rate, out_rate);
	if (err)
		return err;
	if (i == TABLES_MAX)
		mem_deref(resample_tables[--i]);
	resample_move_to_front(fir, i);
	*firp = fir;
	return 0;
}

void resample_forget(void)
{
	for (size_t i = 0; i < TABLES_MAX; ++i)
		resample_tables[i] = mem_deref(resample_tables[i]);
}

static void resample_destroy(void *object)
{
	struct resample *resample = object;

	mem_deref(resample->fir);
}

int resample_alloc(struct resample **resamplep, unsigned in_rate, unsigned out_rate)
{
	struct resample *resample;
	struct fir *fir = NULL;
	size_t past_len = 0;
	int err;

	if (in_rate < FIR_RATE_MIN || in_rate > FIR_RATE_MAX)
		return EINVAL;
	if (in_rate != out_rate) {
		err = resample_table_get(&fir, in_rate, out_rate);
		if (err)
			return err;
		past_len = 2 * fir->half - 1;
	}
	resample = mem_zalloc(sizeof(*resample) + past_len * sizeof(int16_t), resample_destroy);
	if (!resample)
		return ENOMEM;
	resample->fir = mem_ref(fir);
	resample->past_len = past_len;
	*resamplep = resample;
	return 0;
}

/* floor(samples in × ratio): the outputs due after the end of a chunk. */
static uint64_t resample_due_after(const struct resample *resample, uint64_t in_count)
{
	return resample->fir ? in_count * resample->fir->phases / resample->fir->step : in_count;
}

size_t resample_room(const struct resample *resample, size_t count)
{
	return (size_t)(resample_due_after(resample, resample->in_count + count) -
			resample->out_count);
}

static void resample_to_float(float *to, const int16_t *from, size_t count)
{
	for (size_t i = 0; i < count; ++i)
		to[i] = from[i];
}

/* Makes the outputs up to number `end`.  x begins past_len samples before
 * in_count; an output lies on input `at` and its first tap half - 1 before. */
static size_t resample_make_until(struct resample *resample, int16_t *out, const float *x,
				  uint64_t end)
{
	const struct fir *fir = resample->fir;
	uint64_t phases = resample->out_count * fir->step;
	uint64_t at = phases / fir->phases;
	size_t count;

	if (end <= resample->out_count)
		return 0;
	assert(at + fir->half >= resample->in_count);
	count = (size_t)(end - resample->out_count);
	fir_convolve(fir, out, count, x + (at + fir->half - resample->in_count),
		     (unsigned)(phases % fir->phases));
	resample->out_count = end;
	return count;
}

static size_t resample_write_block(struct resample *resample, int16_t *out, const int16_t *in,
				   size_t count)
{
	const struct fir *fir = resample->fir;
	float x[FIR_TAPS_MAX + BLOCK + FIR_PAD];
	uint64_t in_count = resample->in_count + count;
	uint64_t ready = 0; /* outputs whose look-ahead is within the first in_count inputs */
	size_t keep = count < resample->past_len ? resample->past_len - count : 0;
	size_t fresh = resample->past_len - keep;
	size_t made;

	if (in_count > fir->half)
		ready = ((in_count - fir->half) * fir->phases + fir->step - 1) / fir->step;
	resample_to_float(x, resample->past, resample->past_len);
	resample_to_float(x + resample->past_len, in, count);
	memset(x + resample->past_len + count, 0, FIR_PAD * sizeof(*x));
	made = resample_make_until(resample, out, x, ready);
	memmove(resample->past, resample->past + fresh, keep * sizeof(*in));
	memcpy(resample->past + keep, in + count - fresh, fresh * sizeof(*in));
	resample->in_count = in_count;
	return made;
}

size_t resample_write(struct resample *resample, int16_t *out, const int16_t *in, size_t count)
{
	size_t made = 0;

	if (!resample->fir) { /* the rates are equal */
		if (count > 0)
			memcpy(out, in, count * sizeof(*in));
		resample->in_count += count;
		resample->out_count += count;
		return count;
	}
	while (count > 0) {
		size_t block = count < BLOCK ? count : BLOCK;

		made += resample_write_block(resample, out + made, in, block);
		in += block;
		count -= block;
	}
	return made;
}

size_t resample_end_chunk(struct resample *resample, int16_t *out)
{
	float x[FIR_TAPS_MAX + FIR_TAPS_MAX / 2 + FIR_PAD];

	if (!resample->fir)
		return 0;
	resample_to_float(x, resample->past, resample->past_len);
	memset(x + resample->past_len, 0, (resample->fir->half + FIR_PAD) * sizeof(*x));
	return resample_make_until(resample, out, x,
				   resample_due_after(resample, resample->in_count));
}

void resample_rest(struct resample *resample)
{
	memset(resample->past, 0, resample->past_len * sizeof(resample->past[0]));
}
