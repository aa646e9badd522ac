/*
 * decoding_pool.h: the worker processes that decode files (syrinx-decode), and their jobs.
 *
 * There are as many workers as there are jobs, within limits, and none when nothing was decoded for a
 * while.  Each decodes one file at a time, so a file that ends its worker disturbs nobody.  A short
 * file is kept here until its end, and is decoded again by another worker if its own dies.
 */
#ifndef HEARING_DECODING_POOL_H
#define HEARING_DECODING_POOL_H

#include "hearing/decoding.h"
#include "loop/loop.h"

struct fleet_memory; /* workers/fleet.h */

struct decoding_pool_options {
	const char *engines_dir;
	const char *const *launcher; /* as for engines that speak (speech/pool.h) */
	const char *const *environment;
	unsigned workers_max;
	/* The memory of all workers together; outlives the pool; NULL: only workers_max applies. */
	struct fleet_memory *memory;
	unsigned cores; /* of the machine */
	unsigned jobs_max; /* jobs at once, including those that wait for a worker */
	unsigned start_timeout_ms; /* a job that has no worker by then ends */
	unsigned stall_ms; /* a worker that owes an answer and is silent for this long is killed */
	unsigned recycle_jobs; /* a worker is replaced after this many jobs; 0: never */
	unsigned memory_mb; /* limit of one worker */
	unsigned cpu_seconds; /* limit until the next samples are decoded */
};

struct decoding_pool;

/* It is not an error if the program is not installed.  Jobs that have not ended when the pool is
 * released end with DECODING_UNAVAILABLE. */
int decoding_pool_alloc(struct decoding_pool **poolp, struct loop *loop,
			const struct decoding_pool_options *options);

/* The interface that others use. */
struct decoding *decoding_pool_decoding(struct decoding_pool *pool);

struct decoding_pool_stats {
	unsigned workers; /* processes that are alive */
	unsigned starting; /* processes that are not ready yet */
	unsigned jobs, jobs_queued; /* all jobs, and those that wait for a worker */
	uint64_t worker_deaths;
	uint64_t retries; /* how often a file was decoded again on another worker */
};
void decoding_pool_stats(const struct decoding_pool *pool, struct decoding_pool_stats *stats);

#endif
