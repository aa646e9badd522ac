/*
 * bare.h: engine processes driven with nothing around them.
 *
 * Speaks the worker protocol itself, without the pool, the session or a
 * socket to a client: what an engine can do at best from another process.
 */
#ifndef BENCH_BARE_H
#define BENCH_BARE_H

#include <stddef.h>

#include "bench/stats.h"

struct bare;

/* Starts `count` processes of the engine and waits until they are ready. */
int bare_alloc(struct bare **barep, const char *program, const char *voice, size_t count);

/* Gives the text to the first `count` of them at the same instant, with credit
 * for first_ms of audio, and waits for the first samples of each.  Adds the
 * times to `wall_us`, and the engine's own time to its first samples to
 * `busy_us`. */
int bare_burst(struct bare *bare, const char *text, size_t count, unsigned first_ms,
	       struct stats *wall_us, struct stats *busy_us);

/* Gives the text to the first process so often at once, with credit for all of
 * it, and waits until every one has been spoken. */
int bare_at_once(struct bare *bare, const char *text, size_t times);

/* Resident memory of the first process, in bytes. */
size_t bare_resident(const struct bare *bare);

#endif
