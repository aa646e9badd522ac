/*
 * runner.c: the server's side of an engine in C (see runner.h): the socket's
 * reading end, the handshake, the list of jobs.
 */
#include "engine/runner.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "engine/runner_parts.h"

/* The server counts jobs itself and sends the next one a little early at the
 * most; a long queue here would be out of its reach. */
#define WAITING_MAX 8

#define RECEIVE_SIZE 65536u

struct voice {
	struct link link;
	char *name;
	uint32_t sample_rate;
};

static void voice_destroy(void *object)
{
	struct voice *voice = object;

	free(voice->name);
}

static void runner_destroy(void *object)
{
	struct runner *runner = object;
	struct link *link;

	runner->many = mem_deref(runner->many);
	while ((link = list_first(&runner->jobs))) {
		list_remove(&runner->jobs, link);
		mem_deref(LIST_OBJECT(link, struct job, link));
	}
	while ((link = list_first(&runner->voices))) {
		list_remove(&runner->voices, link);
		mem_deref(LIST_OBJECT(link, struct voice, link));
	}
	buf_reset(&runner->in);
	buf_reset(&runner->out);
}

static struct job *find_job(const struct runner *runner, uint32_t id)
{
	for (struct link *l = list_first(&runner->jobs); l; l = list_next(&runner->jobs, l)) {
		struct job *job = LIST_OBJECT(l, struct job, link);

		if (job->id == id)
			return job;
	}
	return NULL;
}

bool runner_find_voice(const struct runner *runner, struct job *job)
{
	for (struct link *l = list_first(&runner->voices); l; l = list_next(&runner->voices, l)) {
		const struct voice *voice = LIST_OBJECT(l, struct voice, link);

		if (strcmp(voice->name, job->text.voice) != 0)
			continue;
		job->sample_rate = voice->sample_rate;
		return true;
	}
	return false;
}

static int take_speak(struct runner *runner, uint32_t id, const struct message_speak *speak)
{
	struct job *job;
	int err;

	if (id == 0 || find_job(runner, id) ||
	    runner->jobs.count >= (size_t)runner->jobs_max + WAITING_MAX)
		return EPROTO;
	err = job_alloc(&job, id, speak, runner->engine);
	if (!err)
		list_append(&runner->jobs, &job->link);
	return err;
}

static int take_hello(struct runner *runner, const struct message_hello *hello)
{
	if (runner->greeted)
		return EPROTO;
	if (hello->version_min > MESSAGE_VERSION || hello->version_max < MESSAGE_VERSION) {
		log_error(runner->engine->name, "the server speaks versions %u to %u, this is %u",
			  hello->version_min, hello->version_max, MESSAGE_VERSION);
		return EPROTO;
	}
	runner->greeted = true;
	return 0;
}

/* Credit and cancel for a job that is over have crossed its DONE. */
static int take_message(struct runner *runner, const struct message *message)
{
	struct job *job = find_job(runner, message->job);

	if (message->type == MESSAGE_HELLO)
		return take_hello(runner, &message->hello);
	if (!runner->greeted)
		return EPROTO;
	if (message->type == MESSAGE_SPEAK)
		return take_speak(runner, message->job, &message->speak);
	if (message->type == MESSAGE_CREDIT && job)
		job->credit += message->credit_samples;
	if (message->type == MESSAGE_CANCEL && job)
		job->cancelled = true;
	return 0; /* other types are of a later version */
}

int runner_take(struct runner *runner)
{
	size_t taken = 0;
	int err = 0;

	while (!err) {
		struct message message;
		size_t used;

		err = message_decode(&message, &used, runner->in.bytes + taken,
				     runner->in.len - taken);
		if (err)
			break;
		taken += used;
		err = take_message(runner, &message);
	}
	buf_consume(&runner->in, taken);
	return err == EAGAIN ? 0 : err;
}

int runner_read(struct runner *runner)
{
	ssize_t n;
	int err = buf_reserve(&runner->in, RECEIVE_SIZE);

	if (err)
		return err;
	do
		n = recv(runner->fd, runner->in.bytes + runner->in.len, RECEIVE_SIZE, MSG_DONTWAIT);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return errno == EAGAIN ? 0 : errno;
	if (n == 0)
		runner->closed = true;
	runner->in.len += (size_t)n;
	return 0;
}

int runner_wait(struct runner *runner, bool out)
{
	struct pollfd poll_fd = {.fd = runner->fd, .events = (short)(POLLIN | (out ? POLLOUT : 0))};
	int err;

	while (poll(&poll_fd, 1, -1) < 0)
		if (errno != EINTR)
			return errno;
	if (!(poll_fd.revents & (POLLIN | POLLHUP | POLLERR)))
		return 0;
	err = runner_read(runner);
	return err ? err : runner_take(runner);
}

int runner_send(struct runner *runner)
{
	size_t sent = 0;
	int err = 0;

	while (!err && sent < runner->out.len) {
		ssize_t n = send(runner->fd, runner->out.bytes + sent, runner->out.len - sent,
				 MSG_NOSIGNAL | MSG_DONTWAIT);

		if (n >= 0)
			sent += (size_t)n;
		else if (errno != EINTR)
			err = errno;
	}
	buf_consume(&runner->out, sent);
	return err == EAGAIN ? 0 : err;
}

int runner_flush(struct runner *runner)
{
	int err = runner_send(runner);

	while (!err && runner->out.len > 0) {
		err = runner->closed ? EPIPE : runner_wait(runner, true);
		if (!err)
			err = runner_send(runner);
	}
	runner->flushed_us = clock_monotonic_us();
	return err;
}

int runner_end_cancelled(struct runner *runner)
{
	struct link *link = list_first(&runner->jobs);
	int err = 0;

	while (link && !err) {
		struct job *job = LIST_OBJECT(link, struct job, link);

		link = list_next(&runner->jobs, link);
		if (job->begun || !job->cancelled)
			continue;
		list_remove(&runner->jobs, &job->link);
		err = job_put_done(job, &runner->out, MESSAGE_DONE_CANCELLED, "");
		mem_deref(job);
	}
	return err;
}

int runner_limit_cpu(unsigned seconds)
{
	const struct itimerval timer = {.it_value = {.tv_sec = (time_t)seconds}};

	return setitimer(ITIMER_PROF, &timer, NULL) ? errno : 0;
}

void runner_leave(const struct runner *runner, int err)
{
	if (err && err != EPIPE && err != ECONNRESET)
		log_error(runner->engine->name, "%s", strerror(err));
	_exit(err ? 1 : 0);
}

static int send_message(struct runner *runner, const struct message *message)
{
	int err = message_encode(&runner->out, message);

	return err ? err : runner_flush(runner);
}

/* Announces a voice, and keeps what SPEAK is checked against. */
static int announce_voice(const struct engine_voice *row, void *arg)
{
	struct runner *runner = arg;
	const struct message message = {
		.type = MESSAGE_VOICE,
		.voice =
			{
				.name = message_str_of(row->name),
				.language = message_str_of(row->language),
				.title = message_str_of(row->title),
				.sample_rate = row->sample_rate,
				.sex = (uint8_t)row->sex,
				.quality = (uint8_t)row->quality,
				.licence = message_str_of(row->licence ? row->licence : ""),
			},
	};
	struct voice *voice = mem_zalloc(sizeof(*voice), voice_destroy);

	if (!voice)
		return ENOMEM;
	voice->sample_rate = row->sample_rate;
	voice->name = strdup(row->name);
	list_append(&runner->voices, &voice->link);
	return voice->name ? send_message(runner, &message) : ENOMEM;
}

static int announce_note(const struct engine_note *note, void *arg)
{
	const struct message message = {
		.type = MESSAGE_NOTE,
		.note = {message_str_of(note->about), message_str_of(note->text)},
	};

	return send_message(arg, &message);
}

int runner_answer_hello(struct runner *runner)
{
	const struct engine *engine = runner->engine;
	const struct message message = {
		.type = MESSAGE_READY,
		.ready = {MESSAGE_VERSION, runner->jobs_max, engine->capabilities,
			  message_str_of(engine->name)},
	};
	int err = engine->voices(runner->state, announce_voice, runner);

	if (!err && engine->notes)
		err = engine->notes(runner->state, announce_note, runner);
	return err ? err : send_message(runner, &message);
}

int runner_run(struct runner *runner)
{
	int err = runner->many ? runner_many_serve(runner) : runner_one_serve(runner);

	return err == EPIPE || err == ECONNRESET ? 0 : err;
}

static uint16_t jobs_of(const struct engine *engine, void *state)
{
	uint16_t jobs = engine->jobs ? engine->jobs(state) : engine->jobs_max;

	return jobs > 0 ? jobs : 1;
}

int runner_alloc(struct runner **runnerp, const struct engine *engine, void *state, int fd,
		 unsigned cpu_seconds)
{
	struct runner *runner = mem_zalloc(sizeof(*runner), NULL);
	int err = 0;

	if (!runner)
		return ENOMEM;
	runner->engine = engine;
	runner->state = state;
	runner->fd = fd;
	runner->cpu_seconds = cpu_seconds;
	runner->jobs_max = jobs_of(engine, state);
	list_init(&runner->voices);
	list_init(&runner->jobs);
	buf_init(&runner->in, MESSAGE_HEADER_LEN + MESSAGE_PAYLOAD_MAX + RECEIVE_SIZE);
	buf_init(&runner->out, RUNNER_FLUSH_LEN + MESSAGE_HEADER_LEN + MESSAGE_PAYLOAD_MAX);
	mem_set_destructor(runner, runner_destroy);
	if (runner->jobs_max > 1)
		err = runner_many_alloc(&runner->many, runner);
	else
		runner_one_init(runner);
	if (err)
		mem_deref(runner);
	else
		*runnerp = runner;
	return err;
}
