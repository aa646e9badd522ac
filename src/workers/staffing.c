/*
 * staffing.c: how many workers a fleet has (part of fleet.h).
 *
 * What is kept ready is free seats: as many as the fleet's user asks for (`fleet_demand`), so that a
 * burst of work finds them.  A program that does one piece of work at a time has a process for each
 * piece.  A program that does many has one process, and another one only when free seats are short.
 *
 *   more   fleet_staff starts workers while fewer seats are free than are wanted, up to a number of
 *          workers (`workers_max`) or the memory that all of them may take (memory.c).  Groups of
 *          work that was on a worker when it died get workers of their own.
 *   fewer  staffing_trim ends workers that have not been needed for one to two minutes, and
 *          temporary workers end as soon as no group needs them.
 *
 * Runs on the loop's thread.
 */
#include <string.h>

#include "base/log.h"
#include "workers/fleet_private.h"

/* A core could not keep up with more pieces of work than this, even of the fastest program that
 * has many seats: no process is started for them. */
#define STAFFING_SEATS_PER_SLOT 16

/* As many workers may be starting at a time as there are cores, and at least this many: more would
 * only compete for the cores with the workers that are busy.  They are not started with a lower
 * priority, because a process without privileges cannot raise it again later. */
#define STAFFING_STARTING_MIN 2

/* A fleet may have this many seats whatever memory they take: with fewer, two or three callers would
 * already have to wait for each other. */
#define STAFFING_SEATS_MIN 4

/* A worker ends when fewer workers were needed for one to two of these periods.  Work that arrives
 * in a burst once a minute then finds its workers, each of which would take tens of milliseconds to
 * start. */
#define STAFFING_PERIOD_US 60000000

/* How often that is checked, and how many workers end at a time: it takes the kernel up to a
 * millisecond to end a process, and the loop waits for it. */
#define STAFFING_TRIM_US 1000000
#define STAFFING_TRIM_MAX 8

/* Temporary workers, for groups: the two halves of a group that died, and two more for groups that
 * were separated from it before and have not ended.  The smaller number applies where the operator
 * allows few workers or the memory for workers is used up. */
#define STAFFING_TEMPORARY_MIN 2
#define STAFFING_TEMPORARY_MAX 4

bool fleet_is_full(const struct fleet *fleet)
{
	unsigned most = fleet->options.workers_max;
	struct fleet_demand demand = {0};
	unsigned count = 0;

	if (!fleet->program)
		return true;
	if (!fleet_has_single_seats(fleet)) {
		unsigned own = fleet_slots(fleet);
		unsigned slots = own > 0 ? own : fleet->options.cores;
		unsigned enough =
			(slots * STAFFING_SEATS_PER_SLOT + fleet->seats - 1) / fleet->seats;

		fleet->ops->demand(fleet->arg, &demand);
		enough += demand.standby;
		most = enough < most ? enough : most;
	}
	for (struct worker *w = fleet_first(fleet); w; w = fleet_next(fleet, w))
		count += worker_is_staff(w);
	return count >= most ||
	       (count * fleet->seats >= STAFFING_SEATS_MIN && !memory_has_room(fleet));
}

bool fleet_is_full_of_groups(const struct fleet *fleet)
{
	unsigned most = fleet->options.workers_max;
	unsigned count = 0;

	if (most > STAFFING_TEMPORARY_MAX)
		most = STAFFING_TEMPORARY_MAX;
	if (most < STAFFING_TEMPORARY_MIN || !memory_has_room(fleet))
		most = STAFFING_TEMPORARY_MIN;
	for (struct worker *w = fleet_first(fleet); w; w = fleet_next(fleet, w))
		count += w->temporary;
	return !fleet->program || count >= most;
}

unsigned fleet_seats_starting(const struct fleet *fleet, uint64_t within_us)
{
	uint64_t now_us = loop_now_us(fleet->loop);
	unsigned seats = 0;

	for (struct worker *w = fleet_first(fleet); w && fleet->starting > 0;
	     w = fleet_next(fleet, w)) {
		if (w->state == WORKER_STARTING && !w->temporary &&
		    w->started_us + fleet->start_us <= now_us + within_us)
			seats += fleet->seats;
	}
	return seats;
}

/* Whether one more worker of the staff, or one more temporary worker, may be starting.  The two
 * kinds are counted apart, so that neither new work nor a group waits for the other.  Until the
 * first worker has answered only one is started: a program that does not work at all should fail
 * once, not as often as there are cores. */
static bool staffing_may_start(const struct fleet *fleet, bool temporary)
{
	unsigned most = fleet->options.cores;
	unsigned starting = 0;

	if (!fleet->answered || fleet->failures > 0)
		most = 1;
	else if (most < STAFFING_STARTING_MIN)
		most = STAFFING_STARTING_MIN;
	for (struct worker *w = fleet_first(fleet); w && fleet->starting > 0;
	     w = fleet_next(fleet, w))
		starting += w->state == WORKER_STARTING && w->temporary == temporary;
	return fleet->program && starting < most;
}

/* Free seats that the staff should have, among them those of idle workers that stand by.  Where
 * workers have one seat, groups (of one piece of work each) are served by the staff. */
static size_t staffing_wanted(const struct fleet *fleet)
{
	struct fleet_demand demand = {0};

	fleet->ops->demand(fleet->arg, &demand);
	return demand.spare + demand.waiting + (size_t)demand.standby * fleet->seats +
	       (fleet_has_single_seats(fleet) ? demand.groups : 0);
}

/* Free seats of a worker that new work can have.  Those beyond the number of turns whose state the
 * worker can still take do not count: a new turn on such a seat would cost another turn its state.
 * A worker that starts will have as many seats as the others. */
static unsigned staffing_spare(const struct worker *worker)
{
	unsigned seats = worker->seat_count ? worker->seat_count : worker->fleet->seats;
	unsigned spare = seats - worker->seats_taken;
	size_t turns = worker->affinities.count;

	if (!worker_is_staff(worker) || worker->claimed)
		return 0;
	if (worker->turns_max > 0 && turns + spare > worker->turns_max)
		spare = turns < worker->turns_max ? worker->turns_max - (unsigned)turns : 0;
	return spare;
}

static bool staffing_lacks_seats(const struct fleet *fleet)
{
	size_t wanted = staffing_wanted(fleet);
	size_t spare = 0;

	for (struct worker *w = fleet_first(fleet); w && spare < wanted; w = fleet_next(fleet, w))
		spare += staffing_spare(w);
	return spare < wanted && !fleet_is_full(fleet);
}

/* After fleet_renew: no worker that could describe the program again is ready or starting. */
static bool staffing_lacks_renewal(const struct fleet *fleet)
{
	if (!fleet->renewing)
		return false;
	for (struct worker *w = fleet_first(fleet); w; w = fleet_next(fleet, w)) {
		if (w->serial > fleet->renew_after && !w->temporary)
			return false;
	}
	return true;
}

static int staffing_launch(struct fleet *fleet, bool temporary)
{
	int err = worker_launch(fleet, temporary);

	if (err) {
		log_error("workers", "cannot start %s: %s", fleet->program, strerror(err));
		fleet_worker_failed(fleet, false);
	}
	return err;
}

void staffing_fill(struct fleet *fleet)
{
	if (timer_is_set(&fleet->restart_timer))
		return;
	while (staffing_may_start(fleet, false) &&
	       (staffing_lacks_seats(fleet) || staffing_lacks_renewal(fleet))) {
		if (staffing_launch(fleet, false) != 0)
			return;
	}
}

/* Where every worker has one seat: the first group needs a worker that was started after a death.
 * One is started unless there is one already, in the place of an idle worker if the fleet is full. */
static void staffing_start_newer(struct fleet *fleet, uint64_t newer_than)
{
	struct worker *idle = NULL;

	for (struct worker *w = fleet_first(fleet); w; w = fleet_next(fleet, w)) {
		if (w->serial > newer_than && !w->leaving)
			return;
		if (w->seats_taken == 0 && w->child && !w->claimed)
			idle = w;
	}
	if (fleet->workers.count >= fleet->options.workers_max || fleet_is_full(fleet)) {
		if (!idle)
			return;
		worker_end(idle);
	}
	(void)staffing_launch(fleet, false);
}

/* Where workers have many seats: each group that waits gets a temporary worker.  Those that no group
 * needs end when they have no work and the staff is ready. */
static void staffing_fit_temporary(struct fleet *fleet, size_t groups)
{
	unsigned starting = 0;
	struct worker *next;

	for (struct worker *w = fleet_first(fleet); w; w = next) {
		next = fleet_next(fleet, w);
		if (!w->temporary)
			continue;
		starting += w->state == WORKER_STARTING;
		if (fleet_is_claimable(w) && fleet_has_ready_staff(fleet, w))
			worker_end(w);
	}
	for (; starting < groups && staffing_may_start(fleet, true); ++starting) {
		if (fleet_is_full_of_groups(fleet) || staffing_launch(fleet, true) != 0)
			return;
	}
}

void fleet_staff(struct fleet *fleet)
{
	struct fleet_demand demand = {0};

	if (timer_is_set(&fleet->restart_timer))
		return;
	fleet->ops->demand(fleet->arg, &demand);
	if (fleet->program && !fleet_has_single_seats(fleet))
		staffing_fit_temporary(fleet, demand.groups);
	else if (fleet->program && demand.groups > 0)
		staffing_start_newer(fleet, demand.newer_than);
	staffing_fill(fleet);
}

/* Ends workers that have not been needed for a while, beginning with the one that has been idle
 * longest.  Workers that keep the state of turns stay, because these turns would have to be
 * replayed, and connected workers are not ours to end. */
static void staffing_trim(struct fleet *fleet)
{
	uint64_t now_us = loop_now_us(fleet->loop);
	size_t needed = fleet->peak > fleet->peak_before ? fleet->peak : fleet->peak_before;
	size_t seats = 0;

	if (now_us >= fleet->period_us + STAFFING_PERIOD_US) {
		fleet->period_us = now_us;
		fleet->peak_before = fleet->peak;
		fleet->peak = fleet->seats_taken;
	}
	needed += staffing_wanted(fleet);
	for (struct worker *w = fleet_first(fleet); w; w = fleet_next(fleet, w)) {
		if (w->state == WORKER_READY && worker_is_staff(w))
			seats += w->seats_taken + staffing_spare(w);
	}
	for (unsigned i = 0; i < STAFFING_TRIM_MAX && fleet->starting == 0; ++i) {
		struct worker *idle = NULL;

		for (struct worker *w = fleet_first(fleet); w; w = fleet_next(fleet, w)) {
			if (fleet_is_claimable(w) && worker_is_staff(w) && w->child &&
			    w->affinities.count == 0)
				idle = w;
		}
		if (!idle || seats < needed + idle->seat_count)
			return;
		seats -= idle->seat_count;
		worker_end(idle);
	}
}

static void staffing_on_timer(void *arg)
{
	struct fleet *fleet = arg;

	timer_set(&fleet->loop->timers, &fleet->trim_timer, STAFFING_TRIM_US, staffing_on_timer,
		  fleet);
	memory_measure_some(fleet);
	staffing_trim(fleet);
}

void staffing_start(struct fleet *fleet)
{
	fleet->period_us = loop_now_us(fleet->loop);
	timer_set(&fleet->loop->timers, &fleet->trim_timer, STAFFING_TRIM_US, staffing_on_timer,
		  fleet);
}

void staffing_stop(struct fleet *fleet)
{
	timer_clear(&fleet->loop->timers, &fleet->trim_timer);
}
