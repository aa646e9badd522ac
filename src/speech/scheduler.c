/*
 * scheduler.c: which job is given credit next, and what turns may ask of a job.
 *
 * A job runs only while it has credit.  Credit is given to as many jobs as there are
 * slots, those whose listeners need samples first, in slices of about a millisecond
 * of work.  So a long sentence is interrupted without its engine knowing,
 * and sixteen turns that begin at the same instant all get their first sound within
 * milliseconds.
 *
 * A job keeps its seat while others run; see seating.c for the exceptions.
 *
 * Engines that compute on this machine share its slots, about one for each core.
 * An engine whose workers say that they make many jobs at once (READY's batch)
 * has slots of its own, and its jobs compete only with each other.
 *
 * Runs on the loop's thread: decisions are made once, at the end of the callback
 * in which something has changed.
 */
#include <errno.h>
#include <string.h>

#include "base/mem.h"
#include "metrics/metrics.h"
#include "speech/pool_private.h"

/* A slice is what the engine makes in this time while other jobs wait. */
#define SCHEDULER_SLICE_BUSY_US 1000
/* The same when no job is urgent: a job that arrives next may have to wait for this long. */
#define SCHEDULER_SLICE_CALM_US 5000

/* A job whose worker is silent for this long does not count for the slots: short enough for a first
 * chunk to start in time, and longer than the pauses of an engine that is only slow. */
#define SCHEDULER_STUCK_US 1000000

/* How often the decisions that depend on time alone are made. */
#define SCHEDULER_TICK_US 250000

/* Of the jobs of an engine that could continue at once, the one whose listener needs samples first. */
static struct speech_job *scheduler_first_of(const struct synthesizer *synthesizer)
{
	return job_earlier(job_queue_first(&synthesizer->parked), seating_first(synthesizer));
}

static void scheduler_grant(struct speech_job *job)
{
	uint32_t credit = slice_stock(job);
	struct worker *worker;
	struct message speak;
	uint64_t replayed_us;

	if (credit == 0)
		credit = slice_samples(job, SCHEDULER_SLICE_BUSY_US);
	if (job->seat) {
		seat_grant(job->seat, credit);
	} else {
		worker = seating_worker(job);
		job_make_speak(job, &speak, credit);
		if (turn_state_enter(job, worker, &replayed_us) != 0 ||
		    seat_take(&job->seat, worker, &speak, credit, job) != 0)
			return; /* that worker is lost, and the job waits for another one */
		seat_excuse(job->seat, replayed_us);
		job_begin_try(job);
	}
	if (job->first && !job->was_granted)
		metrics_observe(METRIC_ADDED, loop_now_us(job->pool->loop) - job->asked_us);
	job->was_granted = true;
	job_move(job, JOB_RUNNING);
}

/* If an engine hangs on as many texts as there are slots, the other jobs must not have to wait until
 * its workers are killed. */
void scheduler_check_stuck(struct speech_job *job)
{
	struct synthesizer *synthesizer = job->synthesizer;
	uint64_t now_us = loop_now_us(job->pool->loop);
	bool is_stuck = seat_heard_us(job->seat) + SCHEDULER_STUCK_US <= now_us;

	if (is_stuck == job->is_stuck)
		return;
	job->is_stuck = is_stuck;
	if (is_stuck)
		++synthesizer->stuck;
	else
		--synthesizer->stuck;
}

/* Lets the running jobs of an engine continue without a pause, because no other job is urgent. */
static void scheduler_top_up(const struct synthesizer *synthesizer)
{
	const struct list *running = &synthesizer->running;

	for (struct link *l = list_first(running); l; l = list_next(running, l)) {
		struct speech_job *job = LIST_OBJECT(l, struct speech_job, link);
		uint32_t slice = slice_samples(job, SCHEDULER_SLICE_CALM_US);

		if (!job->held && job->received > 0 && seat_credit(job->seat) < slice / 2)
			seat_grant(job->seat, slice);
	}
}

/* Whether the engine uses the slots in question: those of `only` or, if that is NULL, those that all
 * engines without slots of their own share. */
static bool scheduler_shares(const struct synthesizer *synthesizer, const struct synthesizer *only)
{
	return only ? synthesizer == only : synthesizer->slots == 0;
}

/* Gives credit to the first jobs until as many jobs have credit as there are slots. */
static void scheduler_serve(struct pool *pool, const struct synthesizer *only, unsigned slots)
{
	struct speech_job *next;
	unsigned taken = 0;

	for (struct synthesizer *s = pool_first(pool); s; s = pool_next(pool, s)) {
		if (scheduler_shares(s, only))
			taken += (unsigned)s->running.count - s->stuck;
	}
	for (;;) {
		next = NULL;
		for (struct synthesizer *s = pool_first(pool); s; s = pool_next(pool, s)) {
			if (scheduler_shares(s, only))
				next = job_earlier(next, scheduler_first_of(s));
		}
		if (!next || taken >= slots)
			break;
		scheduler_grant(next);
		if (next->state != JOB_RUNNING)
			break; /* its worker was lost, or there is no memory: it is tried again later */
		++taken;
	}
	if (!only && pool->options.cores_busy)
		*pool->options.cores_busy = taken;
	if (next && pool->options.order == POOL_BY_DEADLINE &&
	    job_due_us(next) <= loop_now_us(pool->loop) + SCHEDULER_CALM_US)
		return;
	for (struct synthesizer *s = pool_first(pool); s; s = pool_next(pool, s)) {
		if (scheduler_shares(s, only) && !seating_lacks_seat(s))
			scheduler_top_up(
				s); /* otherwise one of them may have to give up its seat */
	}
}

static void scheduler_run(void *arg)
{
	struct pool *pool = arg;

	for (struct synthesizer *s = pool_first(pool); s; s = pool_next(pool, s)) {
		s->slots = fleet_slots(s->fleet);
		seating_prepare(s);
	}
	scheduler_serve(pool, NULL, pool->options.slots);
	for (struct synthesizer *s = pool_first(pool); s; s = pool_next(pool, s)) {
		if (s->slots > 0)
			scheduler_serve(pool, s, s->slots);
	}
	for (struct synthesizer *s = pool_first(pool); s; s = pool_next(pool, s))
		seating_finish(s);
}

void scheduler_run_soon(struct pool *pool)
{
	loop_defer(pool->loop, &pool->schedule, scheduler_run, pool);
}

static void scheduler_on_tick(void *arg)
{
	struct pool *pool = arg;

	for (struct synthesizer *s = pool_first(pool); s; s = pool_next(pool, s)) {
		for (struct link *l = list_first(&s->running); l; l = list_next(&s->running, l))
			scheduler_check_stuck(LIST_OBJECT(l, struct speech_job, link));
	}
	scheduler_start(pool);
	scheduler_run_soon(pool);
}

void scheduler_start(struct pool *pool)
{
	timer_set(&pool->loop->timers, &pool->tick, SCHEDULER_TICK_US, scheduler_on_tick, pool);
}

void scheduler_stop(struct pool *pool)
{
	timer_clear(&pool->loop->timers, &pool->tick);
	loop_undefer(pool->loop, &pool->schedule);
}

/* What the engine has made beyond the credit costs no more work and is fetched at once.  Whether it
 * may make more is decided by rank. */
void scheduler_spent(struct speech_job *job)
{
	uint32_t more = job->held ? 0 : slice_stock(job);

	if (more > 0)
		seat_grant(job->seat, more);
	else
		job_move(job, job->held ? JOB_HELD : JOB_PARKED);
}

static int scheduler_on_start(struct speech_job **jobp, struct speech *speech,
			      const struct speech_request *request,
			      const struct speech_listener *listener, void *arg)
{
	struct pool *pool = (struct pool *)(void *)speech;
	struct synthesizer *synthesizer = pool_find(pool, request->voice->engine);
	struct speech_job *job;
	int err;

	if (!synthesizer)
		return ENOENT;
	err = job_alloc(&job, pool, synthesizer, request);
	if (err)
		return err;
	job->listener = listener;
	job->arg = arg;
	job_requeue(job);
	*jobp = job;
	return 0;
}

static void scheduler_on_hold(struct speech_job *job, bool held)
{
	if (job->held == held)
		return;
	job->held = held;
	if (held && (job->state == JOB_PARKED || job->state == JOB_QUEUED)) {
		timer_clear(&job->pool->loop->timers, &job->start_timer);
		job_move(job, JOB_HELD);
	} else if (!held && job->state == JOB_HELD) {
		if (job->seat)
			job_move(job, JOB_PARKED);
		else
			job_requeue(job);
		if (job->stock > 0 && job->seat)
			scheduler_grant(job); /* made already: it needs no slot */
	}
	scheduler_run_soon(job->pool);
}

static void scheduler_on_yield(struct speech_job *job)
{
	if (job->yields)
		return;
	job->yields = true;
	if (job->state == JOB_PARKED || job->state == JOB_QUEUED)
		job_move(job, job->state); /* to its new place in the queue */
	scheduler_run_soon(job->pool);
}

static void scheduler_on_cancel(struct speech_job *job)
{
	if (job->seat) {
		seat_call_off(job->seat);
		turn_state_called_off(job);
	}
	job->listener = NULL;
	scheduler_run_soon(job->pool);
	job_move(job, JOB_NEW);
	mem_deref(job);
}

static void scheduler_on_end_turn(struct speech *speech, uint64_t turn)
{
	turn_state_end((struct pool *)(void *)speech, turn);
}

static bool scheduler_has_own_speed(struct speech *speech, const struct voice *voice)
{
	const struct pool *pool = (struct pool *)(void *)speech;
	const struct synthesizer *synthesizer = pool_find(pool, voice->engine);

	return synthesizer && synthesizer->capabilities & MESSAGE_OWN_SPEED;
}

/* An engine that has not said yet what it can do ignores phonemes that it cannot read. */
static bool scheduler_reads_phonemes(struct speech *speech, const struct voice *voice)
{
	const struct pool *pool = (struct pool *)(void *)speech;
	const struct synthesizer *synthesizer = pool_find(pool, voice->engine);

	return synthesizer &&
	       (!synthesizer->knows_capabilities || synthesizer->capabilities & MESSAGE_PHONEMES);
}

const struct speech_ops scheduler_speech_ops = {
	.start = scheduler_on_start,
	.hold = scheduler_on_hold,
	.yield = scheduler_on_yield,
	.cancel = scheduler_on_cancel,
	.end_turn = scheduler_on_end_turn,
	.has_own_speed = scheduler_has_own_speed,
	.reads_phonemes = scheduler_reads_phonemes,
};
