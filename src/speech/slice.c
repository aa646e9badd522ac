/*
 * slice.c: how much a job may make before the scheduler decides again.
 *
 * Cheap engines make samples one by one, and a slice is about a millisecond of
 * their work.  Expensive engines make samples in windows of up to a second and
 * more.  Such an engine begins a window when it has any credit at all, cannot be
 * interrupted during it, and says how many of its samples the credit did not
 * cover (MADE).  So the scheduler can only decide between windows, whatever credit
 * it grants, and two things follow.  The credit is as small as for other engines,
 * so that no second window begins without a decision.  And the samples that it did
 * not cover are fetched at once, while the job still has its slot: they must not
 * wait in the worker until the windows of other jobs are made, while their
 * listener runs out of audio.
 */
#include "speech/pool_private.h"

/* The first slice of a chunk: enough for the first frames to be sent. */
#define SLICE_FIRST_MS 100
/* The bounds of a later slice: with shorter ones switching between jobs costs more than it gains;
 * longer ones would fill the client's output buffer. */
#define SLICE_MIN_MS 100
#define SLICE_MAX_MS 1500

/* Samples that have been made are fetched in steps of this size, so that a listener that becomes full
 * is not sent much more. */
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
