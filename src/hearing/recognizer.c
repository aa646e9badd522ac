/*
 * recognizer.c: one engine that listens: its fleet of workers, and the streams of its models.
 *
 * Supplies the fleet's table of functions (workers/fleet.h): the models that a worker announces before
 * READY are put into the catalogue, and messages about a seat are passed to the stream that has it.
 * Credit is counted in answers: one for each frame of audio and one for each piece.
 *
 * Runs on the loop's thread.  The pool owns its recognizers.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "hearing/hearing_private.h"

/* Models of one engine: more than anybody installs. */
#define RECOGNIZER_MODELS_MAX 64

/* What a worker says about its engine before READY. */
struct recognizer_greeting {
	struct hearing_model *models; /* RECOGNIZER_MODELS_MAX of them */
	size_t count;
	struct notes notes;
};

/* An engine that has models keeps an idle worker: loading them takes longer than a caller waits for
 * words, so without it a worker that dies would be noticed. */
static void recognizer_on_demand(void *arg, struct fleet_demand *demand)
{
	const struct recognizer *recognizer = arg;
	bool is_in_use = recognizer->pool->all_answered && recognizer->model_count > 0;

	*demand = (struct fleet_demand){
		.spare = 1,
		.standby = is_in_use && recognizer->pool->options.workers_max > 1,
		.waiting = recognizer->queued.count,
	};
	demand->groups = suspect_waiting(recognizer, &demand->newer_than);
}

static void recognizer_add_model(struct recognizer_greeting *greeting, const char *engine,
				 const struct message_model *offered)
{
	struct hearing_model *model = &greeting->models[greeting->count];

	if (greeting->count == RECOGNIZER_MODELS_MAX || offered->name.len >= HEARING_NAME_MAX ||
	    offered->languages.len >= HEARING_LANGUAGES_MAX) {
		log_warn("hearing",
			 "%s: the model %.*s is left out: its name or its list of "
			 "languages is too long, or there are too many models",
			 engine, (int)(offered->name.len < 100 ? offered->name.len : 100),
			 offered->name.bytes);
		return;
	}
	*model = (struct hearing_model){
		.piece_max = offered->piece_max < HEARING_KEPT_MAX ? offered->piece_max
								   : HEARING_KEPT_MAX,
		.has_times = offered->capabilities & MESSAGE_MODEL_TIMES,
		.times_are_approximate = offered->capabilities & MESSAGE_MODEL_TIMES_APPROXIMATE,
		.has_probabilities = offered->capabilities & MESSAGE_MODEL_PROBABILITIES,
		.detects_language = offered->capabilities & MESSAGE_MODEL_DETECTS_LANGUAGE,
		.has_partials = offered->capabilities & MESSAGE_MODEL_PARTIALS,
	};
	message_str_copy(model->name, sizeof(model->name), &offered->name);
	message_str_copy(model->title, sizeof(model->title), &offered->title);
	message_str_copy(model->languages, sizeof(model->languages), &offered->languages);
	message_str_copy(model->licence, sizeof(model->licence), &offered->licence);
	++greeting->count;
}

static void recognizer_reset_greeting(struct recognizer_greeting *greeting)
{
	free(greeting->models);
	notes_reset(&greeting->notes);
}

/* Reads what a worker said until READY.  ENOMEM; EPROTO: READY is missing, or the bytes are not
 * messages. */
static int recognizer_read_greeting(struct recognizer_greeting *greeting, const char *engine,
				    const struct buf *said)
{
	struct message message;
	size_t at = 0;
	size_t used;
	int err = 0;

	*greeting = (struct recognizer_greeting){
		.models = calloc(RECOGNIZER_MODELS_MAX, sizeof(*greeting->models))};
	if (!greeting->models)
		err = ENOMEM;
	while (!err && at < said->len) {
		err = message_decode(&message, &used, said->bytes + at, said->len - at);
		if (err)
			break;
		at += used;
		if (message.type == MESSAGE_MODEL)
			recognizer_add_model(greeting, engine, &message.model);
		else if (message.type == MESSAGE_NOTE)
			err = notes_add(&greeting->notes, &message.note);
		else if (message.type == MESSAGE_READY)
			return 0;
	}
	recognizer_reset_greeting(greeting);
	return err == ENOMEM ? err : EPROTO;
}

static void recognizer_log_models(const struct recognizer *recognizer,
				  const struct recognizer_greeting *greeting)
{
	char names[256] = "none";
	size_t len = 0;

	for (size_t i = 0; i < greeting->count && len < sizeof(names); ++i)
		len += (size_t)snprintf(names + len, sizeof(names) - len, "%s%s", i ? ", " : "",
					greeting->models[i].name);
	log_info("hearing", "%s: models: %s", recognizer->name, names);
}

static int recognizer_on_ready(void *arg, const struct message_ready *ready, const struct buf *said)
{
	struct recognizer *recognizer = arg;
	struct recognizer_greeting greeting;
	int err;

	if (!(ready->capabilities & MESSAGE_LISTENS)) {
		log_error("hearing", "%s does not listen: its program needs another name",
			  recognizer->name);
		return EPROTO;
	}
	if (!said)
		return 0;
	err = recognizer_read_greeting(&greeting, recognizer->name, said);
	if (err)
		return err;
	err = hearing_models_replace(recognizer->pool->models, recognizer->name, greeting.models,
				     greeting.count);
	if (!err) {
		recognizer_log_models(recognizer, &greeting);
		notes_log(&greeting.notes, &recognizer->notes, "hearing", recognizer->name);
		recognizer->model_count = greeting.count;
		notes_reset(&recognizer->notes);
		recognizer->notes = greeting.notes;
		greeting.notes = (struct notes){0};
	}
	recognizer_reset_greeting(&greeting);
	return err;
}

void recognizer_expect(struct recognizer *recognizer)
{
	const struct hearing_pool_options *options = &recognizer->pool->options;
	struct recognizer_greeting greeting;
	struct buf said;
	size_t kept = 0;
	int err;

	if (!options->is_installed)
		return;
	buf_init(&said, FLEET_SAID_MAX);
	err = fleet_load_record(recognizer->fleet, &said);
	if (!err)
		err = recognizer_read_greeting(&greeting, recognizer->name, &said);
	buf_reset(&said);
	if (err)
		return; /* its models are known when it has loaded */
	for (size_t i = 0; i < greeting.count; ++i) {
		if (options->is_installed(recognizer->name, greeting.models[i].name,
					  options->installed_arg))
			greeting.models[kept++] = greeting.models[i];
	}
	recognizer->worked_before = kept > 0;
	if (hearing_models_replace(recognizer->pool->models, recognizer->name, greeting.models,
				   kept) != 0)
		log_warn("hearing", "no memory for the models of %s before it has loaded",
			 recognizer->name);
	recognizer_reset_greeting(&greeting);
}

static void recognizer_on_changed(void *arg)
{
	struct recognizer *recognizer = arg;

	hearing_pool_check_ready(recognizer->pool);
	hearing_pool_run_soon(recognizer->pool);
}

/* Streams that wait get their whole time again: the death was not their fault, and a new worker may
 * need most of that time to start. */
static void recognizer_on_restarting(void *arg)
{
	struct recognizer *recognizer = arg;
	const struct list *queued = &recognizer->queued;

	for (struct link *l = list_first(queued); l; l = list_next(queued, l))
		hearing_stream_wait_anew(LIST_OBJECT(l, struct hearing_stream, link));
}

static void recognizer_on_given_up(void *arg)
{
	struct recognizer *recognizer = arg;

	log_error("hearing", "the models of %s are missing until it starts", recognizer->name);
	recognizer->model_count = 0;
	(void)hearing_models_replace(recognizer->pool->models, recognizer->name, NULL, 0);
	recognizer_on_restarting(recognizer);
}

static uint32_t recognizer_cost(const struct message *message)
{
	if (message->type == MESSAGE_ACTIVITY)
		return (uint32_t)message->activity.count;
	return message->type == MESSAGE_WORDS;
}

static const char *recognizer_on_message(void *user, const struct message *message)
{
	struct hearing_stream *stream = user;

	switch (message->type) {
	case MESSAGE_ROOM:
		feed_take_room(stream, message->room);
		break;
	case MESSAGE_ACTIVITY:
		return feed_take_activity(stream, &message->activity);
	case MESSAGE_WORDS:
		return piece_take_words(stream, &message->words);
	default: /* may be part of a later version */
		break;
	}
	return NULL;
}

static void recognizer_on_done(void *user, const struct message *message)
{
	struct hearing_stream *stream = user;
	const struct message_done_report *done = &message->done;
	bool is_complete = hearing_stream_is_complete(stream);
	char detail[200];

	feed_end(stream);
	if (done->status == MESSAGE_DONE_OK && is_complete) {
		hearing_stream_end(stream, HEARING_DONE, "");
		return;
	}
	message_str_copy(detail, sizeof(detail), &done->detail);
	log_warn("hearing", "%s ended a stream early: %s", stream->recognizer->name, detail);
	hearing_stream_end(stream, HEARING_FAILED, detail);
}

static void recognizer_on_lost(void *user, uint64_t serial)
{
	(void)serial;
	suspect_worker_died(user);
}

static const struct fleet_ops recognizer_fleet_ops = {
	.demand = recognizer_on_demand,
	.ready = recognizer_on_ready,
	.changed = recognizer_on_changed,
	.restarting = recognizer_on_restarting,
	.given_up = recognizer_on_given_up,
	.cost = recognizer_cost,
	.message = recognizer_on_message,
	.done = recognizer_on_done,
	.lost = recognizer_on_lost,
};

static void recognizer_destroy(void *object)
{
	struct recognizer *recognizer = object;

	mem_deref(recognizer->fleet);
	notes_reset(&recognizer->notes);
	if (link_is_on_list(&recognizer->link))
		list_remove(&recognizer->pool->recognizers, &recognizer->link);
}

int recognizer_alloc(struct recognizer **recognizerp, struct hearing_pool *pool, const char *name,
		     const char *program)
{
	const struct hearing_pool_options *options = &pool->options;
	struct recognizer *recognizer = mem_zalloc(sizeof(*recognizer), recognizer_destroy);
	const struct fleet_options fleet = {
		.name = name,
		.program = program,
		.launch = {.launcher = pool->launcher,
			   .environment = pool->environment,
			   .memory_mb = options->memory_mb,
			   .cpu_seconds = options->cpu_seconds,
			   .jit = launch_is_listed(options->jit_engines, name),
			   .test_hooks = options->test_hooks},
		.workers_max = options->workers_max,
		.memory = options->memory,
		.cores = options->slots,
		.stall_ms = options->stall_ms,
		.recycle_jobs = options->recycle_jobs,
		.records_dir = options->records_dir,
	};
	int err;

	if (!recognizer)
		return ENOMEM;
	recognizer->pool = pool;
	snprintf(recognizer->name, sizeof(recognizer->name), "%s", name);
	list_init(&recognizer->queued);
	list_init(&recognizer->alone);
	list_init(&recognizer->seated);
	list_init(&recognizer->waiting);
	list_init(&recognizer->loads);
	err = fleet_alloc(&recognizer->fleet, pool->loop, &fleet, &recognizer_fleet_ops,
			  recognizer);
	if (err) {
		mem_deref(recognizer);
		return err;
	}
	*recognizerp = recognizer;
	return 0;
}
