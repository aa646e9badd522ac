/*
 * hearing_pool.c: the engines that listen, and what is known of all of them together (see
 * hearing_pool.h).
 *
 * Runs on the loop's thread: decisions are made once, at the end of the callback in which something
 * has changed.  The pool owns the recognizers (recognizer.c) and, through them, the worker processes.
 */
#include "hearing/hearing_pool.h"

#include <errno.h>
#include <string.h>

#include "base/mem.h"
#include "hearing/hearing_private.h"
#include "workers/installed.h"

/* How often it is checked whether something that waits can go on, for reasons that no callback tells:
 * others use fewer cores, a worker has read what it was sent, or there is memory again. */
#define HEARING_POOL_TICK_US 20000

struct recognizer *hearing_pool_first(const struct hearing_pool *pool)
{
	struct link *link = list_first(&pool->recognizers);

	return link ? LIST_OBJECT(link, struct recognizer, link) : NULL;
}

struct recognizer *hearing_pool_next(const struct hearing_pool *pool,
				     const struct recognizer *recognizer)
{
	struct link *link = list_next(&pool->recognizers, &recognizer->link);

	return link ? LIST_OBJECT(link, struct recognizer, link) : NULL;
}

struct recognizer *hearing_pool_find(const struct hearing_pool *pool, const char *engine)
{
	for (struct recognizer *r = hearing_pool_first(pool); r; r = hearing_pool_next(pool, r)) {
		if (strcmp(r->name, engine) == 0)
			return r;
	}
	return NULL;
}

/* Sends what waited until a worker had read more.  Returns whether something still waits for that. */
static bool hearing_pool_unblock(const struct recognizer *recognizer)
{
	const struct list *loads = &recognizer->loads;
	bool waits = false;

	for (struct link *l = list_first(loads); l; l = list_next(loads, l)) {
		struct load *load = LIST_OBJECT(l, struct load, link);

		feed_unblock(load);
		waits = waits || load->blocked.count > 0;
	}
	return waits;
}

static void hearing_pool_on_tick(void *arg)
{
	hearing_pool_run_soon(arg);
}

static void hearing_pool_run(void *arg)
{
	struct hearing_pool *pool = arg;
	bool waits = false;

	for (struct recognizer *r = hearing_pool_first(pool); r; r = hearing_pool_next(pool, r)) {
		r->slots = fleet_slots(r->fleet);
		suspect_claim(r);
		hearing_stream_seat_all(r);
		waits = hearing_pool_unblock(r) || waits;
	}
	piece_dispatch(pool, NULL, pool->options.slots);
	for (struct recognizer *r = hearing_pool_first(pool); r; r = hearing_pool_next(pool, r)) {
		if (r->slots > 0)
			piece_dispatch(pool, r, r->slots);
	}
	for (struct recognizer *r = hearing_pool_first(pool); r; r = hearing_pool_next(pool, r)) {
		fleet_staff(r->fleet);
		waits = waits || r->waiting.count > 0 ||
			(r->queued.count > 0 && fleet_pick(r->fleet));
	}
	if (waits)
		timer_set(&pool->loop->timers, &pool->tick, HEARING_POOL_TICK_US,
			  hearing_pool_on_tick, pool);
}

void hearing_pool_run_soon(struct hearing_pool *pool)
{
	loop_defer(pool->loop, &pool->run, hearing_pool_run, pool);
}

static void hearing_pool_destroy(void *object)
{
	struct hearing_pool *pool = object;

	while (hearing_pool_first(pool))
		mem_deref(hearing_pool_first(pool));
	/* Last, because the end of a worker queues its streams again. */
	timer_clear(&pool->loop->timers, &pool->tick);
	loop_undefer(pool->loop, &pool->run);
	launch_free_words(pool->launcher);
	launch_free_words(pool->environment);
	mem_deref(pool->models);
}

static int hearing_pool_add_engine(const char *name, const char *path, void *arg)
{
	struct hearing_pool *pool = arg;
	struct recognizer *recognizer;
	int err = recognizer_alloc(&recognizer, pool, name, path);

	if (!err)
		list_append(&pool->recognizers, &recognizer->link);
	return err;
}

int hearing_pool_alloc(struct hearing_pool **poolp, struct loop *loop,
		       const struct hearing_pool_options *options)
{
	struct hearing_pool *pool = mem_zalloc(sizeof(*pool), NULL);
	int err;

	if (!pool)
		return ENOMEM;
	pool->hearing.ops = &hearing_stream_ops;
	pool->loop = loop;
	pool->options = *options;
	list_init(&pool->recognizers);
	mem_set_destructor(pool, hearing_pool_destroy);
	err = hearing_models_alloc(&pool->models, options->model);
	pool->hearing.models = pool->models;
	if (!err)
		err = launch_copy_words(&pool->launcher, options->launcher);
	if (!err)
		err = launch_copy_words(&pool->environment, options->environment);
	if (!err)
		err = installed_each(options->engines_dir, INSTALLED_LISTENS,
				     hearing_pool_add_engine, pool);
	if (err) {
		mem_deref(pool);
		return err;
	}
	for (struct recognizer *r = hearing_pool_first(pool); r; r = hearing_pool_next(pool, r)) {
		recognizer_expect(r);
		fleet_staff(r->fleet);
	}
	pool->all_answered = pool->recognizers.count == 0;
	*poolp = pool;
	return 0;
}

struct hearing *hearing_pool_hearing(struct hearing_pool *pool)
{
	return &pool->hearing;
}

enum hearing_state hearing_pool_state(const struct hearing *hearing)
{
	const struct hearing_pool *pool = (const struct hearing_pool *)(const void *)hearing;
	bool is_broken = false;

	if (hearing_models_count(pool->models) > 0)
		return HEARING_READY;
	if (pool->recognizers.count == 0)
		return HEARING_NO_ENGINE;
	if (hearing_pool_loading(pool))
		return HEARING_LOADING;
	for (struct recognizer *r = hearing_pool_first(pool); r; r = hearing_pool_next(pool, r))
		is_broken = is_broken || fleet_is_given_up(r->fleet);
	return is_broken ? HEARING_BROKEN : HEARING_NO_MODELS;
}

const char *hearing_pool_loading(const struct hearing_pool *pool)
{
	for (struct recognizer *r = hearing_pool_first(pool); r; r = hearing_pool_next(pool, r)) {
		if (!fleet_has_answered(r->fleet))
			return r->name;
	}
	return NULL;
}

const char *hearing_pool_lost(const struct hearing_pool *pool)
{
	for (struct recognizer *r = hearing_pool_first(pool); r; r = hearing_pool_next(pool, r)) {
		if (fleet_is_given_up(r->fleet) && r->worked_before)
			return r->name;
	}
	return NULL;
}

void hearing_pool_on_ready(struct hearing_pool *pool, void (*handler)(void *arg), void *arg)
{
	pool->ready_handler = handler;
	pool->ready_arg = arg;
	hearing_pool_check_ready(pool);
}

void hearing_pool_check_ready(struct hearing_pool *pool)
{
	if (hearing_pool_loading(pool))
		return;
	if (!pool->all_answered) {
		pool->all_answered = true;
		hearing_pool_run_soon(pool); /* from now on there are workers that stand by */
	}
	if (!pool->ready_handler || pool->ready_told)
		return;
	pool->ready_told = true;
	pool->ready_handler(pool->ready_arg);
}

void hearing_pool_keep_records(struct hearing_pool *pool)
{
	for (struct recognizer *r = hearing_pool_first(pool); r; r = hearing_pool_next(pool, r))
		fleet_keep_record(r->fleet);
}

void hearing_pool_renew(struct hearing_pool *pool)
{
	for (struct recognizer *r = hearing_pool_first(pool); r; r = hearing_pool_next(pool, r))
		fleet_renew(r->fleet);
}

void hearing_pool_stats(const struct hearing_pool *pool, struct hearing_pool_stats *stats)
{
	struct fleet_stats fleets = {0};

	*stats = (struct hearing_pool_stats){
		.streams = pool->streams, .retries = pool->retries, .left_out = pool->left_out};
	for (struct recognizer *r = hearing_pool_first(pool); r; r = hearing_pool_next(pool, r)) {
		fleet_add_stats(r->fleet, &fleets);
		stats->streams_queued += (unsigned)(r->queued.count + r->alone.count);
		stats->pieces_waiting += (unsigned)r->waiting.count;
		stats->pieces_running += r->pieces_sent;
	}
	stats->workers = fleets.workers;
	stats->starting = fleets.starting;
	stats->worker_deaths = fleets.deaths;
}
