/*
 * slice.c: how much a job may make before it is looked at again.
 *
 * Cheap engines make samples one by one, and a slice is a time: about a
 * millisecond of their work.  An engine whose samples cost much makes them in
 * windows of up to a second and more.  It begins one when it has any credit at
 * all and cannot be stopped in it; the samples that its credit does not cover
 * stay with it.  For the scheduler a window is then the slice, whatever was
 * granted, and two things follow.  The grant is as small as any, so that no
 * second window begins unasked.  And what the window made is sent for at once,
 * step by step, while the job still has its slot: samples that exist must not
 * wait in the worker behind the windows of others, until their listener has
 * run dry beside them.
 *
 * How much is there nobody says, but the time that the engine has worked does:
 * time divided by what a second of audio costs is what was made.  That is a
 * little low, because what a chunk costs before its first sample is in the
 * price too: later grants fetch the rest, while a guess too high would begin a
 * window unasked.  The first window of a chunk cannot be told from the work
 * before it; how long it is was seen at the chunks before.
 */
#include "synth/pool_private.h"

/* The first slice of a chunk: enough for the first frames to leave. */
#define SLICE_FIRST_MS 100
/* A later slice lies within these bounds: below, switching costs more than it
 * gains; above, the client's window is full anyway. */
#define SLICE_MIN_MS 100
#define SLICE_MAX_MS 1500

/* Engines whose smallest slice takes longer than this are taken to work in
 * windows: no other is so slow. */
#define WINDOW_COST_US 5000

/* What is sent from one window differs in its engine time by less than this. */
#define SAME_WORK_US 2000

/* No window is longer. */
#define STOCK_MAX_MS 2000

static unsigned rate_of(const struct speech_job *job)
{
	return job->sample_rate ? job->sample_rate : job->voice_rate;
}

static uint32_t samples_of(const struct speech_job *job, uint64_t ms)
{
	return (uint32_t)(rate_of(job) * ms / 1000u);
}

uint32_t slice_samples(const struct speech_job *job, unsigned work_us)
{
	uint64_t ms = SLICE_FIRST_MS;

	if (job->received > 0) {
		ms = (uint64_t)work_us * 1000u / (job->fleet->busy_us_per_second + 1);
		if (ms < SLICE_MIN_MS)
			ms = SLICE_MIN_MS;
		if (ms > SLICE_MAX_MS)
			ms = SLICE_MAX_MS;
	}
	return samples_of(job, ms);
}

static bool works_in_windows(const struct fleet *fleet)
{
	return fleet->busy_us_per_second / 1000u * SLICE_MIN_MS > WINDOW_COST_US;
}

void slice_granted(struct speech_job *job, uint32_t credit)
{
	if (job->seat->credit == 0) {
		job->slice_len = 0;
		job->slice_busy_us = job->busy_us;
	}
	job->slice_len += credit;
}

/* Samples that come without more work are still of the first window. */
void slice_heard(struct speech_job *job, const struct message_audio *audio)
{
	struct fleet *fleet = job->fleet;

	if (job->first_window_known || job->retried || !works_in_windows(fleet))
		return;
	if (job->received == 0) {
		job->first_busy_us = audio->busy_us;
	} else if (audio->busy_us > job->first_busy_us + SAME_WORK_US) {
		job->first_window_known = true;
		fleet->first_window_us = job->received * 1000000u / audio->sample_rate;
	}
}

/* Of a chunk that is made again the first slice also paid for what was skipped. */
static uint64_t made_in_slice(const struct speech_job *job)
{
	uint64_t worked_us = job->busy_us - job->slice_busy_us;

	if (job->slice_busy_us > 0)
		return worked_us * rate_of(job) / (job->fleet->busy_us_per_second + 1);
	if (job->received > job->slice_len)
		return 0;
	return job->fleet->first_window_us * rate_of(job) / 1000000u;
}

uint32_t slice_spent(struct speech_job *job)
{
	uint64_t made = made_in_slice(job);
	uint64_t most = samples_of(job, STOCK_MAX_MS);
	uint32_t step = samples_of(job, SLICE_MIN_MS);

	if (!works_in_windows(job->fleet))
		return 0;
	if (made > job->slice_len + (uint64_t)step)
		job->stock = made - job->slice_len;
	else
		job->stock -= job->stock < job->slice_len ? job->stock : job->slice_len;
	if (job->stock > most)
		job->stock = most;
	return job->stock < step ? 0 : step;
}
