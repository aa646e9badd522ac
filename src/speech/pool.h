/*
 * pool.h: all engines, and the jobs that they speak.
 *
 * The pool finds the engines that speak (programs called syrinx-NAME in one directory),
 * keeps a fleet of worker processes for each, and has them speak chunks in the
 * order of playback deadlines.  If a worker dies, others make its chunks again.
 */
#ifndef SPEECH_POOL_H
#define SPEECH_POOL_H

#include "loop/loop.h"
#include "speech/speech.h"

struct fleet_memory; /* workers/fleet.h */

/* Which job continues when the machine cannot work on all of them. */
enum pool_order {
	POOL_BY_DEADLINE, /* the job whose listener needs samples first */
	POOL_BY_ARRIVAL, /* the oldest job, to its end */
};

struct pool_options {
	const char *engines_dir;
	const char *only_engine; /* the only engine to start; NULL: all */
	const char *but_engine; /* an engine that must not be started; NULL: none */
	const char *const *launcher; /* argv that runs an engine confined (workers/launch.h):
					NULL-terminated, may be empty or NULL */
	const char *const *environment; /* "NAME=value" for engines, in addition to those variables
					   of the server that they are given; NULL-terminated,
					   may be NULL */
	enum pool_order order;
	bool no_fallback; /* a voice whose engine fails is not given to another */
	unsigned workers_max; /* workers of each engine */
	/* The memory of all workers together, which the pool may share with others; outlives the
	 * pool; NULL: only workers_max applies. */
	struct fleet_memory *memory;
	/* How many jobs of engines that share the machine's cores are computed now, for others that
	 * use the same cores; outlives the pool; may be NULL. */
	unsigned *cores_busy;
	unsigned slots; /* jobs that hold credit at once, of all engines that do not batch */
	unsigned start_timeout_ms; /* a first chunk that has no worker by then is refused */
	unsigned load_timeout_ms; /* the same while its engine is loading, if this is longer */
	unsigned stall_ms; /* a worker that has work and is silent for this long is killed */
	unsigned recycle_jobs; /* a worker is replaced after this many jobs; 0: never */
	unsigned memory_mb; /* limit of one worker */
	const char *large_engine; /* the engine that loads models; NULL: there is none */
	unsigned large_memory_mb; /* limit of one worker of that engine */
	unsigned cpu_seconds; /* limit of one chunk */
	const char *jit_engines; /* names separated by blanks or commas; outlives the pool;
				    may be NULL */
	bool test_hooks; /* words of the text may have a special meaning for tests */

	/* Whether a voice is installed that the engine had when the server last ran, or that the
	 * built-in table names.  If it is, it is in the catalogue while the engine loads.  NULL:
	 * voices are known only when their engine has answered. */
	bool (*is_installed)(const char *engine, const char *engine_voice, void *arg);
	void *installed_arg;
	const char *records_dir; /* where it is recorded what engines say (workers/record.c);
				    outlives the pool; may be NULL */
};

struct pool;

/* Whether there are engines in the directory, without starting any.  ENOENT: there is none. */
int pool_look(const char *engines_dir);

/* Finds the engines and begins to start them.  ENOENT: there is none. */
int pool_alloc(struct pool **poolp, struct loop *loop, const struct pool_options *options);

/* The interface that turns use. */
struct speech *pool_speech(struct pool *pool);

/* The voices of the engines that have answered so far. */
const struct voices *pool_voices(const struct pool *pool);

/* See voices_set_derived. */
int pool_set_derived(struct pool *pool, const struct voice *derived, size_t count);

/* The handler is called once, when every engine has answered or was given up. */
void pool_on_ready(struct pool *pool, void (*handler)(void *arg), void *arg);

/* The name of an engine that has neither loaded nor been given up; NULL: there is none. */
const char *pool_loading(const struct pool *pool);

/* The name of an engine that worked when the server last ran and does not start now; NULL: there
 * is none. */
const char *pool_lost(const struct pool *pool);

/* From this call on the pool writes the records.  Before, they belong to the server that this one is
 * going to replace. */
void pool_keep_records(struct pool *pool);

/* Starts a new worker of an engine that says which voices it has, because they have changed.  When it
 * is ready, the older workers finish their jobs and end.  ENOENT: there is no such engine. */
int pool_renew(struct pool *pool, const char *engine);

/* What the engines want the operator to know, such as why a file is not a voice. */
struct pool_note {
	const char *engine;
	const char *about; /* a file's name, or "" */
	const char *text;
};

/* The i-th note.  Its strings are valid until the current callback of the loop ends.  ENOENT: there
 * are no more. */
int pool_note_at(struct pool_note *note, const struct pool *pool, size_t i);

struct pool_stats {
	unsigned workers; /* processes that are alive */
	unsigned starting; /* processes that are not ready yet */
	unsigned seats_taken;
	unsigned jobs_queued, jobs_parked, jobs_running, jobs_held;
	unsigned turns_kept; /* turns that have or had state on a worker and have not ended */
	uint64_t worker_deaths;
	uint64_t retries;
	uint64_t taken_back; /* how often a job gave up its seat to another one */
	uint64_t replays; /* how often the state of a turn was rebuilt on a worker */
};
void pool_stats(const struct pool *pool, struct pool_stats *stats);

#endif
