/*
 * pool.c: who of the workers speaks when (see pool.h, pool_private.h).
 *
 * Credit is how it is done: a job runs only while it holds credit, credit goes
 * to the job whose listener runs dry first, to about as many jobs as there are
 * cores, in slices of about a millisecond of work.  So a long sentence is
 * preempted without its engine knowing, and sixteen callers at the same
 * instant all get their first sound within milliseconds.
 */
#include "speech/pool.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "metrics/metrics.h"
#include "speech/pool_private.h"

#define ENGINE_PREFIX "syrinx-"

/* A slice is what the engine makes in this time when others wait … */
#define SLICE_BUSY_US 1000
/* … or when nobody is in a hurry: who comes next may have to wait so long. */
#define SLICE_CALM_US 5000

/* A listener that has this much to hear yet does not hurry anyone: the job that
 * runs goes on, because every change of process costs it its caches. */
#define CALM_US 500000

/* A job without credit for this long gives its worker up if others wait: long
 * enough that a network hiccup of the client does not cost a second synthesis. */
#define TAKE_BACK_AFTER_US 250000

/* A job that is silent for so long gives its slot up: soon enough for a first
 * chunk to start in time, later than an engine that is only slow. */
#define STUCK_US 1000000

static struct speech_job *first_job(const struct list *list)
{
	struct link *link = list_first(list);

	return link ? LIST_OBJECT(link, struct speech_job, link) : NULL;
}

/* The first of the queues that a worker would suit.  What suits one that was
 * never on a dying worker suits all of those, so only one of them is tried. */
static struct speech_job *first_startable(struct fleet *fleet)
{
	struct speech_job *job = first_job(&fleet->queued);

	if (job && !fleet_worker_for(fleet, job))
		job = NULL;
	for (struct link *l = list_first(&fleet->again); l; l = list_next(&fleet->again, l)) {
		struct speech_job *again = LIST_OBJECT(l, struct speech_job, link);

		if (job && job_rank(job) <= job_rank(again))
			break;
		if (fleet_worker_for(fleet, again))
			return again;
	}
	return job;
}

/* The job whose listener runs dry first, among those that could go on. */
static struct speech_job *most_urgent(struct pool *pool)
{
	struct speech_job *best = first_job(&pool->parked);

	for (struct link *l = list_first(&pool->fleets); l; l = list_next(&pool->fleets, l)) {
		struct speech_job *job = first_startable(LIST_OBJECT(l, struct fleet, link));

		if (job && (!best || job_rank(job) < job_rank(best)))
			best = job;
	}
	return best;
}

static void note_first_grant(struct speech_job *job)
{
	if (job->first && !job->was_granted)
		metrics_observe(METRIC_ADDED, loop_now_us(job->pool->loop) - job->asked_us);
	job->was_granted = true;
}

static void grant(struct speech_job *job)
{
	uint32_t credit = slice_stock(job);

	if (credit == 0)
		credit = slice_samples(job, SLICE_BUSY_US);

	if (job->worker)
		worker_credit(job->worker, job, credit);
	else if (worker_seat_job(fleet_worker_for(job->fleet, job), job, credit) != 0)
		return; /* that worker is lost; the job still waits for one */
	note_first_grant(job);
	job_move(job, JOB_RUNNING);
}

/* A job that was not heard of for long counts for none: two texts on which an
 * engine hangs must not keep everybody else waiting until it is killed. */
static unsigned slots_taken(const struct pool *pool)
{
	uint64_t now = loop_now_us(pool->loop);
	unsigned taken = 0;

	for (struct link *l = list_first(&pool->running); l; l = list_next(&pool->running, l))
		taken += LIST_OBJECT(l, struct speech_job, link)->seat->heard_us + STUCK_US > now;
	return taken;
}

/* Nobody is in a hurry: those that run go on without a pause. */
static void top_up(struct pool *pool)
{
	for (struct link *l = list_first(&pool->running); l; l = list_next(&pool->running, l)) {
		struct speech_job *job = LIST_OBJECT(l, struct speech_job, link);
		uint32_t slice = slice_samples(job, SLICE_CALM_US);

		if (!job->held && job->received > 0 && job->seat->credit < slice / 2)
			worker_credit(job->worker, job, slice);
	}
}

static unsigned seats_coming(const struct fleet *fleet, bool reserved)
{
	unsigned coming = 0;

	for (struct link *l = list_first(&fleet->workers); l; l = list_next(&fleet->workers, l)) {
		const struct worker *worker = LIST_OBJECT(l, struct worker, link);

		if (!worker->leaving && worker->reserved == reserved)
			coming += worker_seats_coming(worker);
	}
	return coming;
}

/* Looked for on the workers: most jobs that are held, by clients who do not read,
 * have none any more. */
static struct speech_job *longest_held(const struct fleet *fleet, bool leaving, bool reserved)
{
	struct speech_job *longest = NULL;

	for (struct link *l = list_first(&fleet->workers); l; l = list_next(&fleet->workers, l)) {
		const struct worker *worker = LIST_OBJECT(l, struct worker, link);
		struct speech_job *job;

		if (worker->leaving != leaving || (!leaving && worker->reserved != reserved))
			continue;
		job = worker_longest_held(worker);
		if (job && (!longest || job->state_since_us < longest->state_since_us))
			longest = job;
	}
	return longest;
}

/* From a job that cannot use its worker now: it is made again later. */
static void take_back(struct speech_job *job)
{
	struct pool *pool = job->pool;

	if (loop_now_us(pool->loop) < job->state_since_us + TAKE_BACK_AFTER_US)
		return;
	++pool->taken_back;
	worker_call_off(job->worker, job);
	job_requeue(job);
}

static void take_back_for(struct fleet *fleet, size_t waiting, bool reserved)
{
	struct speech_job *job;

	if (seats_coming(fleet, reserved) >= waiting)
		return;
	job = longest_held(fleet, false, reserved);
	if (job)
		take_back(job);
}

/* Seats for those that queue, where no more workers can be had for them. */
static void lend_seats(struct fleet *fleet)
{
	struct speech_job *job = longest_held(fleet, true, false);

	if (job) /* a worker that is to go waits for nobody who does not listen */
		take_back(job);
	if (fleet_sits_alone(fleet)) {
		if (fleet_is_full(fleet))
			take_back_for(fleet, fleet_queue_len(fleet), false);
		return;
	}
	if (fleet_is_full(fleet))
		take_back_for(fleet, fleet->queued.count, false);
	take_back_for(fleet, fleet->again.count, true);
}

static void staff(struct pool *pool)
{
	for (struct link *l = list_first(&pool->fleets); l; l = list_next(&pool->fleets, l)) {
		struct fleet *fleet = LIST_OBJECT(l, struct fleet, link);

		fleet_keep_retries_staffed(fleet);
		if (fleet_queue_len(fleet) > 0)
			fleet_keep_staffed(fleet);
		lend_seats(fleet);
	}
}

static bool is_calm(const struct pool *pool, const struct speech_job *next)
{
	return !next || pool->options.order == POOL_BY_ARRIVAL ||
	       job_due_us(next) > loop_now_us(pool->loop) + CALM_US;
}

static void schedule(void *arg)
{
	struct pool *pool = arg;
	struct speech_job *job;

	while ((job = most_urgent(pool)) && slots_taken(pool) < pool->options.slots)
		grant(job);
	if (is_calm(pool, job))
		top_up(pool);
	staff(pool);
}

void pool_schedule_soon(struct pool *pool)
{
	loop_defer(pool->loop, &pool->schedule, schedule, pool);
}

static struct fleet *fleet_called(const struct pool *pool, const char *name)
{
	for (struct link *l = list_first(&pool->fleets); l; l = list_next(&pool->fleets, l)) {
		struct fleet *fleet = LIST_OBJECT(l, struct fleet, link);

		if (strcmp(fleet->name, name) == 0)
			return fleet;
	}
	return NULL;
}

static int start(struct speech_job **jobp, struct speech *speech,
		 const struct speech_request *request, const struct speech_listener *listener,
		 void *arg)
{
	struct pool *pool = (struct pool *)(void *)speech;
	struct fleet *fleet = fleet_called(pool, request->voice->engine);
	struct speech_job *job;
	int err;

	if (!fleet)
		return ENOENT;
	err = job_alloc(&job, pool, fleet, request);
	if (err)
		return err;
	job->listener = listener;
	job->arg = arg;
	job_requeue(job);
	*jobp = job;
	return 0;
}

static void hold(struct speech_job *job, bool held)
{
	if (job->held == held)
		return;
	job->held = held;
	if (held && (job->state == JOB_PARKED || job->state == JOB_QUEUED)) {
		timer_clear(&job->pool->loop->timers, &job->start_timer);
		job_move(job, JOB_HELD);
	} else if (!held && job->state == JOB_HELD) {
		if (job->worker)
			job_move(job, JOB_PARKED);
		else
			job_requeue(job);
		if (job->stock > 0 && job->worker)
			grant(job); /* made already: it needs no turn */
	}
	pool_schedule_soon(job->pool);
}

static void yield(struct speech_job *job)
{
	if (job->yields)
		return;
	job->yields = true;
	if (job->state == JOB_PARKED || job->state == JOB_QUEUED)
		job_move(job, job->state); /* to its new place on the list */
	pool_schedule_soon(job->pool);
}

static void cancel(struct speech_job *job)
{
	if (job->worker)
		worker_call_off(job->worker, job);
	job->listener = NULL;
	pool_schedule_soon(job->pool);
	job_move(job, JOB_NEW);
	mem_deref(job);
}

static bool has_own_speed(struct speech *speech, const struct voice *voice)
{
	const struct fleet *fleet = fleet_called((struct pool *)(void *)speech, voice->engine);

	return fleet && fleet->capabilities & MESSAGE_OWN_SPEED;
}

/* An engine that has not said yet what it can do ignores phonemes that it cannot read. */
static bool reads_phonemes(struct speech *speech, const struct voice *voice)
{
	const struct fleet *fleet = fleet_called((struct pool *)(void *)speech, voice->engine);

	return fleet && (!fleet->knows_capabilities || fleet->capabilities & MESSAGE_PHONEMES);
}

static const struct speech_ops pool_ops = {
	.start = start,
	.hold = hold,
	.yield = yield,
	.cancel = cancel,
	.has_own_speed = has_own_speed,
	.reads_phonemes = reads_phonemes,
};

static void free_words(char **words)
{
	for (char **word = words; word && *word; ++word)
		free(*word);
	free(words);
}

static int copy_words(char ***copyp, const char *const *words)
{
	size_t n = 0;
	char **copy;

	while (words && words[n])
		++n;
	copy = calloc(n + 1, sizeof(*copy));
	for (size_t i = 0; copy && i < n; ++i) {
		copy[i] = strdup(words[i]);
		if (!copy[i]) {
			free_words(copy);
			return ENOMEM;
		}
	}
	*copyp = copy;
	return copy ? 0 : ENOMEM;
}

static void pool_destroy(void *object)
{
	struct pool *pool = object;
	struct link *link;

	watchdog_stop(pool);
	loop_undefer(pool->loop, &pool->schedule);
	while ((link = list_first(&pool->fleets)))
		mem_deref(LIST_OBJECT(link, struct fleet, link));
	loop_undefer(pool->loop, &pool->schedule);
	free_words(pool->launcher);
	free_words(pool->environment);
	mem_deref(pool->voices);
}

#define ENGINE_PATH_SIZE 4096

static bool pool_wants(const struct pool_options *options, const char *engine)
{
	return (!options->only_engine || strcmp(options->only_engine, engine) == 0) &&
	       (!options->but_engine || strcmp(options->but_engine, engine) != 0);
}

/* Whether a file of the engines' directory is an engine: a program called syrinx-NAME.  The benchmark
 * is installed there too, and its name is like an engine's. */
static bool pool_is_engine(char path[ENGINE_PATH_SIZE], const char *dir, const char *file)
{
	const char *name = file + strlen(ENGINE_PREFIX);

	if (strncmp(file, ENGINE_PREFIX, strlen(ENGINE_PREFIX)) != 0 || *name == '\0' ||
	    strcmp(name, "bench") == 0 || strlen(name) >= VOICE_ENGINE_MAX || strchr(name, '.'))
		return false;
	snprintf(path, ENGINE_PATH_SIZE, "%s/%s", dir, file);
	return access(path, X_OK) == 0;
}

int pool_each_engine(const char *engines_dir, pool_engine_h *handler, void *arg)
{
	DIR *dir = opendir(engines_dir);
	char path[ENGINE_PATH_SIZE];
	const struct dirent *entry;
	int err = 0;

	if (!dir)
		return errno;
	while (!err && (entry = readdir(dir))) {
		if (pool_is_engine(path, engines_dir, entry->d_name))
			err = handler(entry->d_name + strlen(ENGINE_PREFIX), path, arg);
	}
	closedir(dir);
	return err;
}

static int note_engine(const char *name, const char *path, void *arg)
{
	bool *found = arg;

	(void)name;
	(void)path;
	*found = true;
	return 0;
}

int pool_look(const char *engines_dir)
{
	bool found = false;
	int err = pool_each_engine(engines_dir, note_engine, &found);

	return err || found ? err : ENOENT;
}

static int add_engine(const char *name, const char *path, void *arg)
{
	struct pool *pool = arg;
	struct fleet *fleet;
	int err;

	if (!pool_wants(&pool->options, name))
		return 0;
	err = fleet_alloc(&fleet, pool, name, path);
	if (err)
		return err;
	list_append(&pool->fleets, &fleet->link);
	return 0;
}

static int find_engines(struct pool *pool)
{
	int err = pool_each_engine(pool->options.engines_dir, add_engine, pool);

	return err || pool->fleets.count > 0 ? err : ENOENT;
}

int pool_alloc(struct pool **poolp, struct loop *loop, const struct pool_options *options)
{
	struct pool *pool = mem_zalloc(sizeof(*pool), NULL);
	int err;

	if (!pool)
		return ENOMEM;
	pool->speech.ops = &pool_ops;
	pool->loop = loop;
	pool->options = *options;
	list_init(&pool->fleets);
	list_init(&pool->running);
	list_init(&pool->parked);
	list_init(&pool->held);
	mem_set_destructor(pool, pool_destroy);
	err = voices_alloc(&pool->voices, !options->no_fallback);
	if (!err) {
		voices_set_complete(pool->voices, false);
		err = copy_words(&pool->launcher, options->launcher);
	}
	if (!err)
		err = copy_words(&pool->environment, options->environment);
	if (!err)
		err = find_engines(pool);
	if (err) {
		mem_deref(pool);
		return err;
	}
	for (struct link *l = list_first(&pool->fleets); l; l = list_next(&pool->fleets, l)) {
		expect_voices(LIST_OBJECT(l, struct fleet, link));
		fleet_keep_staffed(LIST_OBJECT(l, struct fleet, link));
	}
	watchdog_start(pool);
	*poolp = pool;
	return 0;
}

struct speech *pool_speech(struct pool *pool)
{
	return &pool->speech;
}

const struct voices *pool_voices(const struct pool *pool)
{
	return pool->voices;
}

int pool_set_derived(struct pool *pool, const struct voice *derived, size_t count)
{
	return voices_set_derived(pool->voices, derived, count);
}

void pool_on_ready(struct pool *pool, void (*handler)(void *arg), void *arg)
{
	pool->ready_handler = handler;
	pool->ready_arg = arg;
	pool_check_ready(pool);
}

int pool_renew(struct pool *pool, const char *engine)
{
	struct fleet *fleet = fleet_called(pool, engine);

	if (!fleet)
		return ENOENT;
	fleet_renew(fleet);
	return 0;
}

int pool_note_at(struct pool_note *note, const struct pool *pool, size_t i)
{
	for (struct link *l = list_first(&pool->fleets); l; l = list_next(&pool->fleets, l)) {
		const struct fleet *fleet = LIST_OBJECT(l, struct fleet, link);
		const struct greeting *greeting = &fleet->greeting;

		if (i < greeting->note_count) {
			*note = (struct pool_note){fleet->name, greeting->notes[i].about,
						   greeting->notes[i].text};
			return 0;
		}
		i -= greeting->note_count;
	}
	return ENOENT;
}

const char *pool_loading(const struct pool *pool)
{
	for (struct link *l = list_first(&pool->fleets); l; l = list_next(&pool->fleets, l)) {
		const struct fleet *fleet = LIST_OBJECT(l, struct fleet, link);

		if (!fleet->answered)
			return fleet->name;
	}
	return NULL;
}

const char *pool_lost(const struct pool *pool)
{
	for (struct link *l = list_first(&pool->fleets); l; l = list_next(&pool->fleets, l)) {
		const struct fleet *fleet = LIST_OBJECT(l, struct fleet, link);

		if (fleet->given_up && fleet->worked_before)
			return fleet->name;
	}
	return NULL;
}

void pool_keep_records(struct pool *pool)
{
	pool->keeps_records = true;
	for (struct link *l = list_first(&pool->fleets); l; l = list_next(&pool->fleets, l))
		fleet_keep_record(LIST_OBJECT(l, struct fleet, link));
}

/* Until every engine has answered each has one worker: the others would only
 * keep the slowest engine from the processor. */
static void staff_all(struct pool *pool)
{
	pool->all_answered = true;
	voices_set_complete(pool->voices, true);
	for (struct link *l = list_first(&pool->fleets); l; l = list_next(&pool->fleets, l))
		fleet_keep_staffed(LIST_OBJECT(l, struct fleet, link));
}

void pool_check_ready(struct pool *pool)
{
	if (!pool->all_answered && !pool_loading(pool))
		staff_all(pool);
	if (!pool->all_answered || !pool->ready_handler || pool->ready_told)
		return;
	pool->ready_told = true;
	pool->ready_handler(pool->ready_arg);
}

void pool_stats(const struct pool *pool, struct pool_stats *stats)
{
	*stats = (struct pool_stats){
		.jobs_running = (unsigned)pool->running.count,
		.jobs_parked = (unsigned)pool->parked.count,
		.jobs_held = (unsigned)pool->held.count,
		.worker_deaths = pool->worker_deaths,
		.retries = pool->retries,
		.taken_back = pool->taken_back,
	};
	for (struct link *l = list_first(&pool->fleets); l; l = list_next(&pool->fleets, l)) {
		const struct fleet *fleet = LIST_OBJECT(l, struct fleet, link);

		stats->workers += (unsigned)fleet->workers.count;
		stats->starting += fleet->starting;
		stats->jobs_queued += (unsigned)fleet_queue_len(fleet);
		for (struct link *w = list_first(&fleet->workers); w;
		     w = list_next(&fleet->workers, w))
			stats->seats_taken += LIST_OBJECT(w, struct worker, link)->seats_taken;
	}
}
