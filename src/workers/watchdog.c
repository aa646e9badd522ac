/*
 * watchdog.c: finds workers that hang and has them replaced.
 *
 * A worker hangs when something is expected from it and none of that has arrived for
 * the stall limit of its fleet.  Expected are results for a seat that has credit,
 * DONE for a seat that was called off, and READY after the start.  What counts as a
 * result is decided by the seat's user (seat_progress): a worker that keeps sending
 * other messages is as silent as one that sends nothing.  Each of these seats is
 * checked by itself, because results for one say nothing about another.
 *
 * Time in which a worker could not have delivered anything does not count:
 *
 *   - time in which the event loop did not run, because what the workers sent
 *     meanwhile was not read;
 *   - time in which the threads of a worker that runs here were ready to run and
 *     had no processor.  A machine with too much to do would otherwise lose the
 *     workers that it needs most.  This has a limit, so that a worker in an
 *     endless loop is replaced on a busy machine, too.
 *
 * Runs on the loop's thread.
 */
#include "base/clock.h"
#include "workers/fleet_private.h"

/* How often a fleet's workers are checked. */
#define WATCHDOG_US 500000

/* If the timer is this late, the loop did not run for a while; shorter delays are normal. */
#define WATCHDOG_LATE_US 100000

/* Waiting for a processor excuses silence for at most this many times the stall limit: with
 * the default of 10 s, a worker that delivers nothing at all is replaced within a minute. */
#define WATCHDOG_EXCUSES_MAX 5

/* A worker may take this many times the stall limit to start, because it loads models, which
 * takes many seconds where the disk is slow. */
#define WATCHDOG_START_STALLS 6

/* How much of the time since the last call the worker's threads were ready to run but had no
 * processor.  Reading it costs six system calls for each thread, so this is called only for a
 * worker from which something is expected; the first call after a pause only sets the starting
 * point for the next one. */
static uint64_t watchdog_wait_us(struct worker *worker, uint64_t interval_us)
{
	struct child_processors before = worker->processors;
	struct child_processors now = child_processors(worker->child);

	worker->processors = now;
	if (before.ran_us == 0 || now.waited_us < before.waited_us)
		return 0; /* a thread that has ended is no longer in the sum */
	if (now.is_ready && now.ran_us == before.ran_us)
		return interval_us; /* the current wait is not in the sum yet */
	return now.waited_us - before.waited_us < interval_us ? now.waited_us - before.waited_us
							      : interval_us;
}

uint64_t watchdog_later(uint64_t heard_us, uint64_t by_us, uint64_t now_us)
{
	return heard_us < now_us && by_us < now_us - heard_us ? heard_us + by_us : now_us;
}

static bool watchdog_exceeds(uint64_t silent_us, uint64_t excused_us, uint64_t limit_us)
{
	uint64_t excuses_max = WATCHDOG_EXCUSES_MAX * limit_us;

	return silent_us >= limit_us + (excused_us < excuses_max ? excused_us : excuses_max);
}

/* late_us is how long the loop did not run: that time is taken off every silence. */
static void watchdog_check(struct worker *worker, uint64_t now_us, uint64_t late_us)
{
	uint64_t stall_us = worker->fleet->options.stall_ms * UINT64_C(1000);
	bool is_starting = worker->state == WORKER_STARTING;
	bool is_stalled = false;
	uint64_t wait_us = 0;

	if (!is_starting && worker->owing.count == 0) {
		worker->processors = (struct child_processors){0};
		return;
	}
	if (worker->child)
		wait_us = watchdog_wait_us(worker, WATCHDOG_US + late_us);
	if (is_starting) {
		worker->waited_for_us = watchdog_later(worker->waited_for_us, late_us, now_us);
		worker->excused_us += wait_us;
		is_stalled = watchdog_exceeds(now_us - worker->waited_for_us, worker->excused_us,
					      WATCHDOG_START_STALLS * stall_us);
	}
	for (struct link *l = list_first(&worker->owing); l; l = list_next(&worker->owing, l)) {
		struct seat *seat = LIST_OBJECT(l, struct seat, link);

		seat->heard_us = watchdog_later(seat->heard_us, late_us, now_us);
		seat->excused_us += wait_us;
		if (watchdog_exceeds(now_us - seat->heard_us, seat->excused_us, stall_us))
			is_stalled = true;
	}
	if (is_stalled)
		worker_end_stalled(worker);
}

static void watchdog_look(void *arg)
{
	struct fleet *fleet = arg;
	uint64_t now_us = clock_monotonic_us();
	uint64_t due_us = fleet->watched_us + WATCHDOG_US;
	uint64_t late_us = now_us > due_us + WATCHDOG_LATE_US ? now_us - due_us : 0;
	struct link *next;

	fleet->watched_us = now_us;
	fleet_end_leaving(fleet);
	timer_set(&fleet->loop->timers, &fleet->watchdog, WATCHDOG_US, watchdog_look, fleet);
	for (struct link *l = list_first(&fleet->workers); l; l = next) {
		next = list_next(&fleet->workers, l);
		watchdog_check(LIST_OBJECT(l, struct worker, link), now_us, late_us);
	}
}

void watchdog_start(struct fleet *fleet)
{
	fleet->watched_us = clock_monotonic_us();
	timer_set(&fleet->loop->timers, &fleet->watchdog, WATCHDOG_US, watchdog_look, fleet);
}

void watchdog_stop(struct fleet *fleet)
{
	timer_clear(&fleet->loop->timers, &fleet->watchdog);
}
