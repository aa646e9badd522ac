/*
 * scheduler.c: which job is given credit next, and what turns may ask of a job.
 *
 * A job runs only while it holds credit.  Credit goes to the job whose listener
 * runs dry first, in slices of about a millisecond of work, to as many jobs as
 * there are slots.  So a long sentence is preempted without its engine knowing,
 * and sixteen callers at the same instant all get their first sound within
 * milliseconds.
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
/* The same when nobody is in a hurry: the next one to come may have to wait for so long. */
#define SCHEDULER_SLICE_CALM_US 5000

/* A listener that has this much left to hear does not hurry anyone: the job that
 * runs goes on, because every change of process costs it its caches. */
#define SCHEDULER_CALM_US 500000

/* A job without credit for this long gives up its seat if others wait: long
 * enough that a network hiccup of the client does not cost a second synthesis. */
#define SCHEDULER_TAKE_BACK_US 250000

/* A job that is silent for so long gives its slot up: soon enough for a first
 * chunk to start in time, later than an engine that is only slow. */
#define SCHEDULER_STUCK_US 1000000

/* How often the decisions that depend on time alone are made. */
#define SCHEDULER_TICK_US 250000

static struct worker *scheduler_worker_for(const struct speech_job *job)
{
	const struct fleet *fleet = job->synthesizer->fleet;

	return job->retried ? fleet_pick_alone(fleet, job->newer_than) : fleet_pick(fleet);
}

/* Of the jobs that need a worker to themselves, the first that could have one now.  Mostly that is
 * the first of all; the others are only looked at when a worker is idle that is too old for it. */
static struct speech_job *scheduler_first_again(const struct synthesizer *synthesizer)
{
	const struct list *again = &synthesizer->again.jobs;
	struct speech_job *first = job_queue_first(&synthesizer->again);
	uint64_t serial = first ? fleet_alone_serial(synthesizer->fleet) : 0;

	if (serial == 0 || first->newer_than < serial)
		return serial == 0 ? NULL : first;
	first = NULL;
	for (struct link *l = list_first(again); l; l = list_next(again, l)) {
		struct speech_job *job = LIST_OBJECT(l, struct speech_job, link);

		if (job->newer_than < serial && (!first || job->rank < first->rank))
			first = job;
	}
	return first;
}

static struct speech_job *scheduler_earlier(struct speech_job *one, struct speech_job *other)
{
	if (!one || !other)
		return one ? one : other;
	return other->rank < one->rank ? other : one;
}

/* The job of an engine whose listener runs dry first, among those that could go on now. */
static struct speech_job *scheduler_first_of(const struct synthesizer *synthesizer)
{
	struct speech_job *first = job_queue_first(&synthesizer->parked);
	struct speech_job *queued = job_queue_first(&synthesizer->queued);

	if (queued && fleet_pick(synthesizer->fleet))
		first = scheduler_earlier(first, queued);
	return scheduler_earlier(first, scheduler_first_again(synthesizer));
}

static void scheduler_grant(struct speech_job *job)
{
	uint32_t credit = slice_stock(job);
	struct message speak;

	if (credit == 0)
		credit = slice_samples(job, SCHEDULER_SLICE_BUSY_US);
	if (job->seat) {
		seat_grant(job->seat, credit);
	} else {
		job_make_speak(job, &speak, credit);
		if (seat_take(&job->seat, scheduler_worker_for(job), &speak, credit, job) != 0)
			return; /* that worker is lost, and the job goes on waiting for one */
		job_begin_try(job);
	}
	if (job->first && !job->was_granted)
		metrics_observe(METRIC_ADDED, loop_now_us(job->pool->loop) - job->asked_us);
	job->was_granted = true;
	job_move(job, JOB_RUNNING);
}

/* A job whose worker has not been heard for long does not count for the slots: two texts on which
 * an engine hangs must not keep everybody else waiting until it is killed. */
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

/* Nobody is in a hurry: the jobs of an engine that run go on without a pause. */
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

/* Those who share slots: one engine that has its own or, if `only` is NULL, all others. */
static bool scheduler_shares(const struct synthesizer *synthesizer, const struct synthesizer *only)
{
	return only ? synthesizer == only : synthesizer->slots == 0;
}

/* Gives credit to those who are first in line, until so many have some. */
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
				next = scheduler_earlier(next, scheduler_first_of(s));
		}
		if (!next || taken >= slots)
			break;
		scheduler_grant(next);
		taken += next->state == JOB_RUNNING;
	}
	if (next && pool->options.order == POOL_BY_DEADLINE &&
	    job_due_us(next) <= loop_now_us(pool->loop) + SCHEDULER_CALM_US)
		return;
	for (struct synthesizer *s = pool_first(pool); s; s = pool_next(pool, s)) {
		if (scheduler_shares(s, only))
			scheduler_top_up(s);
	}
}

/* Takes the seat of the job that has been held longest on such workers: it is made again later. */
static void scheduler_take_back(struct synthesizer *synthesizer, bool leaving, bool reserved)
{
	struct pool *pool = synthesizer->pool;
	const struct list *held = &synthesizer->held;

	for (struct link *l = list_first(held); l; l = list_next(held, l)) {
		struct speech_job *job = LIST_OBJECT(l, struct speech_job, link);

		if (loop_now_us(pool->loop) < job->state_since_us + SCHEDULER_TAKE_BACK_US)
			return; /* and the others were held later */
		if (seat_is_leaving(job->seat) != leaving ||
		    (!leaving && seat_is_reserved(job->seat) != reserved))
			continue;
		++pool->taken_back;
		seat_call_off(job->seat);
		job_requeue(job);
		return;
	}
}

/* Frees seats for those that queue, where no more workers can be had for them. */
static void scheduler_free_seats(struct synthesizer *synthesizer)
{
	const struct fleet *fleet = synthesizer->fleet;
	size_t queued = synthesizer->queued.jobs.count;
	size_t again = synthesizer->again.jobs.count;
	bool single = fleet_has_single_seats(fleet);

	if (synthesizer->held.count == 0)
		return;
	/* A worker that is to go does not wait for listeners who do not listen. */
	scheduler_take_back(synthesizer, true, false);
	if (fleet_is_full(fleet) &&
	    fleet_seats_coming(fleet, false) < queued + (single ? again : 0))
		scheduler_take_back(synthesizer, false, false);
	if (!single && fleet_seats_coming(fleet, true) < again)
		scheduler_take_back(synthesizer, false, true);
}

static void scheduler_run(void *arg)
{
	struct pool *pool = arg;

	for (struct synthesizer *s = pool_first(pool); s; s = pool_next(pool, s))
		s->slots = fleet_slots(s->fleet);
	scheduler_serve(pool, NULL, pool->options.slots);
	for (struct synthesizer *s = pool_first(pool); s; s = pool_next(pool, s)) {
		if (s->slots > 0)
			scheduler_serve(pool, s, s->slots);
	}
	for (struct synthesizer *s = pool_first(pool); s; s = pool_next(pool, s)) {
		fleet_staff_alone(s->fleet);
		if (s->queued.jobs.count + s->again.jobs.count > 0)
			fleet_staff(s->fleet);
		scheduler_free_seats(s);
	}
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

/* What its engine has made beyond the credit costs no more work and is sent for at once; whether it
 * makes more is decided anew. */
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
	if (job->seat)
		seat_call_off(job->seat);
	job->listener = NULL;
	scheduler_run_soon(job->pool);
	job_move(job, JOB_NEW);
	mem_deref(job);
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
	.has_own_speed = scheduler_has_own_speed,
	.reads_phonemes = scheduler_reads_phonemes,
};
