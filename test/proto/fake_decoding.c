/*
 * fake_decoding.c: a struct decoding whose files are text (see fake_decoding.h).
 */
#include "fake_decoding.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fake_hearing.h"

#define AUDIO_MAX (300u * DECODING_RATE)
#define TEXT_MAX 4096u /* the longest file that is decoded; longer ones are only counted */

struct decoding_job {
	struct link link;
	struct fake_decoding *fake;
	const struct decoding_listener *listener;
	void *arg;
	char text[TEXT_MAX + 1];
	size_t len; /* all bytes of the file */
	size_t taken; /* bytes since the last `room` */
	bool is_finished, is_gone, is_busy;
	int16_t *samples; /* NULL: not decoded yet */
	size_t count, given, granted;
};

static struct fake_decoding *fake_of(const struct decoding *decoding)
{
	return (struct fake_decoding *)(uintptr_t)decoding;
}

static void free_job(struct decoding_job *job)
{
	list_remove(&job->fake->jobs, &job->link);
	free(job->samples);
	free(job);
}

static int on_start(struct decoding_job **jobp, struct decoding *decoding, const char *format,
		    const struct decoding_listener *listener, void *arg)
{
	struct fake_decoding *fake = fake_of(decoding);
	struct decoding_job *job;

	if (fake->is_missing || fake->is_full)
		return fake->is_missing ? ENOENT : ENOBUFS;
	job = calloc(1, sizeof(*job));
	if (!job)
		return ENOMEM;
	job->fake = fake;
	job->listener = listener;
	job->arg = arg;
	snprintf(fake->format, sizeof(fake->format), "%s", format);
	list_append(&fake->jobs, &job->link);
	++fake->started;
	*jobp = job;
	return 0;
}

static size_t on_room(const struct decoding_job *job)
{
	size_t most = DECODING_FILE_MAX - job->len; /* as the worker, which grants no more */

	if (job->fake->room > 0 && job->fake->room - job->taken < most)
		most = job->fake->room - job->taken;
	return most;
}

static int on_send(struct decoding_job *job, const void *bytes, size_t len)
{
	size_t kept = job->len < TEXT_MAX ? TEXT_MAX - job->len : 0;

	assert(!job->is_finished && len <= on_room(job));
	if (job->len + len > DECODING_FILE_MAX)
		return EFBIG;
	if (job->len < TEXT_MAX)
		memcpy(job->text + job->len, bytes, len < kept ? len : kept);
	job->len += len;
	job->taken += len;
	return 0;
}

static void on_finish(struct decoding_job *job, const char *format)
{
	job->is_finished = true;
	if (format[0])
		snprintf(job->fake->format, sizeof(job->fake->format), "%s", format);
}

static void on_grant(struct decoding_job *job, uint32_t samples)
{
	job->granted += samples;
}

static void on_cancel(struct decoding_job *job)
{
	++job->fake->cancelled;
	job->is_gone = true;
	if (!job->is_busy)
		free_job(job);
}

static enum decoding_state on_state(const struct decoding *decoding)
{
	return fake_of(decoding)->is_missing ? DECODING_NO_ENGINE : DECODING_READY;
}

static const struct decoding_ops fake_ops = {
	.start = on_start,
	.room = on_room,
	.send = on_send,
	.finish = on_finish,
	.grant = on_grant,
	.cancel = on_cancel,
	.state = on_state,
};

void fake_decoding_open(struct fake_decoding *fake)
{
	*fake = (struct fake_decoding){.decoding = {.ops = &fake_ops}};
	list_init(&fake->jobs);
}

void fake_decoding_close(struct fake_decoding *fake)
{
	assert(fake->jobs.count == 0);
}

static bool end_job(struct decoding_job *job, enum decoding_end how, const char *detail)
{
	const struct decoding_listener *listener = job->listener;
	void *arg = job->arg;

	free_job(job);
	listener->end(arg, how, detail);
	return true;
}

static bool give_samples(struct decoding_job *job)
{
	size_t count = job->count - job->given;

	if (count > job->granted)
		count = job->granted;
	if (count > DECODING_RATE / 4)
		count = DECODING_RATE / 4;
	if (count == 0)
		return false;
	job->given += count;
	job->granted -= count;
	job->listener->samples(job->arg, job->samples + job->given - count, count);
	return true;
}

static bool give_room(struct decoding_job *job)
{
	if (job->is_finished || on_room(job) > 0 || job->len == DECODING_FILE_MAX)
		return false;
	job->taken = 0;
	job->listener->room(job->arg);
	return true;
}

static bool give_job(struct decoding_job *job)
{
	static const struct {
		const char *file;
		enum decoding_end how;
		const char *detail;
	} ends[] = {
		{"bad", DECODING_REFUSED, "the file is none of the formats that are known"},
		{"die", DECODING_FAILED, ""},
		{"away", DECODING_UNAVAILABLE, ""},
	};
	bool is_given;

	for (size_t i = 0; job->is_finished && i < sizeof(ends) / sizeof(ends[0]); ++i) {
		if (strcmp(job->text, ends[i].file) == 0)
			return end_job(job, ends[i].how, ends[i].detail);
	}
	if (job->is_finished && !job->samples) {
		job->samples = malloc(AUDIO_MAX * sizeof(*job->samples));
		assert(job->samples);
		job->count = fake_hearing_say(job->samples, AUDIO_MAX,
					      job->len <= TEXT_MAX ? job->text : "");
	}
	if (job->is_finished && job->given == job->count)
		return end_job(job, DECODING_DONE, "");
	job->is_busy = true;
	is_given = job->samples ? give_samples(job) : give_room(job);
	job->is_busy = false;
	if (job->is_gone)
		free_job(job);
	return is_given;
}

bool fake_decoding_give(struct fake_decoding *fake)
{
	struct link *next = list_first(&fake->jobs);
	bool is_given = false;

	while (next) {
		struct decoding_job *job = LIST_OBJECT(next, struct decoding_job, link);

		next = list_next(&fake->jobs, next);
		is_given |= give_job(job);
	}
	return is_given;
}
