/*
 * fleet.c: the workers of one program (see fleet.h).  How many there are is decided in
 * staffing.c.
 *
 * Workers are of these kinds:
 *
 *   staff      take any work
 *   worn       have done as many jobs as one worker should: they take work but do not
 *              count as staff, and leave when another worker of the staff is ready
 *   leaving    take no new work, and end when they have none; if they have the state of
 *              turns, they wait up to a minute for these turns to end
 *   temporary  were started for a group of work that was on a worker when it died, or
 *              were claimed by such a group, and do not count as staff.  A claimed worker
 *              has no other work; after its release it takes work for which the staff has
 *              no seat, and it ends when it is idle.  There are temporary workers only
 *              where a worker has more than one seat, because elsewhere work cannot be
 *              interrupted by other work
 *
 * A program that dies before it has done any work is started again after growing pauses;
 * one that dies while it works, at once.  Workers that connected from elsewhere are not
 * replaced, because only their own side can do that: they remain staff while they are
 * claimed, and a group waits until one of them is idle.
 */
#include "workers/fleet.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "workers/fleet_private.h"
#include "workers/record.h"

/* How long a worker that is leaving waits for turns that it has state of: most turns end in that
 * time, and its memory is not needed twice for much longer.  The others are replayed elsewhere. */
#define FLEET_LEAVE_US (60 * UINT64_C(1000000))

#define FLEET_RESTART_FIRST_MS 100
#define FLEET_RESTART_LAST_MS 30000

/* After this many failed starts in a row the program is given up. */
#define FLEET_FAILURES_MAX 3

static void fleet_destroy(void *object)
{
	struct fleet *fleet = object;
	struct link *link;

	timer_clear(&fleet->loop->timers, &fleet->restart_timer);
	staffing_stop(fleet);
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
	fleet->answered = !fleet->program; /* perhaps no worker will ever connect */
	watchdog_start(fleet);
	staffing_start(fleet);
	mem_set_destructor(fleet, fleet_destroy);
	*fleetp = fleet;
	return 0;
}

int fleet_connect(struct fleet *fleet, struct stream *stream)
{
	return worker_connect(fleet, stream);
}

struct worker *fleet_first(const struct fleet *fleet)
{
	struct link *link = list_first(&fleet->workers);

	return link ? LIST_OBJECT(link, struct worker, link) : NULL;
}

struct worker *fleet_next(const struct fleet *fleet, const struct worker *worker)
{
	struct link *link = list_next(&fleet->workers, &worker->link);

	return link ? LIST_OBJECT(link, struct worker, link) : NULL;
}

bool fleet_has_ready_staff(const struct fleet *fleet, const struct worker *besides)
{
	for (struct worker *w = fleet_first(fleet); w; w = fleet_next(fleet, w)) {
		if (w != besides && w->state == WORKER_READY && worker_is_staff(w))
			return true;
	}
	return false;
}

bool fleet_has_leaving(const struct fleet *fleet)
{
	for (struct worker *w = fleet_first(fleet); w; w = fleet_next(fleet, w)) {
		if (w->leaving)
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
	return fleet->slots;
}

static void fleet_on_restart(void *arg)
{
	struct fleet *fleet = arg;

	staffing_fill(fleet);
	fleet->ops->changed(fleet->arg); /* groups may need a worker, too */
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

void fleet_renew(struct fleet *fleet)
{
	if (!fleet->program)
		return;
	fleet->renewing = true;
	fleet->renew_after = fleet->serial;
	fleet->failures = 0; /* what made it fail may be what has changed */
	timer_clear(&fleet->loop->timers, &fleet->restart_timer);
	staffing_fill(fleet);
}

/* The staff comes before temporary workers.  Of several workers that keep state the one with the
 * fewest turns is chosen, so that no other turn loses its state as long as there is room. */
static bool fleet_is_better(const struct worker *worker, const struct worker *than)
{
	if (!than || worker->temporary != than->temporary)
		return !than || !worker->temporary;
	return worker->affinities.count < than->affinities.count;
}

struct worker *fleet_pick(const struct fleet *fleet)
{
	struct worker *best = NULL;

	for (struct worker *w = fleet_first(fleet); w; w = fleet_next(fleet, w)) {
		if (w->state == WORKER_READY && !fleet_has_seat(w))
			break; /* the following ones have no free seat or are not ready */
		if (w->state == WORKER_READY && !w->leaving && !w->claimed &&
		    fleet_is_better(w, best))
			best = w;
		if (best && !best->temporary && best->affinities.count == 0)
			break; /* there is no better one */
	}
	return best;
}

bool fleet_is_claimable(const struct worker *worker)
{
	return worker->state == WORKER_READY && !worker->leaving && !worker->claimed &&
	       worker->seats_taken == 0;
}

unsigned fleet_idle_count(const struct fleet *fleet)
{
	unsigned idle = 0;

	for (struct worker *w = fleet_first(fleet); w; w = fleet_next(fleet, w))
		idle += fleet_is_claimable(w);
	return idle;
}

/* Temporary workers are claimed first, then those of the staff that keep the state of the fewest
 * turns, because these turns have to be replayed elsewhere.  The staff is spared if workers for all
 * groups are about to be ready.  A worker of the staff that has many seats and is claimed does not
 * count as staff any more, so that another one is started for new work. */
uint64_t fleet_claim(struct fleet *fleet, uint64_t newer_than)
{
	struct fleet_demand demand = {0};
	struct worker *found = NULL;
	unsigned starting = 0;

	for (struct worker *w = fleet_first(fleet); w; w = fleet_next(fleet, w)) {
		starting += w->temporary && w->state == WORKER_STARTING;
		if (!fleet_is_claimable(w) || (w->serial <= newer_than && fleet->program))
			continue;
		if (!found || w->temporary > found->temporary ||
		    (w->temporary == found->temporary &&
		     w->affinities.count < found->affinities.count))
			found = w;
	}
	fleet->ops->demand(fleet->arg, &demand);
	if (!found || (!found->temporary && starting >= demand.groups))
		return 0;
	found->claimed = true;
	if (found->child && found->seat_count > 1)
		found->temporary = true;
	return found->serial;
}

struct worker *fleet_find(const struct fleet *fleet, uint64_t serial)
{
	for (struct worker *w = serial ? fleet_first(fleet) : NULL; w; w = fleet_next(fleet, w)) {
		if (w->serial == serial)
			return w->state == WORKER_READY && !w->leaving ? w : NULL;
	}
	return NULL;
}

void fleet_release(struct fleet *fleet, uint64_t serial)
{
	struct worker *worker = fleet_find(fleet, serial);

	if (!worker)
		return;
	worker->claimed = false;
	fleet->ops->changed(fleet->arg);
}

uint64_t fleet_serial(const struct worker *worker)
{
	return worker->serial;
}

bool fleet_has_seat(const struct worker *worker)
{
	return worker->seats_taken < worker->seat_count;
}

bool fleet_is_idle(const struct worker *worker)
{
	return worker->seats_taken == 0;
}

uint64_t fleet_last_serial(const struct fleet *fleet)
{
	return fleet->serial;
}

/* If the record cannot be written, the server works normally, but does not know the voices of this
 * program before it has loaded when it starts next. */
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

/* The worker gets no new work.  It ends when it has no work left and either keeps no state or has
 * waited long enough. */
static void fleet_dismiss(struct worker *worker)
{
	if (!worker->leaving) {
		worker->leaving = true;
		worker->leave_by_us = loop_now_us(worker->fleet->loop) + FLEET_LEAVE_US;
	}
	if (worker->seats_taken == 0 && worker_must_go(worker))
		worker_end(worker);
}

void fleet_end_leaving(struct fleet *fleet)
{
	struct worker *next;

	for (struct worker *w = fleet_first(fleet); w; w = next) {
		next = fleet_next(fleet, w);
		if (w->leaving)
			fleet_dismiss(w);
	}
}

/* Dismisses workers that are worn and, after a renewal, all older ones that were launched here. */
static void fleet_dismiss_others(struct fleet *fleet, const struct worker *ready, bool older)
{
	struct worker *next;

	for (struct worker *w = fleet_first(fleet); w; w = next) {
		bool is_older = older && w->serial <= ready->serial && w->child;

		next = fleet_next(fleet, w);
		if (w == ready || (!worker_is_worn(w) && !is_older))
			continue;
		fleet_dismiss(w);
	}
}

int fleet_worker_ready(struct fleet *fleet, struct worker *worker,
		       const struct message_ready *ready)
{
	bool renews = fleet->renewing && worker->serial > fleet->renew_after && !worker->temporary;
	bool is_news = renews || !fleet_has_ready_staff(fleet, worker);
	uint64_t start_us;
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
	list_remove(&fleet->workers, &worker->link);
	list_prepend(&fleet->workers, &worker->link);
	--fleet->starting;
	fleet->slots += worker->batch;
	start_us = loop_now_us(fleet->loop) - worker->started_us;
	fleet->start_us = fleet->start_us ? (7 * fleet->start_us + start_us) / 8 : start_us;
	memory_measure(worker);
	fleet->seats = worker->seat_count;
	fleet->answered = true;
	if (renews)
		fleet->renewing = false;
	if (!worker->temporary)
		fleet_dismiss_others(fleet, worker, renews);
	staffing_fill(fleet);
	fleet->ops->changed(fleet->arg);
	return 0;
}

void fleet_seat_taken(struct fleet *fleet, struct worker *worker)
{
	++fleet->seats_taken;
	if (fleet->seats_taken > fleet->peak)
		fleet->peak = fleet->seats_taken;
	if (worker->seats_taken < worker->seat_count)
		return;
	list_remove(&fleet->workers, &worker->link);
	list_append(&fleet->workers, &worker->link);
}

/* The worker moves to the front of the list, so that the one whose caches are warm is used next.  A
 * worn worker with one seat ends at once; one with many seats ends when another one is ready. */
void fleet_worker_freed(struct fleet *fleet, struct worker *worker)
{
	bool may_go = worker->leaving || (worker_is_worn(worker) && worker->seat_count == 1);

	fleet->failures = 0;
	list_remove(&fleet->workers, &worker->link);
	list_prepend(&fleet->workers, &worker->link);
	if (may_go && worker->seats_taken == 0)
		fleet_dismiss(worker);
	staffing_fill(fleet);
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

/* Several workers that die together, for example because an operator kills them, count as one
 * failure. */
void fleet_worker_failed(struct fleet *fleet, bool was_of_use)
{
	if (was_of_use || !fleet->program) {
		fleet->ops->restarting(fleet->arg);
		staffing_fill(fleet);
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

unsigned fleet_seats_coming(const struct fleet *fleet, bool temporary)
{
	unsigned coming = 0;

	for (struct worker *w = fleet_first(fleet); w; w = fleet_next(fleet, w))
		coming += !w->leaving && w->temporary == temporary ? w->seats_coming : 0;
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
