/*
 * pool.c: the engines, and what is known of all of them together (see pool.h).
 *
 * Runs on the loop's thread.  The pool owns the synthesizers (synthesizer.c) and,
 * through them, the worker processes; which job is spoken when is decided in
 * scheduler.c.
 */
#include "speech/pool.h"

#include <errno.h>
#include <string.h>

#include "base/mem.h"
#include "speech/pool_private.h"
#include "workers/installed.h"

struct synthesizer *pool_first(const struct pool *pool)
{
	struct link *link = list_first(&pool->synthesizers);

	return link ? LIST_OBJECT(link, struct synthesizer, link) : NULL;
}

struct synthesizer *pool_next(const struct pool *pool, const struct synthesizer *synthesizer)
{
	struct link *link = list_next(&pool->synthesizers, &synthesizer->link);

	return link ? LIST_OBJECT(link, struct synthesizer, link) : NULL;
}

struct synthesizer *pool_find(const struct pool *pool, const char *engine)
{
	for (struct synthesizer *s = pool_first(pool); s; s = pool_next(pool, s)) {
		if (strcmp(s->name, engine) == 0)
			return s;
	}
	return NULL;
}

static void pool_destroy(void *object)
{
	struct pool *pool = object;

	while (pool_first(pool))
		mem_deref(pool_first(pool));
	scheduler_stop(pool); /* last, because the end of a worker queues its jobs again */
	launch_free_words(pool->launcher);
	launch_free_words(pool->environment);
	mem_deref(pool->voices);
}

static bool pool_wants(const struct pool_options *options, const char *engine)
{
	return (!options->only_engine || strcmp(options->only_engine, engine) == 0) &&
	       (!options->but_engine || strcmp(options->but_engine, engine) != 0);
}

static int pool_note_engine(const char *name, const char *path, void *arg)
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
	int err = installed_each(engines_dir, INSTALLED_SPEAKS, pool_note_engine, &found);

	return err || found ? err : ENOENT;
}

static int pool_add_engine(const char *name, const char *path, void *arg)
{
	struct pool *pool = arg;
	struct synthesizer *synthesizer;
	int err;

	if (!pool_wants(&pool->options, name))
		return 0;
	err = synthesizer_alloc(&synthesizer, pool, name, path);
	if (err)
		return err;
	list_append(&pool->synthesizers, &synthesizer->link);
	return 0;
}

static int pool_find_engines(struct pool *pool)
{
	int err =
		installed_each(pool->options.engines_dir, INSTALLED_SPEAKS, pool_add_engine, pool);

	return err || pool->synthesizers.count > 0 ? err : ENOENT;
}

int pool_alloc(struct pool **poolp, struct loop *loop, const struct pool_options *options)
{
	struct pool *pool = mem_zalloc(sizeof(*pool), NULL);
	int err;

	if (!pool)
		return ENOMEM;
	pool->speech.ops = &scheduler_speech_ops;
	pool->loop = loop;
	pool->options = *options;
	list_init(&pool->synthesizers);
	mem_set_destructor(pool, pool_destroy);
	err = voices_alloc(&pool->voices, !options->no_fallback);
	if (!err) {
		voices_set_complete(pool->voices, false);
		err = launch_copy_words(&pool->launcher, options->launcher);
	}
	if (!err)
		err = launch_copy_words(&pool->environment, options->environment);
	if (!err)
		err = pool_find_engines(pool);
	if (err) {
		mem_deref(pool);
		return err;
	}
	for (struct synthesizer *s = pool_first(pool); s; s = pool_next(pool, s)) {
		expect_voices(s);
		fleet_staff(s->fleet);
	}
	scheduler_start(pool);
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
	struct synthesizer *synthesizer = pool_find(pool, engine);

	if (!synthesizer)
		return ENOENT;
	fleet_renew(synthesizer->fleet);
	return 0;
}

int pool_note_at(struct pool_note *note, const struct pool *pool, size_t i)
{
	for (struct synthesizer *s = pool_first(pool); s; s = pool_next(pool, s)) {
		const struct notes *notes = &s->notes;

		if (i < notes->count) {
			*note = (struct pool_note){s->name, notes->list[i].about,
						   notes->list[i].text};
			return 0;
		}
		i -= notes->count;
	}
	return ENOENT;
}

const char *pool_loading(const struct pool *pool)
{
	for (struct synthesizer *s = pool_first(pool); s; s = pool_next(pool, s)) {
		if (!fleet_has_answered(s->fleet))
			return s->name;
	}
	return NULL;
}

const char *pool_lost(const struct pool *pool)
{
	for (struct synthesizer *s = pool_first(pool); s; s = pool_next(pool, s)) {
		if (fleet_is_given_up(s->fleet) && s->worked_before)
			return s->name;
	}
	return NULL;
}

void pool_keep_records(struct pool *pool)
{
	for (struct synthesizer *s = pool_first(pool); s; s = pool_next(pool, s))
		fleet_keep_record(s->fleet);
}

/* Every engine has answered.  Until then each had one worker, because more of them would only take
 * processor time from the engine that takes longest to load. */
static void pool_staff_all(struct pool *pool)
{
	pool->all_answered = true;
	voices_set_complete(pool->voices, true);
	for (struct synthesizer *s = pool_first(pool); s; s = pool_next(pool, s))
		fleet_staff(s->fleet);
}

void pool_check_ready(struct pool *pool)
{
	if (!pool->all_answered && !pool_loading(pool))
		pool_staff_all(pool);
	if (!pool->all_answered || !pool->ready_handler || pool->ready_told)
		return;
	pool->ready_told = true;
	pool->ready_handler(pool->ready_arg);
}

void pool_stats(const struct pool *pool, struct pool_stats *stats)
{
	struct fleet_stats fleets = {0};

	*stats = (struct pool_stats){
		.retries = pool->retries, .taken_back = pool->taken_back, .replays = pool->replays};
	for (struct synthesizer *s = pool_first(pool); s; s = pool_next(pool, s)) {
		fleet_add_stats(s->fleet, &fleets);
		stats->jobs_queued +=
			(unsigned)(s->queued.jobs.count + s->bound.jobs.count + retry_queued(s));
		stats->turns_kept += (unsigned)s->turns.count;
		stats->jobs_running += (unsigned)s->running.count;
		stats->jobs_parked += (unsigned)s->parked.jobs.count;
		stats->jobs_held += (unsigned)(s->held.count + s->aside.count);
	}
	stats->workers = fleets.workers;
	stats->starting = fleets.starting;
	stats->seats_taken = fleets.seats_taken;
	stats->worker_deaths = fleets.deaths;
}
