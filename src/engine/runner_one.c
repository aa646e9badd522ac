/*
 * runner_one.c: serving an engine that speaks one text at a time.
 *
 * One thread and no lock: this is the path of engines so fast that a system
 * call per frame would show.  The job at the head of the list is the one that
 * runs.  While the engine runs, messages are read whenever it calls its sink.
 */
#include <assert.h>
#include <errno.h>

#include "base/clock.h"
#include "base/mem.h"
#include "engine/runner_parts.h"

/* What is collected leaves after some time, in which a cancel waits to be read:
 * little at first, while the listener has little to hear yet, then twice as
 * much each time. */
#define FLUSH_FIRST_US 1000u
#define FLUSH_LAST_US 8000u

static struct job *first_job(const struct runner *runner)
{
	struct link *link = list_first(&runner->jobs);

	return link ? LIST_OBJECT(link, struct job, link) : NULL;
}

/* An engine uses its sink inside speak only. */
static struct job *running_job(const struct runner *runner)
{
	struct job *job = first_job(runner);

	assert(job && job->begun);
	return job;
}

static struct runner *runner_of(struct sink *sink)
{
	return (struct runner *)(void *)sink;
}

static void engine_pauses(const struct runner *runner, struct job *job)
{
	job->busy_us += clock_monotonic_us() - runner->resumed_us;
}

static void engine_resumes(struct runner *runner)
{
	runner->resumed_us = clock_monotonic_us();
}

static int end_cancelled(struct runner *runner)
{
	int err = runner_end_cancelled(runner);

	if (!err && runner->out.len > 0)
		err = runner_flush(runner);
	return err;
}

/* The first samples of a job leave at once; after that a system call a frame
 * would cost a fast engine a fifth of its speed, so what it makes in some
 * milliseconds leaves together. */
static bool is_time_to_flush(const struct runner *runner)
{
	return runner->flush_after_us == 0 || runner->out.len >= RUNNER_FLUSH_LEN ||
	       clock_monotonic_us() >= runner->flushed_us + runner->flush_after_us;
}

static void flush_later(struct runner *runner)
{
	uint64_t after_us = runner->flush_after_us ? 2 * runner->flush_after_us : FLUSH_FIRST_US;

	runner->flush_after_us = after_us < FLUSH_LAST_US ? after_us : FLUSH_LAST_US;
}

/* Talks to the server: sends what was collected and reads what has come. */
static int meet_server(struct runner *runner)
{
	int err = runner_flush(runner);

	flush_later(runner);
	if (!err)
		err = runner_read(runner);
	if (!err)
		err = runner_take(runner);
	if (!err)
		err = end_cancelled(runner);
	return err;
}

static int wait_for_credit(struct runner *runner)
{
	int err = runner_flush(runner);

	if (!err)
		err = runner_wait(runner, false);
	if (!err)
		err = end_cancelled(runner);
	return err;
}

static int push_audio(struct runner *runner, struct job *job, const int16_t *samples, size_t n)
{
	size_t done = job_skip(job, n);
	int err = 0;

	while (done < n && !job->cancelled && !err) {
		size_t sent = 0;

		if (runner->closed)
			runner_leave(runner, 0);
		err = job_put_audio(job, &runner->out, &sent, samples + done, n - done);
		if (!err && sent == 0)
			err = wait_for_credit(runner);
		else if (!err && runner->out.len >= RUNNER_FLUSH_LEN)
			err = meet_server(runner);
		done += sent;
	}
	return err;
}

/* The sink's audio: the place where a running engine meets the server. */
static int one_audio(struct sink *sink, const int16_t *samples, size_t n)
{
	struct runner *runner = runner_of(sink);
	struct job *job = running_job(runner);
	int err;

	engine_pauses(runner, job);
	err = push_audio(runner, job, samples, n);
	if (!err && is_time_to_flush(runner))
		err = meet_server(runner);
	if (err || runner->closed)
		runner_leave(runner, err);
	engine_resumes(runner);
	return job->cancelled;
}

/* What was collected leaves, because a costly block follows. */
static int one_wait(struct sink *sink, uint64_t *skip)
{
	struct runner *runner = runner_of(sink);
	struct job *job = running_job(runner);
	int err;

	engine_pauses(runner, job);
	err = meet_server(runner);
	while (!err && !runner->closed && !job->cancelled && job->skip == 0 && job->credit == 0)
		err = wait_for_credit(runner);
	if (err || runner->closed)
		runner_leave(runner, err);
	*skip = job->skip;
	engine_resumes(runner);
	return job->cancelled;
}

static int one_word(struct sink *sink, size_t byte_start, size_t byte_end, uint64_t sample_start,
		    uint64_t sample_end)
{
	struct runner *runner = runner_of(sink);
	struct job *job = running_job(runner);
	const struct message_word word = {(uint32_t)byte_start, (uint32_t)byte_end, sample_start,
					  sample_end};
	int err = 0;

	if (!job->text.want_words || job->cancelled)
		return job->cancelled;
	if (runner->out.len >= RUNNER_FLUSH_LEN)
		err = runner_flush(runner);
	if (!err)
		err = job_put_word(job, &runner->out, &word);
	if (err)
		runner_leave(runner, err);
	return job->cancelled;
}

static int speak(struct runner *runner, struct job *job)
{
	int err = runner_limit_cpu(runner->cpu_seconds);
	int failure;

	if (err)
		return err;
	job->begun = true;
	runner->flush_after_us = 0;
	engine_resumes(runner);
	failure = runner->engine->speak(runner->state, &job->text, &runner->sink);
	engine_pauses(runner, job);
	err = runner_limit_cpu(0);
	return err ? err : job_put_end(job, &runner->out, failure);
}

static int run_jobs(struct runner *runner)
{
	struct job *job;
	int err = end_cancelled(runner);

	while (!err && (job = first_job(runner))) {
		if (runner_find_voice(runner, job))
			err = speak(runner, job);
		else
			err = job_put_done(job, &runner->out, MESSAGE_DONE_UNKNOWN_VOICE,
					   job->text.voice);
		if (!err)
			err = runner_flush(runner);
		list_remove(&runner->jobs, &job->link);
		mem_deref(job);
		if (!err)
			err = end_cancelled(runner);
	}
	return err;
}

int runner_one_serve(struct runner *runner)
{
	int err = 0;

	while (!err && !runner->closed) {
		bool was_greeted = runner->greeted;

		err = runner_wait(runner, false);
		if (!err && runner->greeted && !was_greeted)
			err = runner_answer_hello(runner);
		if (!err)
			err = run_jobs(runner);
	}
	return err;
}

void runner_one_init(struct runner *runner)
{
	runner->sink = (struct sink){.wait = one_wait, .audio = one_audio, .word = one_word};
}
