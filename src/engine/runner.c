/*
 * runner.c: connects an engine in C to the server (see runner.h): the handshake, the list
 * of jobs.
 *
 * With an engine that speaks several texts at once, any of its threads may run these functions,
 * one thread at a time (runner_many.c).
 */
#include "engine/runner.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "engine/runner_parts.h"

/* Jobs that may wait here besides those being spoken. The server counts jobs itself and sends
 * the next one only a little early; in a longer queue it could not reorder them. */
#define WAITING_MAX 8

struct runner_voice {
	struct link link;
	char *name;
	uint32_t sample_rate;
};

static void runner_destroy_voice(void *object)
{
	struct runner_voice *voice = object;

	free(voice->name);
}

static void runner_destroy(void *object)
{
	struct runner *runner = object;
	struct link *link;

	runner->many = mem_deref(runner->many);
	while ((link = list_first(&runner->jobs))) {
		list_remove(&runner->jobs, link);
		mem_deref(LIST_OBJECT(link, struct engine_job, link));
	}
	while ((link = list_first(&runner->voices))) {
		list_remove(&runner->voices, link);
		mem_deref(LIST_OBJECT(link, struct runner_voice, link));
	}
	turns_reset(&runner->turns);
	connection_reset(&runner->connection);
}

static struct engine_job *runner_find_job(const struct runner *runner, uint32_t id)
{
	for (struct link *l = list_first(&runner->jobs); l; l = list_next(&runner->jobs, l)) {
		struct engine_job *job = LIST_OBJECT(l, struct engine_job, link);

		if (job->id == id)
			return job;
	}
	return NULL;
}

bool runner_find_voice(const struct runner *runner, struct engine_job *job)
{
	for (struct link *l = list_first(&runner->voices); l; l = list_next(&runner->voices, l)) {
		const struct runner_voice *voice = LIST_OBJECT(l, struct runner_voice, link);

		if (strcmp(voice->name, job->text.voice) != 0)
			continue;
		job->sample_rate = voice->sample_rate;
		return true;
	}
	return false;
}

static int runner_on_speak(struct runner *runner, uint32_t id, const struct message_speak *speak)
{
	struct engine_job *job;
	int err;

	if (id == 0 || runner_find_job(runner, id) ||
	    runner->jobs.count >= (size_t)runner->jobs_max + WAITING_MAX)
		return EPROTO;
	err = engine_job_alloc(&job, id, speak, runner->engine);
	if (err)
		return err;
	err = turn_join(&runner->turns, job);
	if (err)
		mem_deref(job);
	else
		list_append(&runner->jobs, &job->link);
	return err;
}

static int runner_on_hello(struct runner *runner, const struct message_hello *hello)
{
	if (runner->greeted)
		return EPROTO;
	if (hello->version_min > MESSAGE_VERSION || hello->version_max < MESSAGE_VERSION) {
		log_error(runner->engine->name,
			  "the server speaks protocol versions %u to %u, this engine %u",
			  hello->version_min, hello->version_max, MESSAGE_VERSION);
		return EPROTO;
	}
	runner->greeted = true;
	return 0;
}

/* CREDIT and CANCEL for a job that has ended are ignored: the server sent them before it read
 * the job's DONE. */
static int runner_on_message(const struct message *message, void *arg)
{
	struct runner *runner = arg;
	struct engine_job *job = runner_find_job(runner, message->job);

	if (message->type == MESSAGE_HELLO)
		return runner_on_hello(runner, &message->hello);
	if (!runner->greeted)
		return EPROTO;
	if (message->type == MESSAGE_SPEAK)
		return runner_on_speak(runner, message->job, &message->speak);
	if (message->type == MESSAGE_REPLAY)
		return turn_replay(&runner->turns, &message->speak);
	if (message->type == MESSAGE_END_TURN)
		turn_end(&runner->turns, message->turn);
	if (message->type == MESSAGE_CREDIT && job)
		job->credit += message->credit_samples;
	if (message->type == MESSAGE_CANCEL && job)
		job->cancelled = true;
	return 0; /* message types of later versions are ignored */
}

int runner_take(struct runner *runner)
{
	return connection_take(&runner->connection, runner_on_message, runner);
}

int runner_wait(struct runner *runner, bool out)
{
	int err = connection_wait(&runner->connection, out, -1);

	return err ? err : runner_take(runner);
}

int runner_flush(struct runner *runner)
{
	int err = connection_send(&runner->connection);

	while (!err && runner->connection.out.len > 0) {
		err = runner->connection.closed ? EPIPE : runner_wait(runner, true);
		if (!err)
			err = connection_send(&runner->connection);
	}
	runner->flushed_us = clock_monotonic_us();
	return err;
}

int runner_end_cancelled(struct runner *runner)
{
	struct link *link = list_first(&runner->jobs);
	int err = 0;

	while (link && !err) {
		struct engine_job *job = LIST_OBJECT(link, struct engine_job, link);

		link = list_next(&runner->jobs, link);
		if (job->begun || !job->cancelled)
			continue;
		list_remove(&runner->jobs, &job->link);
		err = engine_job_put_done(job, &runner->connection.out, MESSAGE_DONE_CANCELLED, "");
		mem_deref(job);
	}
	return err;
}

int runner_replay(const struct runner *runner, struct engine_job *earlier)
{
	struct sink null_sink;

	if (!runner_find_voice(runner, earlier))
		return ENOENT;
	turn_init_sink(&null_sink);
	return runner->engine->speak(runner->state, &earlier->text, &null_sink);
}

static int runner_send_message(struct runner *runner, const struct message *message)
{
	int err = message_encode(&runner->connection.out, message);

	return err ? err : runner_flush(runner);
}

/* Announces a voice, and keeps its name and rate to check SPEAK. */
static int runner_announce_voice(const struct engine_voice *row, void *arg)
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
	struct runner_voice *voice = mem_zalloc(sizeof(*voice), runner_destroy_voice);

	if (!voice)
		return ENOMEM;
	voice->sample_rate = row->sample_rate;
	voice->name = strdup(row->name);
	list_append(&runner->voices, &voice->link);
	return voice->name ? runner_send_message(runner, &message) : ENOMEM;
}

static int runner_announce_note(const struct engine_note *note, void *arg)
{
	const struct message message = {
		.type = MESSAGE_NOTE,
		.note = {message_str_of(note->about), message_str_of(note->text)},
	};

	return runner_send_message(arg, &message);
}

int runner_answer_hello(struct runner *runner)
{
	const struct engine *engine = runner->engine;
	const struct message message = {
		.type = MESSAGE_READY,
		.ready =
			{
				.version = MESSAGE_VERSION,
				.jobs_max = runner->jobs_max,
				.capabilities = engine->capabilities |
						(runner->turns.max > 0 ? MESSAGE_TURN_STATE : 0),
				.engine = message_str_of(engine->name),
				.turns = runner->turns.max,
			},
	};
	int err = engine->voices(runner->state, runner_announce_voice, runner);

	if (!err && engine->notes)
		err = engine->notes(runner->state, runner_announce_note, runner);
	return err ? err : runner_send_message(runner, &message);
}

int runner_run(struct runner *runner)
{
	int err = runner->many ? runner_many_serve(runner) : runner_one_serve(runner);

	return err == EPIPE || err == ECONNRESET ? 0 : err;
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
	runner->cpu_seconds = cpu_seconds;
	runner->jobs_max = engine->jobs ? engine->jobs(state) : engine->jobs_max;
	if (runner->jobs_max == 0)
		runner->jobs_max = 1;
	list_init(&runner->voices);
	list_init(&runner->jobs);
	turns_init(&runner->turns, engine, state);
	connection_init(&runner->connection, fd);
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
