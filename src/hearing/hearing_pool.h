/*
 * hearing_pool.h: all engines that listen, and the streams that they listen to.
 *
 * The pool finds the engines (programs called syrinx-hear and syrinx-hear-NAME in one directory),
 * keeps a fleet of worker processes for each, and has them recognize pieces of speech, finals before
 * others and each in the order of their deadlines.  If a worker dies, its streams continue on
 * another one, without losing a word.
 *
 * No engine, or no model, is not an error: then the catalogue is empty.
 */
#ifndef HEARING_HEARING_POOL_H
#define HEARING_HEARING_POOL_H

#include "hearing/hearing.h"
#include "loop/loop.h"

struct fleet_memory; /* workers/fleet.h */

struct hearing_pool_options {
	const char *engines_dir;
	const char *const *launcher; /* as for engines that speak (speech/pool.h) */
	const char *const *environment;
	const char
		*model; /* the model that comes first in the catalogue; NULL or "": the engine's */
	unsigned workers_max; /* workers of each engine; one of them is kept idle if it is not 1 */
	/* The memory of all workers together; outlives the pool; NULL: only workers_max applies. */
	struct fleet_memory *memory;
	/* How many cores others use now; outlives the pool; may be NULL.  Pieces that are not final
	 * wait while all are busy. */
	const unsigned *cores_busy;
	unsigned slots; /* pieces that are recognized at once, about one for each core */
	unsigned streams_max; /* streams at once */
	unsigned start_timeout_ms; /* a stream that has no worker by then ends */
	unsigned load_timeout_ms; /* the same while its engine is loading, if this is longer */
	unsigned stall_ms; /* a worker that owes an answer and is silent for this long is killed */
	unsigned recycle_jobs; /* a worker is replaced after this many streams; 0: never */
	unsigned memory_mb; /* limit of one worker */
	unsigned cpu_seconds; /* limit of one piece */
	const char *jit_engines; /* names separated by blanks or commas; outlives the pool;
				    may be NULL */
	bool test_hooks; /* the prompt of a stream may have a special meaning for tests */

	/* Whether a model is installed that the engine had when the server last ran.  If it is, it is
	 * in the catalogue while the engine loads.  NULL: models are known only when their engine has
	 * answered. */
	bool (*is_installed)(const char *engine, const char *model, void *arg);
	void *installed_arg;
	const char *records_dir; /* see workers/record.c; outlives the pool; may be NULL */
};

struct hearing_pool;

/* Finds the engines and begins to start them.  It is not an error if there is none. */
int hearing_pool_alloc(struct hearing_pool **poolp, struct loop *loop,
		       const struct hearing_pool_options *options);

/* The interface that sessions use. */
struct hearing *hearing_pool_hearing(struct hearing_pool *pool);

/* The handler is called once, when every engine has answered or was given up. */
void hearing_pool_on_ready(struct hearing_pool *pool, void (*handler)(void *arg), void *arg);

/* The name of an engine that has neither loaded nor been given up; NULL: there is none. */
const char *hearing_pool_loading(const struct hearing_pool *pool);

/* The name of an engine that had models when the server last ran and does not start now; NULL: there
 * is none. */
const char *hearing_pool_lost(const struct hearing_pool *pool);

/* From this call on the pool writes the records.  Before, they belong to the server that this one is
 * going to replace. */
void hearing_pool_keep_records(struct hearing_pool *pool);

/* Starts a new worker of every engine, which says which models it has, because they have changed.
 * Streams move to it when they have nothing to wait for. */
void hearing_pool_renew(struct hearing_pool *pool);

struct hearing_pool_stats {
	unsigned workers; /* processes that are alive */
	unsigned starting; /* processes that are not ready yet */
	unsigned streams, streams_queued; /* all streams, and those that wait for a worker */
	unsigned pieces_waiting, pieces_running; /* pieces that no worker has, or that one has */
	uint64_t worker_deaths;
	uint64_t retries; /* how often a stream was continued on another worker */
	uint64_t left_out; /* pieces that were not final and gave way to later ones */
};
void hearing_pool_stats(const struct hearing_pool *pool, struct hearing_pool_stats *stats);

#endif
