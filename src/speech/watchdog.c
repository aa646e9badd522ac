/*
 * watchdog.c: finds workers that hang and has them replaced.
 *
 * A worker hangs when it owes something and has not delivered any of it for
 * speech.stall_seconds: samples that a job has credit for, DONE for a job that
 * was cancelled, READY after its start.  Only samples and DONE count as
 * delivered: an engine that keeps sending other messages is as silent as one
 * that sends nothing.  Each seat is judged by itself, because samples for one
 * job say nothing about another.
 *
 * Time in which a worker could not have delivered is not held against it:
 *
 *   - time in which the event loop did not run, because nobody read what the
 *     workers sent meanwhile;
 *   - time in which the worker's threads were ready to run and had no
 *     processor.  A machine with too much to do would otherwise lose the
 *     engines that it needs most.  This has a limit, so that a worker that
 *     computes for ever is replaced on a busy machine too.
 *
 * Runs on the loop's thread.
 */
#include "base/clock.h"
#include "speech/pool_private.h"

/* How often the workers are checked. */
#define WATCHDOG_US 500000

/* A loop that comes this much later than it was due did not run for a while; less than that is the
 * ordinary unevenness of timers. */
#define WATCHDOG_LATE_US 100000

/* Waiting for a processor excuses silence for at most this many times the stall limit: with
 * the default of 10 s, a worker that delivers nothing at all is replaced within a minute. */
#define WATCHDOG_EXCUSES_MAX 5

/* A worker may take this many times the stall limit to start, because it loads models, which
 * takes many seconds where the disk is slow. */
#define WATCHDOG_START_STALLS 6

static bool watchdog_seat_owes(const struct seat *seat)
{
	return seat->id && (!seat->job || seat->credit > 0);
}

static bool watchdog_owes(const struct worker *worker)
{
	if (worker->state == WORKER_STARTING)
		return true;
	for (unsigned i = 0; i < SEATS_MAX; ++i) {
		if (watchdog_seat_owes(&worker->seats[i]))
			return true;
	}
	return false;
}

/* How much of the time since the last call the worker's threads were ready to run but had no
 * processor.  Reading it costs six system calls for each thread, so this is called only for a
 * worker that owes something; the first call after a pause only sets the starting point for
 * the next one. */
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

static void watchdog_excuse(struct worker *worker, uint64_t wait_us)
{
	worker->excused_us += wait_us;
	for (unsigned i = 0; i < SEATS_MAX; ++i)
		worker->seats[i].excused_us += wait_us;
}

static bool watchdog_exceeds(uint64_t silent_us, uint64_t excused_us, uint64_t limit_us)
{
	uint64_t excuses_max = WATCHDOG_EXCUSES_MAX * limit_us;

	return silent_us >= limit_us + (excused_us < excuses_max ? excused_us : excuses_max);
}

static bool watchdog_is_stalled(const struct worker *worker, uint64_t now_us)
{
	uint64_t stall_us = worker->fleet->pool->options.stall_ms * UINT64_C(1000);

	if (worker->state == WORKER_STARTING)
		return watchdog_exceeds(now_us - worker->waited_for_us, worker->excused_us,
					WATCHDOG_START_STALLS * stall_us);
	for (unsigned i = 0; i < SEATS_MAX; ++i) {
		const struct seat *seat = &worker->seats[i];

		if (watchdog_seat_owes(seat) &&
		    watchdog_exceeds(now_us - seat->heard_us, seat->excused_us, stall_us))
			return true;
	}
	return false;
}

/* The loop did not run for late_us: every silence is that much shorter. */
static void watchdog_forgive(struct worker *worker, uint64_t late_us, uint64_t now_us)
{
	worker->waited_for_us = watchdog_later(worker->waited_for_us, late_us, now_us);
	for (unsigned i = 0; i < SEATS_MAX; ++i) {
		struct seat *seat = &worker->seats[i];

		seat->heard_us = watchdog_later(seat->heard_us, late_us, now_us);
	}
}

uint64_t watchdog_later(uint64_t heard_us, uint64_t by_us, uint64_t now_us)
{
	return heard_us + by_us < now_us ? heard_us + by_us : now_us;
}

static void watchdog_check(struct worker *worker, uint64_t now_us, uint64_t late_us)
{
	if (late_us > 0)
		watchdog_forgive(worker, late_us, now_us);
	if (watchdog_owes(worker))
		watchdog_excuse(worker, watchdog_wait_us(worker, WATCHDOG_US + late_us));
	else
		worker->processors = (struct child_processors){0};
	if (watchdog_is_stalled(worker, now_us))
		worker_kill_stalled(worker);
}

static void watchdog_check_fleet(struct fleet *fleet, uint64_t now_us, uint64_t late_us)
{
	struct link *link = list_first(&fleet->workers);

	while (link) {
		struct worker *worker = LIST_OBJECT(link, struct worker, link);

		link = list_next(&fleet->workers, link);
		watchdog_check(worker, now_us, late_us);
	}
}

static void watchdog_look(void *arg)
{
	struct pool *pool = arg;
	uint64_t now_us = clock_monotonic_us();
	uint64_t due_us = pool->watched_us + WATCHDOG_US;
	uint64_t late_us = now_us > due_us + WATCHDOG_LATE_US ? now_us - due_us : 0;

	pool->watched_us = now_us;
	for (struct link *l = list_first(&pool->fleets); l; l = list_next(&pool->fleets, l))
		watchdog_check_fleet(LIST_OBJECT(l, struct fleet, link), now_us, late_us);
	timer_set(&pool->loop->timers, &pool->watchdog, WATCHDOG_US, watchdog_look, pool);
	pool_schedule_soon(pool); /* a held job may have to give its seat to another one */
}

void watchdog_start(struct pool *pool)
{
	pool->watched_us = clock_monotonic_us();
	timer_set(&pool->loop->timers, &pool->watchdog, WATCHDOG_US, watchdog_look, pool);
}

void watchdog_stop(struct pool *pool)
{
	timer_clear(&pool->loop->timers, &pool->watchdog);
}
