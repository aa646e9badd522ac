/*
 * pool.h: all engines, and the jobs that they speak.
 *
 * The pool finds the engines (programs called syrinx-NAME in one directory),
 * keeps a fleet of worker processes for each, and hands chunks to them by
 * playback deadline.  A worker that dies costs a retry, never a call.
 */
#ifndef SPEECH_POOL_H
#define SPEECH_POOL_H

#include "loop/loop.h"
#include "speech/speech.h"

/* Whose job goes on when there is not enough of the machine for all. */
enum pool_order {
	POOL_BY_DEADLINE, /* whose listener runs dry first */
	POOL_BY_ARRIVAL, /* first come, first served, each to its end */
};

struct pool_options {
	const char *engines_dir;
	const char *only_engine; /* start no other than this one; NULL: all */
	const char *but_engine; /* leave this one out; NULL: none */
	const char *const *launcher; /* argv that runs an engine confined (workers/launch.h):
					NULL-terminated, may be empty or NULL */
	const char *const *environment; /* "NAME=value" for engines, besides what they see of
					   ours; NULL-terminated, may be NULL */
	enum pool_order order;
	bool no_fallback; /* a voice whose engine fails is not given to another */
	unsigned workers_max; /* per engine */
	unsigned slots; /* jobs that hold credit at once, of all engines that do not batch */
	unsigned start_timeout_ms; /* a first chunk that has no worker by then is refused */
	unsigned load_timeout_ms; /* the same while its engine is loading; 0: no longer */
	unsigned stall_ms; /* silence of a worker that owes us something, then it is killed */
	unsigned recycle_jobs; /* a worker is replaced after so many; 0: never */
	unsigned memory_mb; /* of one worker */
	const char *large_engine; /* the one that loads models; NULL: there is none */
	unsigned large_memory_mb; /* of one worker of that engine */
	unsigned cpu_seconds; /* of one chunk */
	const char *jit_engines; /* names separated by blanks; outlives the pool; may be NULL */
	bool test_hooks; /* engines obey the words that tests use */

	/* Whether a voice that an engine had or should have is still installed: those that are
	 * belong to the catalogue while the engine loads.  NULL: voices are known when their
	 * engine has answered. */
	bool (*is_installed)(const char *engine, const char *engine_voice, void *arg);
	void *installed_arg;
	const char *records_dir; /* what engines said last time, see workers/record.c; outlives the
				    pool; may be NULL */
};

struct pool;

/* The engines in a directory: programs called syrinx-NAME.  Stops at an error of the handler, and
 * gives it. */
typedef int(pool_engine_h)(const char *name, const char *path, void *arg);
int pool_each_engine(const char *engines_dir, pool_engine_h *handler, void *arg);

/* Whether there are engines in the directory, without starting any.  ENOENT: there is none. */
int pool_look(const char *engines_dir);

/* Finds the engines and begins to start them.  ENOENT: there is none. */
int pool_alloc(struct pool **poolp, struct loop *loop, const struct pool_options *options);

/* What turns speak through. */
struct speech *pool_speech(struct pool *pool);

/* The voices of the engines that have answered so far. */
const struct voices *pool_voices(const struct pool *pool);

/* See voices_set_derived. */
int pool_set_derived(struct pool *pool, const struct voice *derived, size_t count);

/* Called once, when every engine has answered or given up. */
void pool_on_ready(struct pool *pool, void (*handler)(void *arg), void *arg);

/* The name of an engine that has neither loaded nor failed for good; NULL: there is none. */
const char *pool_loading(const struct pool *pool);

/* The name of an engine that worked when the server last ran and does not start now; NULL: there
 * is none. */
const char *pool_lost(const struct pool *pool);

/* From now on this pool is the one in use, and keeps the records: before, they are those of a
 * server that is to be replaced. */
void pool_keep_records(struct pool *pool);

/* Has an engine say anew what voices it has, because they have changed.  The
 * workers there are speak on until a new one is ready, finish what they have
 * begun, and go.  ENOENT: there is no such engine. */
int pool_renew(struct pool *pool, const char *engine);

/* What the engines want the operator to know, such as why a file is not a voice. */
#define POOL_NOTE_ABOUT_MAX 128
#define POOL_NOTE_TEXT_MAX 500

struct pool_note {
	const char *engine;
	const char *about; /* a file's name, or "" */
	const char *text;
};

/* The strings are good until the loop runs on.  ENOENT: there are no more. */
int pool_note_at(struct pool_note *note, const struct pool *pool, size_t i);

struct pool_stats {
	unsigned workers; /* processes alive */
	unsigned starting; /* of them not ready yet */
	unsigned seats_taken;
	unsigned jobs_queued, jobs_parked, jobs_running, jobs_held;
	uint64_t worker_deaths;
	uint64_t retries;
	uint64_t taken_back; /* jobs that gave their worker up to others */
};
void pool_stats(const struct pool *pool, struct pool_stats *stats);

#endif
