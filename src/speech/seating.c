/*
 * seating.c: which job gets which seat, and which job has to give one up.
 *
 * A job that has no seat waits in one of three queues, and the first of these rules that applies
 * says which seats it may have:
 *
 *   in a group   (retry.c)       those of the worker that its group has claimed; if its turn has
 *                                state elsewhere, that is rebuilt on this worker
 *   bound        (turn_state.c)  those of the worker that has the state of its turn
 *   queued                       any that is free (fleet_pick)
 *
 * Among the jobs for which there is a seat the scheduler chooses, by rank.
 *
 * A job keeps its seat until it ends, with two exceptions.  It is then made again later, and what
 * was received is skipped:
 *
 *   taken back   its listener has been full for a quarter of a second, and its worker is leaving or
 *                others wait for a seat of this kind that cannot be had otherwise
 *   preempted    its listener has a second of audio or more, and an urgent job finds no seat.
 *                This costs work, so it has limits
 *
 * Jobs in groups are not preempted, because they could not continue on another worker.  A job whose
 * turn has state can be, and the replay that follows counts as work that is repeated.
 *
 * Runs on the loop's thread.
 */
#include "speech/pool_private.h"

/* A job that has been held for this long gives up its seat if others wait: long enough that a
 * network hiccup of the client does not cost a second synthesis. */
#define SEATING_TAKE_BACK_US 250000

/* If a listener has this much audio left, its job can do without its seat.  This is twice the time at
 * which the job would be urgent itself, so it has half a second to get a seat again, when a worker
 * has started or other jobs have ended. */
#define SEATING_PREEMPT_US (2 * SCHEDULER_CALM_US)

/* What must be made again may take at most one part in this many of the audio that the listener has
 * left.  So jobs of a cheap engine can always be preempted and those of an expensive one only at the
 * beginning of a sentence, and repeated work never takes more than a few percent of that time. */
#define SEATING_REDO_SHARE 20

/* How often a job may be preempted, because the work that is repeated grows each time. */
#define SEATING_PREEMPT_MAX 3

/* If a worker will be ready within this time, the job waits for it: a seat that is given up takes
 * about as long to become free. */
#define SEATING_SOON_US 1000

struct worker *seating_worker(const struct speech_job *job)
{
	struct worker *bound = turn_state_worker(job);

	if (job->group)
		return retry_worker(job);
	return bound ? bound : fleet_pick(job->synthesizer->fleet);
}

struct speech_job *seating_first(const struct synthesizer *synthesizer)
{
	struct speech_job *first = job_queue_first(&synthesizer->queued);

	if (first && !fleet_pick(synthesizer->fleet))
		first = NULL;
	first = job_earlier(first, turn_state_first(synthesizer));
	return job_earlier(first, retry_first(synthesizer));
}

/* The highest rank of an urgent job; 0: ranks are not times, and no job is urgent. */
static uint64_t seating_urgent_rank(const struct pool *pool)
{
	if (pool->options.order != POOL_BY_DEADLINE)
		return 0;
	return loop_now_us(pool->loop) + SCHEDULER_CALM_US;
}

bool seating_lacks_seat(const struct synthesizer *synthesizer)
{
	const struct speech_job *first = job_queue_first(&synthesizer->queued);
	uint64_t urgent_rank = seating_urgent_rank(synthesizer->pool);

	if (first && first->rank <= urgent_rank && !fleet_pick(synthesizer->fleet))
		return true;
	return turn_state_lacks_seat(synthesizer, NULL, urgent_rank);
}

static void seating_give_up(struct speech_job *job)
{
	++job->pool->taken_back;
	seat_call_off(job->seat);
	turn_state_called_off(job);
	job_requeue(job);
}

/* The work that is repeated if the job gives up its seat. */
static uint64_t seating_redo_us(const struct speech_job *job)
{
	return job_redo_us(job) +
	       turn_state_audio_us(job) * job->synthesizer->busy_us_per_second / 1000000u;
}

/* Whether the listener can do without the seat.  A turn of which a part has been forgotten cannot be
 * rebuilt exactly, so that its voice might change in the middle of a sentence. */
static bool seating_can_preempt(const struct speech_job *job)
{
	uint64_t now_us = loop_now_us(job->pool->loop);
	uint64_t due_us = job_due_us(job);

	return !job->group && !turn_state_has_forgotten(job) &&
	       job->preempted < SEATING_PREEMPT_MAX && due_us >= now_us + SEATING_PREEMPT_US &&
	       seating_redo_us(job) * SEATING_REDO_SHARE <= due_us - now_us &&
	       !seat_is_leaving(job->seat) && !seat_is_temporary(job->seat);
}

/* Preempts the job that loses least work, and of two that lose the same the one whose listener has
 * more audio left; if `for_bound`, only a job whose seat an urgent bound job is waiting for.  Returns
 * false if there is none. */
static bool seating_preempt_one(struct synthesizer *synthesizer, bool for_bound)
{
	const struct list *lists[] = {&synthesizer->held, &synthesizer->parked.jobs};
	uint64_t urgent_rank = seating_urgent_rank(synthesizer->pool);
	struct speech_job *best = NULL;
	uint64_t best_redo_us = 0;

	for (unsigned i = 0; i < 2; ++i) {
		for (struct link *l = list_first(lists[i]); l; l = list_next(lists[i], l)) {
			struct speech_job *job = LIST_OBJECT(l, struct speech_job, link);
			uint64_t redo_us = seating_redo_us(job);

			if (best &&
			    (redo_us > best_redo_us ||
			     (redo_us == best_redo_us && job_due_us(job) <= job_due_us(best))))
				continue;
			if (!seating_can_preempt(job) ||
			    (for_bound &&
			     !turn_state_lacks_seat(synthesizer, job->seat, urgent_rank)))
				continue;
			best = job;
			best_redo_us = redo_us;
		}
	}
	if (!best)
		return false;
	++best->preempted;
	seating_give_up(best);
	return true;
}

/* For jobs that may have any seat a few more are freed than can be worked on at once, and the next
 * ones when these are taken, if no worker has become ready by then. */
static void seating_preempt(struct synthesizer *synthesizer)
{
	const struct pool *pool = synthesizer->pool;
	const struct fleet *fleet = synthesizer->fleet;
	const struct list *queued = &synthesizer->queued.jobs;
	uint64_t urgent_rank = seating_urgent_rank(pool);
	unsigned most = 2 * (synthesizer->slots > 0 ? synthesizer->slots : pool->options.slots);
	unsigned wanted = 0;
	unsigned coming;

	if (!seating_lacks_seat(synthesizer))
		return;
	if (fleet_pick(fleet))
		most = 0; /* only bound jobs lack a seat */
	for (struct link *l = list_first(queued); l && wanted < most; l = list_next(queued, l))
		wanted += LIST_OBJECT(l, struct speech_job, link)->rank <= urgent_rank;
	coming = fleet_seats_coming(fleet, false) + fleet_seats_starting(fleet, SEATING_SOON_US);
	while (coming < wanted && seating_preempt_one(synthesizer, false))
		++coming;
	while (seating_preempt_one(synthesizer, true))
		; /* each of them frees a seat for which a bound job waits */
}

/* Takes back seats of jobs whose listeners have been full for long, the longest first. */
static void seating_take_back(struct synthesizer *synthesizer)
{
	const struct fleet *fleet = synthesizer->fleet;
	const struct list *held = &synthesizer->held;
	uint64_t now_us = loop_now_us(synthesizer->pool->loop);
	uint64_t newer_than;
	size_t groups = retry_waiting(synthesizer, &newer_than);
	bool single = fleet_has_single_seats(fleet);
	size_t queued = synthesizer->queued.jobs.count + (single ? groups : 0);
	bool for_queued = fleet_is_full(fleet) && fleet_seats_coming(fleet, false) < queued;
	bool for_groups = !single && fleet_is_full_of_groups(fleet) &&
			  fleet_seats_coming(fleet, true) < groups;
	bool for_leaving = true; /* a worker that is leaving does not wait for these listeners */
	struct link *next;

	for (struct link *l = list_first(held); l; l = next) {
		struct speech_job *job = LIST_OBJECT(l, struct speech_job, link);
		bool *wanted = seat_is_leaving(job->seat)     ? &for_leaving
			       : seat_is_temporary(job->seat) ? &for_groups
							      : &for_queued;

		next = list_next(held, l);
		if (now_us < job->state_since_us + SEATING_TAKE_BACK_US)
			return; /* the following ones have been held for less time */
		if (turn_state_lacks_seat(synthesizer, job->seat, UINT64_MAX)) {
			seating_give_up(job);
		} else if (*wanted) {
			*wanted = false; /* one at a time */
			seating_give_up(job);
		}
	}
}

void seating_prepare(struct synthesizer *synthesizer)
{
	retry_assign_workers(synthesizer);
	turn_state_unbind(synthesizer); /* also from workers that a group has claimed */
	seating_preempt(synthesizer);
}

void seating_finish(struct synthesizer *synthesizer)
{
	fleet_staff(synthesizer->fleet);
	if (synthesizer->held.count > 0)
		seating_take_back(synthesizer);
}
