/*
 * resample.c: from one sample rate to another (see resample.h).
 *
 *   past (the last 2 × half - 1 inputs) | block of input | zeros at a chunk's end
 *                                       ^ in_count
 *
 * Where the next output lies follows from its number alone, so counting is all
 * the state there is beside the past samples.
 */
#include "audio/resample.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "audio/fir.h"
#include "base/mem.h"

/* Inputs converted at a time: what bounds the stack, 6 KiB. */
#define BLOCK 1024u

/* Tables kept per thread: five rates of clients times the few of engines.  The
 * largest takes 256 KiB, most 50 to 150. */
#define TABLES_MAX 16u

struct resample {
	struct fir *fir; /* NULL: equal rates */
	uint64_t in_count;
	uint64_t out_count;
	size_t past_len;
	int16_t past[];
};

static _Thread_local struct fir *tables[TABLES_MAX]; /* last used first, then NULL */

static void move_to_front(struct fir *fir, size_t from)
{
	memmove(&tables[1], &tables[0], from * sizeof(tables[0]));
	tables[0] = fir;
}

/* Lends the table of a pair, made now if this thread has none. */
static int table_get(struct fir **firp, unsigned in_rate, unsigned out_rate)
{
	struct fir *fir;
	size_t i;
	int err;

	for (i = 0; i < TABLES_MAX && tables[i]; ++i) {
		if (tables[i]->in_rate == in_rate && tables[i]->out_rate == out_rate) {
			move_to_front(tables[i], i);
			*firp = tables[0];
			return 0;
		}
	}
	err = fir_alloc(&fir, in_rate, out_rate);
	if (err)
		return err;
	if (i == TABLES_MAX)
		mem_deref(tables[--i]);
	move_to_front(fir, i);
	*firp = fir;
	return 0;
}

void resample_forget(void)
{
	for (size_t i = 0; i < TABLES_MAX; ++i)
		tables[i] = mem_deref(tables[i]);
}

static void destroy(void *object)
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
		err = table_get(&fir, in_rate, out_rate);
		if (err)
			return err;
		past_len = 2 * fir->half - 1;
	}
	resample = mem_zalloc(sizeof(*resample) + past_len * sizeof(int16_t), destroy);
	if (!resample)
		return ENOMEM;
	resample->fir = mem_ref(fir);
	resample->past_len = past_len;
	*resamplep = resample;
	return 0;
}

/* floor(samples in × ratio), which the turn has given after a chunk's end. */
static uint64_t due_after(const struct resample *resample, uint64_t in_count)
{
	return resample->fir ? in_count * resample->fir->phases / resample->fir->step : in_count;
}

/* Outputs whose look-ahead lies within the first in_count inputs. */
static uint64_t ready_after(const struct resample *resample, uint64_t in_count)
{
	const struct fir *fir = resample->fir;

	if (in_count <= fir->half)
		return 0;
	return ((in_count - fir->half) * fir->phases + fir->step - 1) / fir->step;
}

size_t resample_room(const struct resample *resample, size_t count)
{
	return (size_t)(due_after(resample, resample->in_count + count) - resample->out_count);
}

static void to_float(float *to, const int16_t *from, size_t count)
{
	for (size_t i = 0; i < count; ++i)
		to[i] = from[i];
}

/* Makes the outputs up to number `end`.  x begins past_len samples before
 * in_count; an output lies on input `at` and its first tap half - 1 before. */
static size_t make_until(struct resample *resample, int16_t *out, const float *x, uint64_t end)
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

static void remember(struct resample *resample, const int16_t *in, size_t count)
{
	size_t keep = count < resample->past_len ? resample->past_len - count : 0;
	size_t fresh = resample->past_len - keep;

	memmove(resample->past, resample->past + fresh, keep * sizeof(*in));
	memcpy(resample->past + keep, in + count - fresh, fresh * sizeof(*in));
	resample->in_count += count;
}

static size_t write_block(struct resample *resample, int16_t *out, const int16_t *in, size_t count)
{
	float x[FIR_TAPS_MAX + BLOCK + FIR_PAD];
	size_t made;

	to_float(x, resample->past, resample->past_len);
	to_float(x + resample->past_len, in, count);
	memset(x + resample->past_len + count, 0, FIR_PAD * sizeof(*x));
	made = make_until(resample, out, x, ready_after(resample, resample->in_count + count));
	remember(resample, in, count);
	return made;
}

static size_t write_same(struct resample *resample, int16_t *out, const int16_t *in, size_t count)
{
	if (count > 0)
		memcpy(out, in, count * sizeof(*in));
	resample->in_count += count;
	resample->out_count += count;
	return count;
}

size_t resample_write(struct resample *resample, int16_t *out, const int16_t *in, size_t count)
{
	size_t made = 0;

	if (!resample->fir)
		return write_same(resample, out, in, count);
	while (count > 0) {
		size_t block = count < BLOCK ? count : BLOCK;

		made += write_block(resample, out + made, in, block);
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
	to_float(x, resample->past, resample->past_len);
	memset(x + resample->past_len, 0, (resample->fir->half + FIR_PAD) * sizeof(*x));
	return make_until(resample, out, x, due_after(resample, resample->in_count));
}

void resample_rest(struct resample *resample)
{
	memset(resample->past, 0, resample->past_len * sizeof(resample->past[0]));
}
