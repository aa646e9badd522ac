/*
 * slice.c: how much a job may make before it is looked at again.
 *
 * Cheap engines make samples one by one, and a slice is a time: about a
 * millisecond of their work.  An engine whose samples cost much makes them in
 * windows of up to a second and more.  It begins one when it has any credit at
 * all, cannot be stopped in it, and says how much of it its credit did not
 * cover.  For the scheduler a window is then the slice, whatever was granted,
 * and two things follow.  The grant is as small as any, so that no second window
 * begins unasked.  And what the window made is sent for at once, while the job
 * still has its slot: samples that exist must not wait in the worker until the
 * windows of others are made, while their listener runs dry.
 */
#include "speech/pool_private.h"

/* The first slice of a chunk: enough for the first frames to leave. */
#define SLICE_FIRST_MS 100
/* A later slice lies within these bounds: below, switching costs more than it
 * gains; above, the client's window is full anyway. */
#define SLICE_MIN_MS 100
#define SLICE_MAX_MS 1500

/* Samples that are there are fetched in steps of this, so that a listener who
 * cannot take more is not sent much more. */
#define FETCH_MS 500

static uint32_t slice_of_ms(const struct speech_job *job, uint64_t ms)
{
	unsigned rate = job->sample_rate ? job->sample_rate : job->voice_rate;

	return (uint32_t)(rate * ms / 1000u);
}

uint32_t slice_samples(const struct speech_job *job, unsigned work_us)
{
	uint64_t ms = SLICE_FIRST_MS;

	if (job->received > 0) {
		ms = (uint64_t)work_us * 1000u / (job->synthesizer->busy_us_per_second + 1);
		if (ms < SLICE_MIN_MS)
			ms = SLICE_MIN_MS;
		if (ms > SLICE_MAX_MS)
			ms = SLICE_MAX_MS;
	}
	return slice_of_ms(job, ms);
}

uint32_t slice_stock(struct speech_job *job)
{
	uint32_t step = slice_of_ms(job, FETCH_MS);
	uint32_t fetched = job->stock < step ? job->stock : step;

	job->stock -= fetched;
	return fetched;
}
