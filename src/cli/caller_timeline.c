/*
 * caller_timeline.c: the queue of a player on the time line of a call (see caller_timeline.h).
 */
#include "cli/caller_timeline.h"

#include <errno.h>
#include <string.h>

#define SAMPLE_LEN sizeof(int16_t)
#define SECOND_US UINT64_C(1000000)

void caller_timeline_init(struct caller_timeline *line, unsigned rate, bool is_kept)
{
	*line = (struct caller_timeline){.rate = rate, .is_kept = is_kept};
	buf_init(&line->samples, CALLER_TIMELINE_BYTES_MAX);
}

void caller_timeline_reset(struct caller_timeline *line)
{
	buf_reset(&line->samples);
}

static uint64_t caller_timeline_sample_at(const struct caller_timeline *line, uint64_t at_us)
{
	return at_us * line->rate / SECOND_US;
}

/* Rounds up, so that converting the result back gives the same sample. */
static uint64_t caller_timeline_us_at(const struct caller_timeline *line, uint64_t sample)
{
	return (sample * SECOND_US + line->rate - 1) / line->rate;
}

/* Adds samples, or silence if there are none. */
static int caller_timeline_append(struct caller_timeline *line, const int16_t *samples,
				  uint64_t count)
{
	size_t len;
	int err;

	if (!line->is_kept || line->is_cut || count == 0)
		return 0;
	if (count > (CALLER_TIMELINE_BYTES_MAX - line->samples.len) / SAMPLE_LEN) {
		line->is_cut = true;
		return 0;
	}
	len = (size_t)count * SAMPLE_LEN;
	err = buf_reserve(&line->samples, len);
	if (err)
		return err;
	if (samples)
		memcpy(line->samples.bytes + line->samples.len, samples, len);
	else
		memset(line->samples.bytes + line->samples.len, 0, len);
	line->samples.len += len;
	return 0;
}

int caller_timeline_add(uint64_t *start_us, struct caller_timeline *line, uint64_t at_us,
			const int16_t *samples, size_t count)
{
	int err = caller_timeline_extend(line, at_us);

	if (!err)
		err = caller_timeline_append(line, samples, count);
	if (err)
		return err;
	*start_us = caller_timeline_us_at(line, line->end);
	line->end += count;
	return 0;
}

void caller_timeline_drop(struct caller_timeline *line, uint64_t at_us)
{
	uint64_t sample = caller_timeline_sample_at(line, at_us);

	if (sample >= line->end)
		return;
	line->end = sample;
	if (line->samples.len > sample * SAMPLE_LEN)
		line->samples.len = (size_t)sample * SAMPLE_LEN;
}

int caller_timeline_extend(struct caller_timeline *line, uint64_t at_us)
{
	uint64_t sample = caller_timeline_sample_at(line, at_us);
	int err;

	if (sample <= line->end)
		return 0;
	err = caller_timeline_append(line, NULL, sample - line->end);
	if (!err)
		line->end = sample;
	return err;
}

uint64_t caller_timeline_end_us(const struct caller_timeline *line)
{
	return caller_timeline_us_at(line, line->end);
}

const int16_t *caller_timeline_samples(const struct caller_timeline *line, size_t *count)
{
	*count = line->samples.len / SAMPLE_LEN;
	return (const int16_t *)(const void *)line->samples.bytes;
}
