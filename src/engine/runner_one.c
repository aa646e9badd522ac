/*
 * runner_one.c: serving an engine that speaks one text at a time.
 *
 * It uses one thread and no lock, for engines so fast that even a system call per
 * frame would slow them down.  The first job of the list is the one that runs.
 * While the engine runs, messages are read only when it calls its sink.
 */
#include <assert.h>
#include <errno.h>

#include "base/clock.h"
#include "base/mem.h"
#include "engine/program.h"
#include "engine/runner_parts.h"

/* Collected messages are sent, and those of the server are read, after some time: a short one at
 * first, while the listener has little audio, then twice as long each time up to the last one.  A
 * cancel may have to wait for that long. */
#define FLUSH_FIRST_US 1000u
#define FLUSH_LAST_US 8000u

static struct engine_job *runner_one_first_job(const struct runner *runner)
{
	struct link *link = list_first(&runner->jobs);

	return link ? LIST_OBJECT(link, struct engine_job, link) : NULL;
}

/* There is always one, because an engine calls its sink only inside `speak`. */
static struct engine_job *runner_one_running_job(const struct runner *runner)
{
	struct engine_job *job = runner_one_first_job(runner);

	assert(job && job->begun);
	return job;
}

static struct runner *runner_one_of(struct sink *sink)
{
	return (struct runner *)(void *)sink;
}

/* The engine's time is the CPU time of the thread: by the clock it would grow with the load of the
 * machine, and the server would take a cheap engine for an expensive one, whose jobs must not be
 * preempted.  The two calls cost about a microsecond for each piece of audio. */
static void runner_one_engine_pauses(const struct runner *runner, struct engine_job *job)
{
	job->busy_us += clock_thread_cpu_us() - runner->resumed_us;
}

static void runner_one_engine_resumes(struct runner *runner)
{
	runner->resumed_us = clock_thread_cpu_us();
}

static int runner_one_end_cancelled(struct runner *runner)
{
	int err = runner_end_cancelled(runner);

	if (!err && runner->connection.out.len > 0)
		err = runner_flush(runner);
	return err;
}

/* The first samples of a job are sent at once.  After that, a system call for each frame would cost a
 * fast engine a fifth of its speed, so what it makes in some milliseconds is sent together. */
static bool runner_one_is_time_to_flush(const struct runner *runner)
{
	return runner->flush_after_us == 0 || runner->connection.out.len >= CONNECTION_FLUSH_LEN ||
	       clock_monotonic_us() >= runner->flushed_us + runner->flush_after_us;
}

static void runner_one_flush_later(struct runner *runner)
{
	uint64_t after_us = runner->flush_after_us ? 2 * runner->flush_after_us : FLUSH_FIRST_US;

	runner->flush_after_us = after_us < FLUSH_LAST_US ? after_us : FLUSH_LAST_US;
}

/* Sends what was collected, and handles the messages that have arrived. */
static int runner_one_exchange(struct runner *runner)
{
	int err = runner_flush(runner);

	runner_one_flush_later(runner);
	if (!err)
		err = connection_read(&runner->connection);
	if (!err)
		err = runner_take(runner);
	if (!err)
		err = runner_one_end_cancelled(runner);
	return err;
}

static int runner_one_wait_for_credit(struct runner *runner)
{
	int err = runner_flush(runner);

	if (!err)
		err = runner_wait(runner, false);
	if (!err)
		err = runner_one_end_cancelled(runner);
	return err;
}

static int runner_one_push_audio(struct runner *runner, struct engine_job *job,
				 const int16_t *samples, size_t n)
{
	size_t done = engine_job_skip(job, n);
	int err = 0;

	while (done < n && !job->cancelled && !err) {
		size_t sent = 0;

		if (runner->connection.closed)
			program_leave(runner->engine->name, 0);
		err = engine_job_put_audio(job, &runner->connection.out, &sent, samples + done,
					   n - done);
		if (!err && sent == 0)
			err = runner_one_wait_for_credit(runner);
		else if (!err && runner->connection.out.len >= CONNECTION_FLUSH_LEN)
			err = runner_one_exchange(runner);
		done += sent;
	}
	return err;
}

/* The `audio` function of the sink. */
static int runner_one_audio(struct sink *sink, const int16_t *samples, size_t n)
{
	struct runner *runner = runner_one_of(sink);
	struct engine_job *job = runner_one_running_job(runner);
	int err;

	runner_one_engine_pauses(runner, job);
	err = runner_one_push_audio(runner, job, samples, n);
	if (!err && runner_one_is_time_to_flush(runner))
		err = runner_one_exchange(runner);
	if (err || runner->connection.closed)
		program_leave(runner->engine->name, err);
	runner_one_engine_resumes(runner);
	return job->cancelled;
}

/* The `wait` function of the sink.  What was collected is sent, because an expensive block follows. */
static int runner_one_wait(struct sink *sink, uint64_t *skip)
{
	struct runner *runner = runner_one_of(sink);
	struct engine_job *job = runner_one_running_job(runner);
	int err;

	runner_one_engine_pauses(runner, job);
	err = runner_one_exchange(runner);
	while (!err && !runner->connection.closed && !job->cancelled && job->skip == 0 &&
	       job->credit == 0)
		err = runner_one_wait_for_credit(runner);
	if (err || runner->connection.closed)
		program_leave(runner->engine->name, err);
	*skip = job->skip;
	runner_one_engine_resumes(runner);
	return job->cancelled;
}

static int runner_one_word(struct sink *sink, size_t byte_start, size_t byte_end,
			   uint64_t sample_start, uint64_t sample_end)
{
	struct runner *runner = runner_one_of(sink);
	struct engine_job *job = runner_one_running_job(runner);
	const struct message_word word = {(uint32_t)byte_start, (uint32_t)byte_end, sample_start,
					  sample_end};
	int err = 0;

	if (!job->text.want_words || job->cancelled)
		return job->cancelled;
	if (runner->connection.out.len >= CONNECTION_FLUSH_LEN)
		err = runner_flush(runner);
	if (!err)
		err = engine_job_put_word(job, &runner->connection.out, &word);
	if (err)
		program_leave(runner->engine->name, err);
	return job->cancelled;
}

/* Speaks the texts of the job's turn that another worker has spoken.  Each may take as much CPU time
 * as a job, and that does not count as this job's time.  *failure is the engine's error. */
static int runner_one_replay(struct runner *runner, struct engine_job *job, int *failure)
{
	struct engine_job *earlier;
	int err = 0;

	while (!err && !*failure && !job->cancelled && (earlier = turn_next_replay(job))) {
		err = program_limit_cpu(runner->cpu_seconds);
		if (!err)
			*failure = runner_replay(runner, earlier);
		mem_deref(earlier);
		if (!err)
			err = runner_one_exchange(runner);
		if (!err && runner->connection.closed)
			program_leave(runner->engine->name, 0);
	}
	return err;
}

static int runner_one_speak(struct runner *runner, struct engine_job *job)
{
	int failure = 0;
	int err;

	job->begun = true;
	err = runner_one_replay(runner, job, &failure);
	if (!err)
		err = program_limit_cpu(runner->cpu_seconds);
	if (err)
		return err;
	runner->flush_after_us = 0;
	runner_one_engine_resumes(runner);
	if (!failure && !job->cancelled)
		failure = runner->engine->speak(runner->state, &job->text, &runner->sink);
	runner_one_engine_pauses(runner, job);
	err = program_limit_cpu(0);
	return err ? err : engine_job_put_end(job, &runner->connection.out, failure);
}

static int runner_one_run_jobs(struct runner *runner)
{
	struct engine_job *job;
	int err = runner_one_end_cancelled(runner);

	turn_free_ended(&runner->turns);
	while (!err && (job = runner_one_first_job(runner))) {
		if (runner_find_voice(runner, job))
			err = runner_one_speak(runner, job);
		else
			err = engine_job_put_done(job, &runner->connection.out,
						  MESSAGE_DONE_UNKNOWN_VOICE, job->text.voice);
		if (!err)
			err = runner_flush(runner);
		list_remove(&runner->jobs, &job->link);
		mem_deref(job);
		if (!err)
			err = runner_one_end_cancelled(runner);
		turn_free_ended(&runner->turns);
	}
	return err;
}

int runner_one_serve(struct runner *runner)
{
	int err = 0;

	while (!err && !runner->connection.closed) {
		bool was_greeted = runner->greeted;

		err = runner_wait(runner, false);
		if (!err && runner->greeted && !was_greeted)
			err = runner_answer_hello(runner);
		if (!err)
			err = runner_one_run_jobs(runner);
	}
	return err;
}

void runner_one_init(struct runner *runner)
{
	runner->sink = (struct sink){
		.wait = runner_one_wait, .audio = runner_one_audio, .word = runner_one_word};
}
