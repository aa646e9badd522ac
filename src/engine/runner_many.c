/*
 * runner_many.c: serving an engine that speaks several texts at once.
 *
 * The main thread reads the socket and handles the messages; each speaker is a
 * thread that speaks one job after another.  One lock guards all that they share:
 * the jobs, the messages for the server (`out`), and which speaker has which job.
 * It is not held while the engine computes or while a thread waits.
 *
 *   messages ──▶ main thread ──▶ jobs ──▶ speaker ──▶ engine ──▶ sink
 *                                                                 │
 *   server ◀── socket ◀── the thread that has added to it ◀────── out
 *
 * A thread that has added messages to `out` tries to send them at once, without
 * waiting.  What the socket does not accept is left to the main thread, which
 * continues to read meanwhile; while there is much of it, sinks wait.
 *
 * A free speaker takes the waiting job with the earliest deadline.  From then on
 * the server decides with credit which jobs continue: a speaker whose job has no
 * credit waits in its sink.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "engine/program.h"
#include "engine/runner_parts.h"

/* The stack of a speaker: far more than an engine needs, and far less than the default of 8 MB, because
 * the process has a limit on its address space. */
#define STACK_SIZE (2u << 20)

struct speaker {
	struct sink sink; /* first: the engine's sink is its speaker */
	struct runner_many *many;
	pthread_t thread;
	pthread_cond_t wake; /* there is a job for it, or it may leave its sink, or all is over */
	struct engine_job *job; /* the job that it speaks; NULL: none */
	bool is_waiting; /* in its sink, for room in `out` */
	bool needs_credit; /* it also waits for credit */
	uint64_t
		resumed_us; /* CPU time of the thread when the engine was last called or returned to */
};

struct runner_many {
	struct runner *runner;
	pthread_mutex_t lock; /* guards the runner except `in`, and the following fields */
	pthread_cond_t all_idle; /* all speakers have started */
	size_t started; /* speakers that have a thread */
	size_t idle; /* speakers that have no job */
	int wake_fd; /* makes the main thread send `out` */
	bool main_sends; /* the main thread waits for room in the socket, or is about to */
	bool is_over;
	struct speaker *speakers; /* an array of jobs_max */
};

/* The engine's time is the CPU time of its thread: by the clock it would grow
 * with the number of jobs that share a processor. */
static void runner_many_engine_pauses(struct speaker *speaker)
{
	speaker->job->busy_us += clock_thread_cpu_us() - speaker->resumed_us;
}

static void runner_many_engine_resumes(struct speaker *speaker)
{
	speaker->resumed_us = clock_thread_cpu_us();
}

static bool runner_many_is_busy(const struct runner_many *many)
{
	return many->idle < many->started;
}

/* Restarts the limit on CPU time, which all threads share, whenever any of them has made progress.  So
 * it ends a process in which no job makes progress.  If one job hangs while others continue, the
 * server notices that it gets nothing for that job. */
static void runner_many_renew_cpu_limit(const struct runner_many *many)
{
	const struct runner *runner = many->runner;
	int err = 0;

	if (runner->cpu_seconds > 0)
		err = program_limit_cpu(runner_many_is_busy(many) ? runner->cpu_seconds : 0);
	if (err)
		program_leave(runner->engine->name, err);
}

/* Sends what the socket accepts, and leaves the rest to the main thread. */
static int runner_many_send_or_hand_over(struct runner_many *many)
{
	const uint64_t one = 1;
	int err = connection_send(&many->runner->connection);

	if (err || many->runner->connection.out.len == 0 || many->main_sends)
		return err;
	many->main_sends = true;
	return write(many->wake_fd, &one, sizeof(one)) < 0 ? errno : 0;
}

static bool runner_many_may_go_on(const struct speaker *speaker)
{
	const struct engine_job *job = speaker->job;
	bool has_room = speaker->many->runner->connection.out.len < CONNECTION_FLUSH_LEN;

	return job->cancelled || (has_room && (job->credit > 0 || !speaker->needs_credit));
}

static void runner_many_wake_waiting(struct runner_many *many)
{
	for (size_t i = 0; i < many->started; ++i) {
		struct speaker *speaker = &many->speakers[i];

		if (speaker->is_waiting && runner_many_may_go_on(speaker))
			pthread_cond_signal(&speaker->wake);
	}
}

/* Waits in a sink until there is room in `out` and, if needed, credit, or until the job is cancelled.
 * Before that, sends what has been collected. */
static int runner_many_wait_in_sink(struct speaker *speaker, bool needs_credit)
{
	int err;

	speaker->needs_credit = needs_credit;
	if (runner_many_may_go_on(speaker))
		return 0;
	err = runner_many_send_or_hand_over(speaker->many);
	speaker->is_waiting = true;
	while (!err && !runner_many_may_go_on(speaker))
		pthread_cond_wait(&speaker->wake, &speaker->many->lock);
	speaker->is_waiting = false;
	return err;
}

static struct speaker *runner_many_enter_sink(struct sink *sink)
{
	struct speaker *speaker = (struct speaker *)(void *)sink;

	runner_many_engine_pauses(speaker);
	pthread_mutex_lock(&speaker->many->lock);
	runner_many_renew_cpu_limit(speaker->many);
	return speaker;
}

static int runner_many_leave_sink(struct speaker *speaker, int err)
{
	bool cancelled = speaker->job->cancelled;

	if (err)
		program_leave(speaker->many->runner->engine->name, err);
	pthread_mutex_unlock(&speaker->many->lock);
	runner_many_engine_resumes(speaker);
	return cancelled;
}

/* Every call sends: engines that speak several texts at once are slow, so a system call for each of
 * their blocks does not matter. */
static int runner_many_audio(struct sink *sink, const int16_t *samples, size_t n)
{
	struct speaker *speaker = runner_many_enter_sink(sink);
	struct engine_job *job = speaker->job;
	size_t done = engine_job_skip(job, n);
	int err = engine_job_put_made(job, &speaker->many->runner->connection.out, n - done);

	while (!err && done < n && !job->cancelled) {
		size_t sent = 0;

		err = runner_many_wait_in_sink(speaker, true);
		if (!err && !job->cancelled)
			err = engine_job_put_audio(job, &speaker->many->runner->connection.out,
						   &sent, samples + done, n - done);
		done += sent;
	}
	if (!err)
		err = runner_many_send_or_hand_over(speaker->many);
	return runner_many_leave_sink(speaker, err);
}

static int runner_many_wait(struct sink *sink, uint64_t *skip)
{
	struct speaker *speaker = runner_many_enter_sink(sink);
	int err = runner_many_send_or_hand_over(speaker->many);

	if (!err && speaker->job->skip == 0)
		err = runner_many_wait_in_sink(speaker, true);
	*skip = speaker->job->skip;
	return runner_many_leave_sink(speaker, err);
}

/* A word is sent together with the samples that follow it. */
static int runner_many_word(struct sink *sink, size_t byte_start, size_t byte_end,
			    uint64_t sample_start, uint64_t sample_end)
{
	struct speaker *speaker = runner_many_enter_sink(sink);
	const struct message_word word = {(uint32_t)byte_start, (uint32_t)byte_end, sample_start,
					  sample_end};
	const struct engine_job *job = speaker->job;
	int err = 0;

	if (job->text.want_words)
		err = runner_many_wait_in_sink(speaker, false);
	if (!err && job->text.want_words && !job->cancelled)
		err = engine_job_put_word(job, &speaker->many->runner->connection.out, &word);
	return runner_many_leave_sink(speaker, err);
}

/* The waiting job whose listener runs out of audio first. */
static struct engine_job *runner_many_most_urgent(const struct runner *runner)
{
	struct engine_job *urgent = NULL;

	for (struct link *l = list_first(&runner->jobs); l; l = list_next(&runner->jobs, l)) {
		struct engine_job *job = LIST_OBJECT(l, struct engine_job, link);

		if (!job->begun && (!urgent || job->due_us < urgent->due_us))
			urgent = job;
	}
	return urgent;
}

/* Gives waiting jobs to speakers that have none. */
static void runner_many_hand_out(struct runner_many *many)
{
	for (size_t i = 0; i < many->started && many->idle > 0; ++i) {
		struct speaker *speaker = &many->speakers[i];
		struct engine_job *job =
			speaker->job ? NULL : runner_many_most_urgent(many->runner);

		if (!job)
			continue;
		job->begun = true;
		speaker->job = job;
		--many->idle;
		pthread_cond_signal(&speaker->wake);
	}
}

/* Speaks the texts of the job's turn that another worker has spoken.  Returns the engine's error.
 * Called with the lock held, which is released while the engine computes. */
static int runner_many_replay(struct speaker *speaker)
{
	struct runner_many *many = speaker->many;
	struct engine_job *earlier;
	int failure = 0;

	while (!failure && !speaker->job->cancelled && (earlier = turn_next_replay(speaker->job))) {
		pthread_mutex_unlock(&many->lock);
		failure = runner_replay(many->runner, earlier);
		pthread_mutex_lock(&many->lock);
		mem_deref(earlier);
		runner_many_renew_cpu_limit(many);
	}
	return failure;
}

/* Called with the lock held, which is released while the engine computes. */
static int runner_many_speak(struct speaker *speaker)
{
	struct runner_many *many = speaker->many;
	struct runner *runner = many->runner;
	struct engine_job *job = speaker->job;
	int failure;

	if (!runner_find_voice(runner, job))
		return engine_job_put_done(job, &runner->connection.out, MESSAGE_DONE_UNKNOWN_VOICE,
					   job->text.voice);
	runner_many_renew_cpu_limit(many);
	failure = runner_many_replay(speaker);
	if (failure || job->cancelled)
		return engine_job_put_end(job, &runner->connection.out, failure);
	pthread_mutex_unlock(&many->lock);
	runner_many_engine_resumes(speaker);
	failure = runner->engine->speak(runner->state, &job->text, &speaker->sink);
	runner_many_engine_pauses(speaker);
	pthread_mutex_lock(&many->lock);
	return engine_job_put_end(job, &runner->connection.out, failure);
}

static void runner_many_end_job(struct speaker *speaker)
{
	struct runner_many *many = speaker->many;

	list_remove(&many->runner->jobs, &speaker->job->link);
	speaker->job = mem_deref(speaker->job);
	turn_free_ended(&many->runner->turns);
	++many->idle;
	runner_many_renew_cpu_limit(many);
}

static void *runner_many_speaker_run(void *arg)
{
	struct speaker *speaker = arg;
	struct runner_many *many = speaker->many;

	pthread_mutex_lock(&many->lock);
	if (++many->idle == many->runner->jobs_max)
		pthread_cond_signal(&many->all_idle);
	while (!many->is_over) {
		int err;

		if (!speaker->job) {
			pthread_cond_wait(&speaker->wake, &many->lock);
			continue;
		}
		err = runner_many_speak(speaker);
		runner_many_end_job(speaker);
		if (!err)
			err = runner_many_send_or_hand_over(many);
		if (err)
			program_leave(many->runner->engine->name, err);
		runner_many_hand_out(many);
	}
	pthread_mutex_unlock(&many->lock);
	return NULL;
}

/* Called with the lock held. */
static int runner_many_handle_messages(struct runner_many *many)
{
	struct runner *runner = many->runner;
	bool was_greeted = runner->greeted;
	int err = runner_take(runner);

	if (!err && runner->greeted && !was_greeted)
		err = runner_answer_hello(runner); /* there are no jobs yet, so this may wait */
	if (!err)
		err = runner_end_cancelled(runner);
	turn_free_ended(&runner->turns);
	if (!err)
		err = connection_send(&runner->connection);
	if (!err) {
		runner_many_hand_out(many);
		runner_many_wake_waiting(many);
	}
	return err;
}

int runner_many_serve(struct runner *runner)
{
	struct runner_many *many = runner->many;
	bool out = false;
	int err = 0;

	while (!err && !runner->connection.closed) {
		/* Without the lock, so the messages are not handled here. */
		err = connection_wait(&runner->connection, out, many->wake_fd);
		pthread_mutex_lock(&many->lock);
		if (!err)
			err = runner_many_handle_messages(many);
		if ((err || runner->connection.closed) && runner_many_is_busy(many))
			program_leave(runner->engine->name, err);
		out = many->main_sends = runner->connection.out.len > 0;
		pthread_mutex_unlock(&many->lock);
	}
	return err;
}

static void runner_many_destroy(void *object)
{
	struct runner_many *many = object;

	pthread_mutex_lock(&many->lock);
	many->is_over = true;
	for (size_t i = 0; i < many->started; ++i)
		pthread_cond_signal(&many->speakers[i].wake);
	pthread_mutex_unlock(&many->lock);
	for (size_t i = 0; i < many->started; ++i) {
		pthread_join(many->speakers[i].thread, NULL);
		pthread_cond_destroy(&many->speakers[i].wake);
	}
	pthread_cond_destroy(&many->all_idle);
	pthread_mutex_destroy(&many->lock);
	free(many->speakers);
	if (many->wake_fd >= 0)
		close(many->wake_fd);
}

static int runner_many_start_speaker(struct runner_many *many, const pthread_attr_t *attr)
{
	struct speaker *speaker = &many->speakers[many->started];
	int err;

	speaker->sink = (struct sink){
		.wait = runner_many_wait, .audio = runner_many_audio, .word = runner_many_word};
	speaker->many = many;
	pthread_cond_init(&speaker->wake, NULL);
	err = pthread_create(&speaker->thread, attr, runner_many_speaker_run, speaker);
	if (err)
		pthread_cond_destroy(&speaker->wake);
	else
		++many->started;
	return err;
}

/* Returns when all speakers wait for jobs, because starting a thread takes system calls that the engine
 * filter (workers/confine.h) refuses. */
static int runner_many_start_speakers(struct runner_many *many)
{
	const size_t n = many->runner->jobs_max;
	pthread_attr_t attr;
	int err = pthread_attr_init(&attr);

	if (err)
		return err;
	err = pthread_attr_setstacksize(&attr, STACK_SIZE);
	pthread_mutex_lock(&many->lock);
	while (!err && many->started < n)
		err = runner_many_start_speaker(many, &attr);
	while (!err && many->idle < n)
		pthread_cond_wait(&many->all_idle, &many->lock);
	pthread_mutex_unlock(&many->lock);
	pthread_attr_destroy(&attr);
	return err;
}

int runner_many_alloc(struct runner_many **manyp, struct runner *runner)
{
	struct runner_many *many = mem_zalloc(sizeof(*many), NULL);
	int err = 0;

	if (!many)
		return ENOMEM;
	many->runner = runner;
	pthread_mutex_init(&many->lock, NULL);
	pthread_cond_init(&many->all_idle, NULL);
	mem_set_destructor(many, runner_many_destroy);
	many->speakers = calloc(runner->jobs_max, sizeof(many->speakers[0]));
	many->wake_fd = eventfd(0, EFD_CLOEXEC);
	if (many->wake_fd < 0)
		err = errno;
	else if (!many->speakers)
		err = ENOMEM;
	if (!err)
		err = runner_many_start_speakers(many);
	if (err)
		mem_deref(many);
	else
		*manyp = many;
	return err;
}
