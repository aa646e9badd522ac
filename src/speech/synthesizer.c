/*
 * synthesizer.c: an engine as its voices' jobs see it.
 *
 * Has the fleet of workers that run the engine, and the jobs that they speak or
 * that wait for them.  Gives the fleet its table of functions: what a worker says
 * before it is ready becomes voices of the catalogue, what it says on a seat goes
 * to the job that sits there.  Credit is counted in samples.
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

/* Seats to have free when nobody waits: half of a burst of eight. */
#define SYNTHESIZER_SPARE_SEATS 4

/* Each sample that a worker sends extends the stall limit by this many times its own
 * duration: an engine a hundred times slower than real time is never considered silent, but
 * one that sends a single sample now and then to look alive is. */
#define SYNTHESIZER_SAMPLE_WORTH 1000

/* What a second of audio may cost, as an engine says it: far too much, and still
 * a number that can be worked with. */
#define SYNTHESIZER_COST_MAX_US 1000000000u

/* An engine without voices has nothing to do, and one worker to say so. */
static void synthesizer_on_demand(void *arg, struct fleet_demand *demand)
{
	const struct synthesizer *synthesizer = arg;
	const struct list *again = &synthesizer->again.jobs;
	const struct speech_job *first = job_queue_first(&synthesizer->again);
	bool is_in_use = synthesizer->pool->all_answered && synthesizer->voice_count > 0;

	*demand = (struct fleet_demand){
		.spare = is_in_use ? SYNTHESIZER_SPARE_SEATS : 1,
		.waiting = synthesizer->queued.jobs.count,
		.alone = again->count,
		.alone_after = first ? first->newer_than : 0,
		.alone_after_least = UINT64_MAX,
	};
	for (struct link *l = list_first(again); l; l = list_next(again, l)) {
		const struct speech_job *job = LIST_OBJECT(l, struct speech_job, link);

		if (job->newer_than < demand->alone_after_least)
			demand->alone_after_least = job->newer_than;
	}
}

/* New notes are worth a line in the log, and old ones have had theirs.  Voices are called speakers
 * here, because one of them may be several voices, or only the second choice for one: the number
 * of voices is given in addition. */
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
	for (size_t i = 0; i < greeting->note_count; ++i) {
		const struct note *note = &greeting->notes[i];

		if (!greeting_has_note(&synthesizer->greeting, note))
			log_warn("speech", "%s: %s%s%s", synthesizer->name, note->about,
				 note->about[0] ? ": " : "", note->text);
	}
}

static int synthesizer_on_ready(void *arg, const struct message_ready *ready,
				const struct buf *said)
{
	struct synthesizer *synthesizer = arg;
	struct greeting greeting = {0};
	struct voices_change change;
	int err;

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
	greeting_reset(&synthesizer->greeting);
	synthesizer->greeting.notes = greeting.notes;
	synthesizer->greeting.note_count = greeting.note_count;
	greeting.notes = NULL;
	greeting_reset(&greeting);
	return 0;
}

static void synthesizer_on_changed(void *arg)
{
	struct synthesizer *synthesizer = arg;

	pool_check_ready(synthesizer->pool);
	scheduler_run_soon(synthesizer->pool);
}

/* Callers are not refused because of a death that was not their fault: the engine may need most of
 * their time to start again. */
static void synthesizer_on_restarting(void *arg)
{
	struct synthesizer *synthesizer = arg;
	const struct list *queued = &synthesizer->queued.jobs;

	for (struct link *l = list_first(queued); l; l = list_next(queued, l))
		job_wait_anew(LIST_OBJECT(l, struct speech_job, link));
}

/* Its voices are spoken by other engines where there are any. */
static void synthesizer_on_given_up(void *arg)
{
	struct synthesizer *synthesizer = arg;

	log_error("speech", "the voices of %s are missing until it starts", synthesizer->name);
	/* For the time that any worker may take, which is shorter than that for loading. */
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
	default: /* of a later version: not for us */
		break;
	}
	return NULL;
}

/* What a second of audio costs, for the size of a slice. */
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
	synthesizer_measure(job->synthesizer, job, done);
	if (done->status != MESSAGE_DONE_OK)
		log_warn("speech", "%s could not speak a chunk: %.*s", job->synthesizer->name,
			 (int)done->detail.len, done->detail.bytes);
	job_done(job, done);
}

/* The serial is the same for all jobs that one death has cost their seat. */
static void synthesizer_on_lost(void *user, uint64_t serial)
{
	(void)serial;
	job_worker_died(user);
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

/* Whether the operator has listed the engine as one that generates code. */
static bool synthesizer_is_jit(const struct synthesizer *synthesizer)
{
	const char *names = synthesizer->pool->options.jit_engines;

	while (names && *names) {
		size_t len;

		names += strspn(names, " ,");
		len = strcspn(names, " ,");
		if (len > 0 && len == strlen(synthesizer->name) &&
		    strncmp(names, synthesizer->name, len) == 0)
			return true;
		names += len;
	}
	return false;
}

static void synthesizer_destroy(void *object)
{
	struct synthesizer *synthesizer = object;

	mem_deref(synthesizer->fleet);
	greeting_reset(&synthesizer->greeting);
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
	synthesizer->busy_us_per_second = 100000; /* slow until it was measured */
	job_queue_init(&synthesizer->queued);
	job_queue_init(&synthesizer->again);
	job_queue_init(&synthesizer->parked);
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
			   .jit = synthesizer_is_jit(synthesizer),
			   .report = pool->synthesizers.count == 0,
			   .test_hooks = options->test_hooks},
		.workers_max = options->workers_max,
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
