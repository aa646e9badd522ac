/*
 * fleet.c: the workers of one program (see fleet.h).
 *
 * What is kept ready is seats: a few more than are taken, so that a burst of
 * work finds them.  A program that does one piece of work at a time has a process
 * for each; one that does many has one process, and more only when its seats run
 * short.
 *
 * Workers are of these kinds:
 *
 *   staff      take any work
 *   worn       staff that has done its share of work: not counted any more, and
 *              retired when another of the staff is ready
 *   leaving    take no new work, and go when they have none
 *   reserved   for work that was on a worker when it died, one piece at a time;
 *              only where a worker has more than one seat, else every new worker
 *              will do
 *
 * A program that dies before it was of any use is tried again with growing
 * pauses; one that dies while it works, at once.  Workers that were connected are
 * not replaced, because only their own side can do that: a fleet that has no
 * program gives work that must be alone to any worker that is idle.
 */
#include "workers/fleet.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "workers/fleet_private.h"
#include "workers/record.h"

/* A core could not keep up with more pieces of work than this, even of the fastest program that
 * has many seats: no process is started for them. */
#define FLEET_SEATS_PER_SLOT 16

/* Workers that start at once: more would only compete for the cores. */
#define FLEET_STARTING_MAX 2

/* Workers that are reserved for work that must be alone: with one, twenty pieces of work of a
 * worker that died would be done one after another. */
#define FLEET_RESERVED_MAX 2

#define FLEET_RESTART_FIRST_MS 100
#define FLEET_RESTART_LAST_MS 30000

/* Starts that fail in a row before the program counts as not there. */
#define FLEET_FAILURES_MAX 3

static void fleet_destroy(void *object)
{
	struct fleet *fleet = object;
	struct link *link;

	timer_clear(&fleet->loop->timers, &fleet->restart_timer);
	watchdog_stop(fleet);
	while ((link = list_first(&fleet->workers)))
		worker_end(LIST_OBJECT(link, struct worker, link));
	buf_reset(&fleet->record);
	free(fleet->program);
}

int fleet_alloc(struct fleet **fleetp, struct loop *loop, const struct fleet_options *options,
		const struct fleet_ops *ops, void *arg)
{
	struct fleet *fleet = mem_zalloc(sizeof(*fleet), NULL);

	if (!fleet)
		return ENOMEM;
	fleet->loop = loop;
	fleet->options = *options;
	fleet->ops = ops;
	fleet->arg = arg;
	fleet->seats = 1;
	list_init(&fleet->workers);
	strncpy(fleet->name, options->name, sizeof(fleet->name) - 1);
	if (options->program && !(fleet->program = strdup(options->program))) {
		mem_deref(fleet);
		return ENOMEM;
	}
	fleet->answered = !fleet->program; /* nobody knows whether a worker will connect */
	watchdog_start(fleet);
	mem_set_destructor(fleet, fleet_destroy);
	*fleetp = fleet;
	return 0;
}

int fleet_connect(struct fleet *fleet, struct stream *stream)
{
	return worker_connect(fleet, stream);
}

static struct worker *fleet_first(const struct fleet *fleet)
{
	struct link *link = list_first(&fleet->workers);

	return link ? LIST_OBJECT(link, struct worker, link) : NULL;
}

static struct worker *fleet_next(const struct fleet *fleet, const struct worker *worker)
{
	struct link *link = list_next(&fleet->workers, &worker->link);

	return link ? LIST_OBJECT(link, struct worker, link) : NULL;
}

static bool fleet_is_staff(const struct worker *worker)
{
	return worker->state != WORKER_LOST && !worker->reserved && !worker->leaving &&
	       !worker_is_worn(worker);
}

static unsigned fleet_staff_count(const struct fleet *fleet)
{
	unsigned count = 0;

	for (struct worker *w = fleet_first(fleet); w; w = fleet_next(fleet, w))
		count += fleet_is_staff(w);
	return count;
}

static bool fleet_has_ready_staff(const struct fleet *fleet, const struct worker *besides)
{
	for (struct worker *w = fleet_first(fleet); w; w = fleet_next(fleet, w)) {
		if (w != besides && w->state == WORKER_READY && fleet_is_staff(w))
			return true;
	}
	return false;
}

bool fleet_has_single_seats(const struct fleet *fleet)
{
	return fleet->seats == 1;
}

unsigned fleet_slots(const struct fleet *fleet)
{
	unsigned slots = 0;

	for (struct worker *w = fleet_first(fleet); w; w = fleet_next(fleet, w))
		slots += w->state == WORKER_READY ? w->batch : 0;
	return slots;
}

bool fleet_is_full(const struct fleet *fleet)
{
	unsigned most = fleet->options.workers_max;

	if (!fleet->program)
		return true;
	if (!fleet_has_single_seats(fleet)) {
		unsigned own = fleet_slots(fleet);
		unsigned slots = own > 0 ? own : fleet->options.cores;
		unsigned enough = (slots * FLEET_SEATS_PER_SLOT + fleet->seats - 1) / fleet->seats;

		most = enough < most ? enough : most;
	}
	return fleet_staff_count(fleet) >= most;
}

static void fleet_on_restart(void *arg)
{
	struct fleet *fleet = arg;

	fleet_staff(fleet);
	fleet->ops->changed(fleet->arg); /* work that must be alone may need a worker, too */
}

static void fleet_restart_later(struct fleet *fleet)
{
	uint64_t delay_ms = FLEET_RESTART_FIRST_MS;

	for (unsigned i = 1; i < fleet->failures && delay_ms < FLEET_RESTART_LAST_MS; ++i)
		delay_ms *= 2;
	if (delay_ms > FLEET_RESTART_LAST_MS)
		delay_ms = FLEET_RESTART_LAST_MS;
	timer_set(&fleet->loop->timers, &fleet->restart_timer, delay_ms * 1000, fleet_on_restart,
		  fleet);
}

/* Until the first worker has answered only one is started: a program that does not
 * work at all should fail once, not sixteen times. */
static bool fleet_may_start(const struct fleet *fleet)
{
	unsigned most = fleet->answered && fleet->failures == 0 ? FLEET_STARTING_MAX : 1;

	return fleet->program && fleet->starting < most;
}

/* Workers that start will have as many seats as the others. */
static bool fleet_wants_staff(const struct fleet *fleet)
{
	struct fleet_demand demand = {0};
	size_t wanted;
	size_t seats = 0;

	if (fleet_is_full(fleet))
		return false;
	fleet->ops->demand(fleet->arg, &demand);
	wanted = demand.spare + demand.waiting;
	if (fleet_has_single_seats(fleet))
		wanted += demand.alone;
	for (struct worker *w = fleet_first(fleet); w; w = fleet_next(fleet, w)) {
		if (fleet_is_staff(w))
			seats += (w->seat_count ? w->seat_count : fleet->seats) - w->seats_taken;
	}
	return seats < wanted;
}

/* A worker that could say anew what the program can do is neither there nor on its way. */
static bool fleet_wants_renewal(const struct fleet *fleet)
{
	if (!fleet->renewing)
		return false;
	for (struct worker *w = fleet_first(fleet); w; w = fleet_next(fleet, w)) {
		if (w->serial > fleet->renew_after && !w->reserved)
			return false;
	}
	return true;
}

static int fleet_launch(struct fleet *fleet, bool reserved)
{
	int err = worker_launch(fleet, reserved);

	if (err) {
		log_error("workers", "cannot start %s: %s", fleet->program, strerror(err));
		fleet_worker_failed(fleet, false);
	}
	return err;
}

void fleet_staff(struct fleet *fleet)
{
	if (timer_is_set(&fleet->restart_timer))
		return;
	while (fleet_may_start(fleet) && (fleet_wants_staff(fleet) || fleet_wants_renewal(fleet))) {
		if (fleet_launch(fleet, false) != 0)
			return;
	}
}

void fleet_renew(struct fleet *fleet)
{
	if (!fleet->program)
		return;
	fleet->renewing = true;
	fleet->renew_after = fleet->serial;
	fleet->failures = 0; /* what made it fail may be what has changed */
	timer_clear(&fleet->loop->timers, &fleet->restart_timer);
	fleet_staff(fleet);
}

struct worker *fleet_pick(const struct fleet *fleet)
{
	for (struct worker *w = fleet_first(fleet); w; w = fleet_next(fleet, w)) {
		if (w->state == WORKER_READY && !w->leaving && !w->reserved &&
		    w->seats_taken < w->seat_count)
			return w;
	}
	return NULL;
}

/* Work that was on a worker when it died goes to one that was started since: whatever ended the
 * other (an operator, a lack of memory) may have ended more of them, and only a death on a healthy
 * worker is the work's own fault. */
static bool fleet_suits_alone(const struct fleet *fleet, const struct worker *worker)
{
	return worker->state == WORKER_READY && !worker->leaving && worker->seats_taken == 0 &&
	       (worker->reserved || worker->seat_count == 1 || !fleet->program);
}

struct worker *fleet_pick_alone(const struct fleet *fleet, uint64_t after)
{
	for (struct worker *w = fleet_first(fleet); w; w = fleet_next(fleet, w)) {
		if (fleet_suits_alone(fleet, w) && (w->serial > after || !fleet->program))
			return w;
	}
	return NULL;
}

uint64_t fleet_alone_serial(const struct fleet *fleet)
{
	uint64_t highest = 0;

	for (struct worker *w = fleet_first(fleet); w; w = fleet_next(fleet, w)) {
		if (!fleet_suits_alone(fleet, w))
			continue;
		if (!fleet->program)
			return UINT64_MAX; /* any worker will do */
		if (w->serial > highest)
			highest = w->serial;
	}
	return highest;
}

uint64_t fleet_last_serial(const struct fleet *fleet)
{
	return fleet->serial;
}

/* Where every worker has one seat: makes sure that a worker comes which is new enough, in the
 * place of an idle one if need be. */
static void fleet_staff_single(struct fleet *fleet, uint64_t after)
{
	struct worker *idle = NULL;

	for (struct worker *w = fleet_first(fleet); w; w = fleet_next(fleet, w)) {
		if (w->serial > after && !w->leaving)
			return;
		if (w->seats_taken == 0 && w->child)
			idle = w;
	}
	if (fleet->workers.count >= fleet->options.workers_max) {
		if (!idle)
			return;
		worker_end(idle);
	}
	(void)fleet_launch(fleet, false);
}

/* A worker that no work needs for itself joins the staff, or goes when there is
 * one: its memory is as large as theirs. */
static void fleet_unreserve(struct fleet *fleet, struct worker *worker)
{
	if (worker->leaving || fleet_has_ready_staff(fleet, worker)) {
		worker_end(worker);
		return;
	}
	worker->stands_in = fleet_staff_count(fleet) > 0; /* for one that starts */
	worker->reserved = false;
}

/* Where workers have many seats: some are set aside for work that must be alone, so that neither
 * it nor new work waits for the others to end. */
static void fleet_staff_reserved(struct fleet *fleet, const struct fleet_demand *demand)
{
	struct worker *next;
	unsigned busy = 0;
	unsigned reserved = 0;

	for (struct worker *w = fleet_first(fleet); w; w = next) {
		next = fleet_next(fleet, w);
		if (!w->reserved)
			continue;
		if (w->seats_taken > 0 ||
		    (demand->alone > 0 && demand->alone_after_least < w->serial)) {
			++reserved;
			busy += w->seats_taken > 0;
		} else if (w->state == WORKER_READY) {
			fleet_unreserve(fleet, w);
		}
	}
	if (reserved < FLEET_RESERVED_MAX && reserved - busy < demand->alone &&
	    fleet_may_start(fleet))
		(void)fleet_launch(fleet, true);
}

void fleet_staff_alone(struct fleet *fleet)
{
	struct fleet_demand demand = {0};

	if (timer_is_set(&fleet->restart_timer) || !fleet->program)
		return;
	fleet->ops->demand(fleet->arg, &demand);
	if (!fleet_has_single_seats(fleet))
		fleet_staff_reserved(fleet, &demand);
	else if (demand.alone > 0)
		fleet_staff_single(fleet, demand.alone_after);
}

/* A server whose record cannot be written works all the same, and its next start knows less. */
static void fleet_save_record(struct fleet *fleet)
{
	const char *dir = fleet->options.records_dir;
	int err = 0;

	if (!fleet->keeps_record || !dir)
		return;
	if (fleet->record.len > 0)
		err = record_save(dir, fleet->name, &fleet->record);
	else if (fleet->given_up)
		record_remove(dir, fleet->name);
	buf_reset(&fleet->record);
	if (err)
		log_warn("workers", "cannot record what %s said in %s: %s", fleet->name, dir,
			 strerror(err));
}

void fleet_keep_record(struct fleet *fleet)
{
	fleet->keeps_record = true;
	fleet_save_record(fleet);
}

int fleet_load_record(const struct fleet *fleet, struct buf *said)
{
	if (!fleet->options.records_dir)
		return ENOENT;
	return record_load(said, fleet->options.records_dir, fleet->name);
}

/* Those that are worn or stood in for this one, and after a renewal all that are older, make
 * room. */
static void fleet_dismiss_others(struct fleet *fleet, const struct worker *ready, bool older)
{
	struct worker *next;

	for (struct worker *w = fleet_first(fleet); w; w = next) {
		bool is_older = older && w->serial <= ready->serial && w->child;

		next = fleet_next(fleet, w);
		if (w == ready || (!worker_is_worn(w) && !w->stands_in && !is_older))
			continue;
		w->leaving = true;
		if (w->seats_taken == 0)
			worker_end(w);
	}
}

int fleet_worker_ready(struct fleet *fleet, struct worker *worker,
		       const struct message_ready *ready)
{
	bool renews = fleet->renewing && worker->serial > fleet->renew_after && !worker->reserved;
	bool is_news = renews || !fleet_has_ready_staff(fleet, worker);
	int err = fleet->ops->ready(fleet->arg, ready, is_news ? &worker->said : NULL);

	if (err)
		return err;
	if (is_news) {
		fleet->given_up = false;
		buf_reset(&fleet->record);
		fleet->record = worker->said;
		buf_init(&worker->said, 0);
		fleet_save_record(fleet);
	}
	buf_reset(&worker->said);
	worker->state = WORKER_READY;
	--fleet->starting;
	fleet->seats = worker->seat_count;
	fleet->answered = true;
	if (renews)
		fleet->renewing = false;
	if (!worker->reserved)
		fleet_dismiss_others(fleet, worker, renews);
	fleet_staff(fleet);
	fleet->ops->changed(fleet->arg);
	return 0;
}

/* Freed workers go to the front: the one whose caches are warm is taken next.  One that is worn
 * goes at once where others are its like, else when another is ready. */
void fleet_worker_freed(struct fleet *fleet, struct worker *worker)
{
	bool may_go = worker->leaving || (worker_is_worn(worker) && worker->seat_count == 1);

	fleet->failures = 0;
	list_remove(&fleet->workers, &worker->link);
	list_prepend(&fleet->workers, &worker->link);
	if (may_go && worker->seats_taken == 0)
		worker_end(worker);
	fleet_staff(fleet);
	fleet->ops->changed(fleet->arg);
}

static void fleet_give_up(struct fleet *fleet)
{
	log_error("workers", "%s does not start", fleet->program);
	fleet->given_up = true;
	fleet->answered = true;
	buf_reset(&fleet->record);
	fleet->ops->given_up(fleet->arg);
	fleet_save_record(fleet);
	fleet->ops->changed(fleet->arg);
}

/* Several that die together (an operator's kill) are one failure. */
void fleet_worker_failed(struct fleet *fleet, bool was_of_use)
{
	if (was_of_use || !fleet->program) {
		fleet->ops->restarting(fleet->arg);
		fleet_staff(fleet);
		return;
	}
	if (timer_is_set(&fleet->restart_timer))
		return;
	++fleet->failures;
	if (fleet->failures == FLEET_FAILURES_MAX && fleet->renewing) {
		log_error("workers", "%s does not start anew", fleet->program);
		fleet->renewing = false;
	}
	fleet_restart_later(fleet); /* first: the user may ask for workers when it is given up */
	if (fleet->failures >= FLEET_FAILURES_MAX && !fleet->given_up &&
	    !fleet_has_ready_staff(fleet, NULL))
		fleet_give_up(fleet);
}

unsigned fleet_seats_coming(const struct fleet *fleet, bool reserved)
{
	unsigned coming = 0;

	for (struct worker *w = fleet_first(fleet); w; w = fleet_next(fleet, w))
		coming += !w->leaving && w->reserved == reserved ? w->seats_coming : 0;
	return coming;
}

bool fleet_has_answered(const struct fleet *fleet)
{
	return fleet->answered;
}

bool fleet_is_given_up(const struct fleet *fleet)
{
	return fleet->given_up;
}

void fleet_add_stats(const struct fleet *fleet, struct fleet_stats *stats)
{
	stats->workers += (unsigned)fleet->workers.count;
	stats->starting += fleet->starting;
	stats->deaths += fleet->deaths;
	for (struct worker *w = fleet_first(fleet); w; w = fleet_next(fleet, w))
		stats->seats_taken += w->seats_taken;
}
