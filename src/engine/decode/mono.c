/*
 * mono.c: turns any audio into samples that are listened to (see mono.h).
 *
 *     192 kHz stereo -> 192 kHz mono -> 96 kHz -> 16 kHz
 *
 * A resampler knows only the ratio of two rates between 8 and 48 kHz. So 96 to 16 kHz is done as 48 to
 * 8 kHz, and halving as 48 to 24 kHz.
 */
#include "engine/decode/mono.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "audio/resample.h"
#include "base/mem.h"

/* 768 kHz is halved three times, 1 kHz doubled twice, and one more resampler does the rest. */
#define STAGES_MAX 4u

struct mono {
	unsigned channels;
	unsigned stage_count;
	struct resample *stages[STAGES_MAX];
	int16_t buffers[2][MONO_SAMPLES_MAX]; /* between two stages */
};

static void mono_destroy(void *object)
{
	struct mono *mono = object;

	for (unsigned i = 0; i < mono->stage_count; ++i)
		mem_deref(mono->stages[i]);
}

static int mono_add_stage(struct mono *mono, unsigned in_rate, unsigned out_rate)
{
	int err;

	assert(mono->stage_count < STAGES_MAX);
	err = resample_alloc(&mono->stages[mono->stage_count], in_rate, out_rate);
	if (!err)
		++mono->stage_count;
	return err;
}

static int mono_add_stages(struct mono *mono, unsigned rate)
{
	int err = 0;

	/* A rate that is odd is rounded, which in an hour of audio makes a difference of less than
	 * 40 ms; no recorder has such a rate. */
	for (; !err && rate > 96000; rate = (rate + 1) / 2)
		err = mono_add_stage(mono, 48000, 24000);
	for (; !err && rate < 4000; rate *= 2)
		err = mono_add_stage(mono, 8000, 16000);
	if (!err && rate > 48000)
		err = mono_add_stage(mono, (rate + 1) / 2, MONO_RATE / 2);
	else if (!err && rate < 8000)
		err = mono_add_stage(mono, 2 * rate, 2 * MONO_RATE);
	else if (!err && rate != MONO_RATE)
		err = mono_add_stage(mono, rate, MONO_RATE);
	return err;
}

int mono_alloc(struct mono **monop, unsigned rate, unsigned channels)
{
	struct mono *mono;
	int err;

	if (rate < MONO_RATE_MIN || rate > MONO_RATE_MAX || channels == 0)
		return EINVAL;
	mono = mem_zalloc(sizeof(*mono), mono_destroy);
	if (!mono)
		return ENOMEM;
	mono->channels = channels;
	err = mono_add_stages(mono, rate);
	if (err)
		mem_deref(mono);
	else
		*monop = mono;
	return err;
}

static int16_t mono_to_sample(float value)
{
	if (isnan(value))
		return 0;
	value *= 32768;
	if (value >= INT16_MAX)
		return INT16_MAX;
	return value <= INT16_MIN ? INT16_MIN : (int16_t)lrintf(value);
}

static void mono_mix(const struct mono *mono, int16_t *out, const float *frames, size_t count)
{
	for (size_t i = 0; i < count; ++i) {
		float sum = 0;

		for (unsigned c = 0; c < mono->channels; ++c)
			sum += *frames++;
		out[i] = mono_to_sample(sum / (float)mono->channels);
	}
}

/* Sends the samples in the first buffer through all stages; `ends` also returns what the stages keep
 * back. */
static size_t mono_convert(struct mono *mono, int16_t *out, size_t count, bool ends)
{
	for (unsigned i = 0; i < mono->stage_count; ++i) {
		const int16_t *in = mono->buffers[i % 2];
		int16_t *to = i + 1 == mono->stage_count ? out : mono->buffers[(i + 1) % 2];

		assert(resample_room(mono->stages[i], count) <= MONO_SAMPLES_MAX);
		count = resample_write(mono->stages[i], to, in, count);
		if (ends)
			count += resample_end_chunk(mono->stages[i], to + count);
	}
	if (mono->stage_count == 0)
		memcpy(out, mono->buffers[0], count * sizeof(*out));
	return count;
}

size_t mono_write(struct mono *mono, int16_t *out, const float *frames, size_t count)
{
	assert(count <= MONO_FRAMES_MAX);
	mono_mix(mono, mono->buffers[0], frames, count);
	return mono_convert(mono, out, count, false);
}

size_t mono_end(struct mono *mono, int16_t *out)
{
	return mono_convert(mono, out, 0, true);
}
