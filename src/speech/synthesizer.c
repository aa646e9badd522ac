/*
 * synthesizer.c: one engine: its fleet of workers, and the jobs of its voices.
 *
 * Supplies the fleet's table of functions (workers/fleet.h): the voices that a worker
 * announces before READY are put into the catalogue, and messages about a seat are
 * passed to the job that has it.  Credit is counted in samples.
 *
 * Runs on the loop's thread.  The pool owns its synthesizers.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "speech/pool_private.h"

_Static_assert(VOICE_ENGINE_MAX <= FLEET_NAME_MAX, "an engine's name is its fleet's");

/* Free seats to keep when no job waits: half of what a burst of eight needs. */
#define SYNTHESIZER_SPARE_SEATS 4

/* Each sample that a worker sends extends the stall limit by this many times its own
 * duration: an engine a hundred times slower than real time is never considered silent, but
 * one that sends a single sample now and then to look alive is. */
#define SYNTHESIZER_SAMPLE_WORTH 1000

/* Limits the cost of a second of audio, which is computed from what an engine says, so that sums and
 * products with it do not overflow. */
#define SYNTHESIZER_COST_MAX_US 1000000000u

/* One worker is enough for an engine without voices and, until all engines have answered, for any. */
static void synthesizer_on_demand(void *arg, struct fleet_demand *demand)
{
	const struct synthesizer *synthesizer = arg;
	bool is_in_use = synthesizer->pool->all_answered && synthesizer->voice_count > 0;

	*demand = (struct fleet_demand){
		.spare = is_in_use ? SYNTHESIZER_SPARE_SEATS : 1,
		.waiting = synthesizer->queued.jobs.count,
	};
	demand->groups = retry_waiting(synthesizer, &demand->newer_than);
}

/* The engine's voices are called speakers here, because one of them may speak several voices of the catalogue, or be
 * only the second choice for one: the number of voices is logged in addition. */
static void synthesizer_log_greeting(const struct synthesizer *synthesizer,
				     const struct greeting *greeting,
				     const struct voices_change *change)
{
	size_t voices = voices_count(synthesizer->pool->voices);

	if (change->added > 0)
		log_info("speech", "%s: %zu new speakers, %zu voices in all", synthesizer->name,
			 change->added, voices);
	if (change->removed > 0)
		log_info("speech", "%s: %zu speakers gone, %zu voices in all", synthesizer->name,
			 change->removed, voices);
	notes_log(&greeting->notes, &synthesizer->notes, "speech", synthesizer->name);
}

static int synthesizer_on_ready(void *arg, const struct message_ready *ready,
				const struct buf *said)
{
	struct synthesizer *synthesizer = arg;
	struct greeting greeting = {0};
	struct voices_change change;
	int err;

	if (ready->capabilities & (MESSAGE_LISTENS | MESSAGE_DECODES)) {
		log_error("speech", "%s does not speak: its program needs another name",
			  synthesizer->name);
		return EPROTO;
	}
	synthesizer->capabilities = ready->capabilities;
	synthesizer->knows_capabilities = true;
	if (!said)
		return 0;
	err = greeting_read(&greeting, synthesizer->name, said);
	if (!err)
		err = voices_replace(synthesizer->pool->voices, synthesizer->name, greeting.voices,
				     greeting.voice_count, &change);
	if (err) {
		greeting_reset(&greeting);
		return err;
	}
	synthesizer_log_greeting(synthesizer, &greeting, &change);
	synthesizer->voice_count = greeting.voice_count;
	notes_reset(&synthesizer->notes);
	synthesizer->notes = greeting.notes;
	greeting.notes = (struct notes){0};
	greeting_reset(&greeting);
	return 0;
}

static void synthesizer_on_changed(void *arg)
{
	struct synthesizer *synthesizer = arg;

	pool_check_ready(synthesizer->pool);
	scheduler_run_soon(synthesizer->pool);
}

/* Jobs that wait get their whole time again: the death was not their fault, and a new worker may need
 * most of that time to start. */
static void synthesizer_on_restarting(void *arg)
{
	struct synthesizer *synthesizer = arg;
	const struct list *queued = &synthesizer->queued.jobs;

	for (struct link *l = list_first(queued); l; l = list_next(queued, l))
		job_wait_anew(LIST_OBJECT(l, struct speech_job, link));
}

/* Other engines speak its voices, if the table names any that can. */
static void synthesizer_on_given_up(void *arg)
{
	struct synthesizer *synthesizer = arg;

	log_error("speech", "the voices of %s are missing until it starts", synthesizer->name);
	/* Jobs that wait now have the usual time until they are refused, not the longer one that an
	 * engine has to load. */
	synthesizer_on_restarting(synthesizer);
	if (voices_set_missing(synthesizer->pool->voices, synthesizer->name, true) != 0)
		log_error("speech", "no memory for other speakers of the voices of %s",
			  synthesizer->name);
}

static uint32_t synthesizer_cost(const struct message *message)
{
	return message->type == MESSAGE_AUDIO ? (uint32_t)message->audio.count : 0;
}

static const char *synthesizer_take_audio(struct speech_job *job, const struct message_audio *audio)
{
	if (!speech_is_rate(audio->sample_rate))
		return "audio at an invalid rate";
	if (job->sample_rate && audio->sample_rate != job->sample_rate)
		return "audio at two rates in one job";
	mem_ref(job); /* its listener may cancel it */
	seat_progress(job->seat, audio->count * UINT64_C(1000000) * SYNTHESIZER_SAMPLE_WORTH /
					 audio->sample_rate);
	if (job->is_stuck)
		scheduler_check_stuck(job);
	job_audio(job, audio);
	if (job->listener && job->state == JOB_RUNNING && seat_credit(job->seat) == 0)
		scheduler_spent(job);
	scheduler_run_soon(job->pool);
	mem_deref(job);
	return NULL;
}

static const char *synthesizer_on_message(void *user, const struct message *message)
{
	struct speech_job *job = user;

	switch (message->type) {
	case MESSAGE_AUDIO:
		return synthesizer_take_audio(job, &message->audio);
	case MESSAGE_MADE:
		job->stock = message->made_samples;
		break;
	case MESSAGE_WORD:
		job_word(job, &message->word);
		break;
	default: /* may be part of a later version */
		break;
	}
	return NULL;
}

/* Updates the average cost of a second of audio, on which ranks and the size of slices depend. */
static void synthesizer_measure(struct synthesizer *synthesizer, const struct speech_job *job,
				const struct message_done_report *done)
{
	uint64_t made = done->samples;
	uint64_t cost;

	if (done->status != MESSAGE_DONE_OK || !job->sample_rate || made < job->sample_rate / 2 ||
	    job->busy_before_us > 0)
		return; /* too short to tell, or partly made elsewhere */
	cost = (uint64_t)done->busy_us * job->sample_rate / made;
	if (cost > SYNTHESIZER_COST_MAX_US)
		cost = SYNTHESIZER_COST_MAX_US;
	synthesizer->busy_us_per_second =
		(uint32_t)((7 * (uint64_t)synthesizer->busy_us_per_second + cost) / 8);
}

static void synthesizer_on_done(void *user, const struct message *message)
{
	struct speech_job *job = user;
	const struct message_done_report *done = &message->done;

	job->seat = NULL;
	turn_state_done(job, done->status == MESSAGE_DONE_OK);
	synthesizer_measure(job->synthesizer, job, done);
	if (done->status != MESSAGE_DONE_OK)
		log_warn("speech", "%s could not speak a chunk: %.*s", job->synthesizer->name,
			 (int)done->detail.len, done->detail.bytes);
	job_done(job, done);
}

static void synthesizer_on_lost(void *user, uint64_t serial)
{
	retry_worker_died(user, serial);
}

static const struct fleet_ops synthesizer_fleet_ops = {
	.demand = synthesizer_on_demand,
	.ready = synthesizer_on_ready,
	.changed = synthesizer_on_changed,
	.restarting = synthesizer_on_restarting,
	.given_up = synthesizer_on_given_up,
	.cost = synthesizer_cost,
	.message = synthesizer_on_message,
	.done = synthesizer_on_done,
	.lost = synthesizer_on_lost,
};

static void synthesizer_destroy(void *object)
{
	struct synthesizer *synthesizer = object;

	mem_deref(synthesizer->fleet);
	turn_state_end_all(synthesizer);
	notes_reset(&synthesizer->notes);
	if (link_is_on_list(&synthesizer->link))
		list_remove(&synthesizer->pool->synthesizers, &synthesizer->link);
}

int synthesizer_alloc(struct synthesizer **synthesizerp, struct pool *pool, const char *name,
		      const char *program)
{
	const struct pool_options *options = &pool->options;
	struct synthesizer *synthesizer = mem_zalloc(sizeof(*synthesizer), synthesizer_destroy);
	struct fleet_options fleet;
	bool is_large = options->large_engine && strcmp(name, options->large_engine) == 0;
	int err;

	if (!synthesizer)
		return ENOMEM;
	synthesizer->pool = pool;
	snprintf(synthesizer->name, sizeof(synthesizer->name), "%s", name);
	synthesizer->busy_us_per_second = 100000; /* assumed to be slow until it is measured */
	job_queue_init(&synthesizer->queued);
	job_queue_init(&synthesizer->bound);
	list_init(&synthesizer->turns);
	job_queue_init(&synthesizer->parked);
	list_init(&synthesizer->groups);
	list_init(&synthesizer->running);
	list_init(&synthesizer->held);
	list_init(&synthesizer->aside);
	fleet = (struct fleet_options){
		.name = name,
		.program = program,
		.launch = {.launcher = pool->launcher,
			   .environment = pool->environment,
			   .memory_mb = is_large ? options->large_memory_mb : options->memory_mb,
			   .cpu_seconds = options->cpu_seconds,
			   .jit = launch_is_listed(options->jit_engines, name),
			   .report = pool->synthesizers.count == 0,
			   .test_hooks = options->test_hooks},
		.workers_max = options->workers_max,
		.memory = options->memory,
		.cores = options->slots,
		.stall_ms = options->stall_ms,
		.recycle_jobs = options->recycle_jobs,
		.records_dir = options->records_dir,
	};
	err = fleet_alloc(&synthesizer->fleet, pool->loop, &fleet, &synthesizer_fleet_ops,
			  synthesizer);
	if (err) {
		mem_deref(synthesizer);
		return err;
	}
	*synthesizerp = synthesizer;
	return 0;
}
