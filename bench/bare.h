/*
 * bare.h: drives engine processes without a server.
 *
 * Uses the worker protocol directly, without the pool, the session or a client connection: the
 * best that an engine can do in a separate process.
 */
#ifndef BENCH_BARE_H
#define BENCH_BARE_H

#include <stddef.h>

#include "bench/stats.h"

struct bare;

/* Starts `count` processes of the engine and waits until they are ready. */
int bare_alloc(struct bare **barep, const char *program, const char *voice, size_t count);

/* Sends the text to the first `count` processes at the same instant, with credit for first_ms of
 * audio, and waits for the first samples of each. Adds the times to `wall_us`, and the engine's
 * own time to its first samples to `busy_us`. */
int bare_burst(struct bare *bare, const char *text, size_t count, unsigned first_ms,
	       struct stats *wall_us, struct stats *busy_us);

/* Sends the text `times` times at once to the first process, with credit for all of it, and waits
 * until all have been spoken. */
int bare_at_once(struct bare *bare, const char *text, size_t times);

/* The resident memory of the first process, in bytes. */
size_t bare_resident(const struct bare *bare);

#endif
