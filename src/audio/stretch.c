/*
 * stretch.c: changes the tempo at the same pitch (see stretch.h).
 *
 * libsonic works in whole pitch periods, so its count deviates by up to one of them, and its
 * own flush cuts off real samples to compensate for that. Here it is never flushed: the end
 * of a chunk pushes zeros in until the exact count is reached, and the rest is discarded
 * with the stream. A stream is used for one chunk: chunks begin and end in silence, where
 * periods do not matter.
 */
#include "audio/stretch.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include <sonic.h>

#include "base/mem.h"

/* Samples given to libsonic at a time, which limits its buffers. */
#define BLOCK 512u

/* The last samples of a chunk are faded over 2 ms: when the count is made
 * exact, what is cut off may not have been quite silent. */
#define FADE_PER_S 500u

/* What is made is in its place just before a period is put in or left out, and a
 * period late or early just after: between these lies half of one, 4 ms at the
 * pitch of most voices. */
#define SKEW_MS 4

/* Zeros that a chunk's end may take: libsonic wants to see two of the longest periods (65 Hz),
 * 1478 samples at 48 kHz, and may be one of them behind, which is four times as much input at
 * the highest speed: 4434 in all. */
#define DRAIN_BLOCKS 10

struct stretch {
	sonicStream stream; /* NULL between chunks */
	unsigned sample_rate;
	unsigned speed;
	bool ended;
	uint64_t in_count;
	uint64_t out_count;
};

static void stretch_close_stream(struct stretch *stretch)
{
	if (stretch->stream)
		sonicDestroyStream(stretch->stream);
	stretch->stream = NULL;
}

static void stretch_destroy(void *object)
{
	stretch_close_stream(object);
}

int stretch_alloc(struct stretch **stretchp, unsigned sample_rate, unsigned speed)
{
	struct stretch *stretch;

	if (speed < STRETCH_MIN || speed > STRETCH_MAX)
		return EINVAL;
	stretch = mem_zalloc(sizeof(*stretch), stretch_destroy);
	if (!stretch)
		return ENOMEM;
	stretch->sample_rate = sample_rate;
	stretch->speed = speed;
	*stretchp = stretch;
	return 0;
}

/* floor(samples in ÷ speed), minus the samples already returned. */
static uint64_t stretch_owed(const struct stretch *stretch, size_t count)
{
	return (stretch->in_count + count) * STRETCH_UNIT / stretch->speed - stretch->out_count;
}

size_t stretch_room(const struct stretch *stretch, size_t count)
{
	return (size_t)stretch_owed(stretch, count);
}

static int stretch_open_stream(struct stretch *stretch)
{
	stretch->stream = sonicCreateStream((int)stretch->sample_rate, 1);
	if (!stretch->stream)
		return ENOMEM;
	sonicSetSpeed(stretch->stream, (float)stretch->speed / (float)STRETCH_UNIT);
	stretch->ended = false;
	return 0;
}

int stretch_write(struct stretch *stretch, const int16_t *in, size_t count)
{
	short block[BLOCK]; /* libsonic's parameter is not const */

	if (count > 0 && !stretch->stream && stretch_open_stream(stretch))
		return ENOMEM;
	while (count > 0) {
		size_t n = count < BLOCK ? count : BLOCK;

		memcpy(block, in, n * sizeof(*in));
		if (!sonicWriteShortToStream(stretch->stream, block, (int)n))
			return ENOMEM;
		stretch->in_count += n;
		in += n;
		count -= n;
	}
	return 0;
}

int stretch_end_chunk(struct stretch *stretch)
{
	short zeros[BLOCK] = {0};

	if (!stretch->stream)
		return 0;
	stretch->ended = true;
	for (int i = 0; i < DRAIN_BLOCKS; ++i) {
		if ((uint64_t)sonicSamplesAvailable(stretch->stream) >= stretch_owed(stretch, 0))
			break;
		if (!sonicWriteShortToStream(stretch->stream, zeros, (int)BLOCK))
			return ENOMEM;
	}
	return 0;
}

/* `left` samples of the chunk remain, the first of them at out. */
static void stretch_fade(const struct stretch *stretch, int16_t *out, size_t count, uint64_t left)
{
	uint64_t length = stretch->sample_rate / FADE_PER_S;

	for (size_t i = 0; i < count; ++i) {
		uint64_t remaining = left - i;

		if (remaining <= length)
			out[i] = (int16_t)(out[i] * (int)(remaining - 1) / (int)length);
	}
}

size_t stretch_read(struct stretch *stretch, int16_t *out, size_t max)
{
	uint64_t left = stretch_owed(stretch, 0);
	size_t want = left < max ? (size_t)left : max;
	size_t count;

	if (!stretch->stream)
		return 0;
	/* In slow speech libsonic may be ahead of the exact count; the surplus waits. */
	count = (size_t)sonicReadShortFromStream(stretch->stream, out, (int)want);
	if (stretch->ended) { /* the count is exact even if libsonic returned too few */
		memset(out + count, 0, (want - count) * sizeof(*out));
		count = want;
		stretch_fade(stretch, out, count, left);
	}
	stretch->out_count += count;
	if (stretch->ended && count == left)
		stretch_close_stream(stretch);
	return count;
}

uint64_t stretch_place(unsigned sample_rate, unsigned speed, uint64_t sample)
{
	uint64_t place = sample * STRETCH_UNIT / speed;
	uint64_t skew = (uint64_t)sample_rate * SKEW_MS / 1000;

	if (sample == 0 || speed == STRETCH_UNIT)
		return place;
	if (speed < STRETCH_UNIT)
		return place + skew;
	return place > skew ? place - skew : 0;
}
