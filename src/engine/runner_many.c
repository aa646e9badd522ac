/*
 * runner_many.c: serving an engine that speaks several texts at once.
 *
 * The main thread reads the socket and lets the messages change the jobs; each
 * speaker is a thread that speaks one job after another.  One lock guards all
 * that they share: the jobs, what was collected for the server, and who does
 * what.  It is never held while the engine computes or anybody waits.
 *
 *   messages ──▶ main thread ──▶ jobs ──▶ speaker ──▶ engine ──▶ sink
 *                                                                 │
 *   server ◀── socket ◀── whoever has just put something in ◀── out
 *
 * Whoever has put something into `out` tries to send it at once, without
 * waiting.  What the socket does not take stays there for the main thread, which
 * goes on reading meanwhile; while there is much of it, sinks wait.
 *
 * A waiting job is begun by the next free speaker, the one with the earliest
 * deadline first.  After that the server says by its credit who makes samples:
 * a speaker without credit waits in its sink.
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "engine/runner_parts.h"

/* Of a speaker.  Far more than an engine needs, far less than the default of
 * 8 MB, because the process's limit counts address space. */
#define STACK_SIZE (2u << 20)

struct speaker {
	struct sink sink; /* first: the engine's sink is its speaker */
	struct runner_many *many;
	pthread_t thread;
	pthread_cond_t wake; /* what it waits for may have come */
	struct job *job; /* what it speaks, or NULL */
	bool is_waiting; /* in its sink, for room in `out` */
	bool needs_credit; /* and for credit */
	uint64_t resumed_us; /* its CPU time when the engine got it back */
};

struct runner_many {
	struct runner *runner;
	pthread_mutex_t lock; /* guards all of the runner but `in`, and all below */
	pthread_cond_t all_idle; /* the last speaker has started */
	size_t started; /* speakers that have a thread */
	size_t idle;
	int wake_fd; /* makes the main thread look at `out` */
	bool main_sends; /* it waits for room in the socket, or is going to */
	bool is_over;
	struct speaker *speakers; /* jobs_max */
};

static uint64_t thread_cpu_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

/* The engine's time is the CPU time of its thread: by the clock it would grow
 * with the number of jobs that share a processor. */
static void engine_pauses(struct speaker *speaker)
{
	speaker->job->busy_us += thread_cpu_us() - speaker->resumed_us;
}

static void engine_resumes(struct speaker *speaker)
{
	speaker->resumed_us = thread_cpu_us();
}

static bool is_busy(const struct runner_many *many)
{
	return many->idle < many->started;
}

/* The limit counts the CPU time of all threads together and starts again with
 * every sign of life of any: it ends a process in which nothing comes of all
 * the computing.  One job that hangs while others go on is found by the server,
 * who hears nothing of it. */
static void show_life(const struct runner_many *many)
{
	const struct runner *runner = many->runner;
	int err = 0;

	if (runner->cpu_seconds > 0)
		err = runner_limit_cpu(is_busy(many) ? runner->cpu_seconds : 0);
	if (err)
		runner_leave(runner, err);
}

/* A speaker's way to send: what stays is left to the main thread. */
static int send_or_hand_over(struct runner_many *many)
{
	const uint64_t one = 1;
	int err = runner_send(many->runner);

	if (err || many->runner->out.len == 0 || many->main_sends)
		return err;
	many->main_sends = true;
	return write(many->wake_fd, &one, sizeof(one)) < 0 ? errno : 0;
}

static bool may_go_on(const struct speaker *speaker)
{
	const struct job *job = speaker->job;
	bool has_room = speaker->many->runner->out.len < RUNNER_FLUSH_LEN;

	return job->cancelled || (has_room && (job->credit > 0 || !speaker->needs_credit));
}

static void wake_waiting(struct runner_many *many)
{
	for (size_t i = 0; i < many->started; ++i) {
		struct speaker *speaker = &many->speakers[i];

		if (speaker->is_waiting && may_go_on(speaker))
			pthread_cond_signal(&speaker->wake);
	}
}

/* In a sink: until there is room, and credit if that is needed, or nobody wants
 * more of this job.  Whoever waits has sent what he had. */
static int wait_in_sink(struct speaker *speaker, bool needs_credit)
{
	int err;

	speaker->needs_credit = needs_credit;
	if (may_go_on(speaker))
		return 0;
	err = send_or_hand_over(speaker->many);
	speaker->is_waiting = true;
	while (!err && !may_go_on(speaker))
		pthread_cond_wait(&speaker->wake, &speaker->many->lock);
	speaker->is_waiting = false;
	return err;
}

static struct speaker *enter_sink(struct sink *sink)
{
	struct speaker *speaker = (struct speaker *)(void *)sink;

	engine_pauses(speaker);
	pthread_mutex_lock(&speaker->many->lock);
	show_life(speaker->many);
	return speaker;
}

static int leave_sink(struct speaker *speaker, int err)
{
	bool cancelled = speaker->job->cancelled;

	if (err)
		runner_leave(speaker->many->runner, err);
	pthread_mutex_unlock(&speaker->many->lock);
	engine_resumes(speaker);
	return cancelled;
}

/* Every call sends: engines that speak several texts at once are slow, and a
 * system call for each of their blocks is nothing. */
static int many_audio(struct sink *sink, const int16_t *samples, size_t n)
{
	struct speaker *speaker = enter_sink(sink);
	struct job *job = speaker->job;
	size_t done = job_skip(job, n);
	int err = job_put_made(job, &speaker->many->runner->out, n - done);

	while (!err && done < n && !job->cancelled) {
		size_t sent = 0;

		err = wait_in_sink(speaker, true);
		if (!err && !job->cancelled)
			err = job_put_audio(job, &speaker->many->runner->out, &sent, samples + done,
					    n - done);
		done += sent;
	}
	if (!err)
		err = send_or_hand_over(speaker->many);
	return leave_sink(speaker, err);
}

static int many_wait(struct sink *sink, uint64_t *skip)
{
	struct speaker *speaker = enter_sink(sink);
	int err = send_or_hand_over(speaker->many);

	if (!err && speaker->job->skip == 0)
		err = wait_in_sink(speaker, true);
	*skip = speaker->job->skip;
	return leave_sink(speaker, err);
}

/* Words leave with the samples that follow them. */
static int many_word(struct sink *sink, size_t byte_start, size_t byte_end, uint64_t sample_start,
		     uint64_t sample_end)
{
	struct speaker *speaker = enter_sink(sink);
	const struct message_word word = {(uint32_t)byte_start, (uint32_t)byte_end, sample_start,
					  sample_end};
	const struct job *job = speaker->job;
	int err = 0;

	if (job->text.want_words)
		err = wait_in_sink(speaker, false);
	if (!err && job->text.want_words && !job->cancelled)
		err = job_put_word(job, &speaker->many->runner->out, &word);
	return leave_sink(speaker, err);
}

/* The job that waits and whose listener runs dry first. */
static struct job *most_urgent(const struct runner *runner)
{
	struct job *urgent = NULL;

	for (struct link *l = list_first(&runner->jobs); l; l = list_next(&runner->jobs, l)) {
		struct job *job = LIST_OBJECT(l, struct job, link);

		if (!job->begun && (!urgent || job->due_us < urgent->due_us))
			urgent = job;
	}
	return urgent;
}

/* Gives waiting jobs to speakers that have none. */
static void hand_out(struct runner_many *many)
{
	for (size_t i = 0; i < many->started && many->idle > 0; ++i) {
		struct speaker *speaker = &many->speakers[i];
		struct job *job = speaker->job ? NULL : most_urgent(many->runner);

		if (!job)
			continue;
		job->begun = true;
		speaker->job = job;
		--many->idle;
		pthread_cond_signal(&speaker->wake);
	}
}

/* With the lock, which the engine is called without. */
static int speak(struct speaker *speaker)
{
	struct runner_many *many = speaker->many;
	struct runner *runner = many->runner;
	struct job *job = speaker->job;
	int failure;

	if (!runner_find_voice(runner, job))
		return job_put_done(job, &runner->out, MESSAGE_DONE_UNKNOWN_VOICE, job->text.voice);
	show_life(many);
	pthread_mutex_unlock(&many->lock);
	engine_resumes(speaker);
	failure = runner->engine->speak(runner->state, &job->text, &speaker->sink);
	engine_pauses(speaker);
	pthread_mutex_lock(&many->lock);
	return job_put_end(job, &runner->out, failure);
}

static void end_job(struct speaker *speaker)
{
	struct runner_many *many = speaker->many;

	list_remove(&many->runner->jobs, &speaker->job->link);
	speaker->job = mem_deref(speaker->job);
	++many->idle;
	show_life(many);
}

static void *speaker_run(void *arg)
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
		err = speak(speaker);
		end_job(speaker);
		if (!err)
			err = send_or_hand_over(many);
		if (err)
			runner_leave(many->runner, err);
		hand_out(many);
	}
	pthread_mutex_unlock(&many->lock);
	return NULL;
}

/* Waits for the server or a speaker, and reads without taking: that needs the
 * lock. */
static int wait_and_read(struct runner_many *many, bool out)
{
	struct runner *runner = many->runner;
	struct pollfd fds[2] = {
		{.fd = runner->fd, .events = (short)(POLLIN | (out ? POLLOUT : 0))},
		{.fd = many->wake_fd, .events = POLLIN},
	};
	uint64_t wakes;

	while (poll(fds, 2, -1) < 0)
		if (errno != EINTR)
			return errno;
	if (fds[1].revents && read(many->wake_fd, &wakes, sizeof(wakes)) < 0)
		return errno;
	return fds[0].revents & (POLLIN | POLLHUP | POLLERR) ? runner_read(runner) : 0;
}

/* With the lock: does what the messages say. */
static int serve(struct runner_many *many)
{
	struct runner *runner = many->runner;
	bool was_greeted = runner->greeted;
	int err = runner_take(runner);

	if (!err && runner->greeted && !was_greeted)
		err = runner_answer_hello(runner); /* nobody else has anything to do yet */
	if (!err)
		err = runner_end_cancelled(runner);
	if (!err)
		err = runner_send(runner);
	if (!err) {
		hand_out(many);
		wake_waiting(many);
	}
	return err;
}

int runner_many_serve(struct runner *runner)
{
	struct runner_many *many = runner->many;
	bool out = false;
	int err = 0;

	while (!err && !runner->closed) {
		err = wait_and_read(many, out);
		pthread_mutex_lock(&many->lock);
		if (!err)
			err = serve(many);
		if ((err || runner->closed) && is_busy(many))
			runner_leave(runner, err);
		out = many->main_sends = runner->out.len > 0;
		pthread_mutex_unlock(&many->lock);
	}
	return err;
}

static void many_destroy(void *object)
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

static int start_speaker(struct runner_many *many, const pthread_attr_t *attr)
{
	struct speaker *speaker = &many->speakers[many->started];
	int err;

	speaker->sink = (struct sink){.wait = many_wait, .audio = many_audio, .word = many_word};
	speaker->many = many;
	pthread_cond_init(&speaker->wake, NULL);
	err = pthread_create(&speaker->thread, attr, speaker_run, speaker);
	if (err)
		pthread_cond_destroy(&speaker->wake);
	else
		++many->started;
	return err;
}

/* Returns when all of them wait: starting takes system calls that an engine's
 * filter refuses. */
static int start_speakers(struct runner_many *many)
{
	const size_t n = many->runner->jobs_max;
	pthread_attr_t attr;
	int err = pthread_attr_init(&attr);

	if (err)
		return err;
	err = pthread_attr_setstacksize(&attr, STACK_SIZE);
	pthread_mutex_lock(&many->lock);
	while (!err && many->started < n)
		err = start_speaker(many, &attr);
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
	mem_set_destructor(many, many_destroy);
	many->speakers = calloc(runner->jobs_max, sizeof(many->speakers[0]));
	many->wake_fd = eventfd(0, EFD_CLOEXEC);
	if (many->wake_fd < 0)
		err = errno;
	else if (!many->speakers)
		err = ENOMEM;
	if (!err)
		err = start_speakers(many);
	if (err)
		mem_deref(many);
	else
		*manyp = many;
	return err;
}
