/*
 * fleet.c: the worker processes of one engine.
 *
 * What is kept ready is seats: a few more than are taken, so that a burst of
 * callers finds them.  An engine that speaks one text at a time has a process
 * for each; one that speaks many has one process, and more only when its seats
 * run short.
 *
 * Workers are of these kinds:
 *
 *   staff      take any job
 *   worn       staff that has had its share of jobs: counts for nothing, and
 *              goes when another of the staff is ready
 *   leaving    take no jobs, and go when they have none
 *   reserved   for jobs that were on a worker when it died, one at a time; only
 *              where a worker has more than one seat, else every fresh worker
 *              will do
 *
 * An engine that dies before it was of any use is tried again with growing
 * pauses; one that dies while speaking at once.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "speech/pool_private.h"

/* Free beyond those that are taken: half of a burst of eight. */
#define SPARE_SEATS 4

/* More sentences than this a core could not speak in real time, even with the
 * fastest engine that has many seats: no process is started for them. */
#define SEATS_PER_SLOT 16

/* Workers of one engine that start at once: more would only fight over cores. */
#define STARTING_MAX 2

/* Workers on which jobs are tried again alone: with one, twenty jobs of a worker
 * that died would be heard one after another. */
#define RESERVED_MAX 2

#define RESTART_FIRST_MS 100
#define RESTART_LAST_MS 30000

/* Starts that fail in a row before the engine counts as not there. */
#define FAILURES_GIVEN_UP 3

static void fleet_destroy(void *object)
{
	struct fleet *fleet = object;
	struct link *link;

	timer_clear(&fleet->pool->loop->timers, &fleet->restart_timer);
	while ((link = list_first(&fleet->workers)))
		worker_retire(LIST_OBJECT(link, struct worker, link));
	if (link_is_on_list(&fleet->link))
		list_remove(&fleet->pool->fleets, &fleet->link);
	greeting_reset(&fleet->greeting);
	buf_reset(&fleet->record);
	free(fleet->program);
}

int fleet_alloc(struct fleet **fleetp, struct pool *pool, const char *name, const char *program)
{
	struct fleet *fleet = mem_zalloc(sizeof(*fleet), NULL);

	if (!fleet)
		return ENOMEM;
	fleet->pool = pool;
	list_init(&fleet->workers);
	list_init(&fleet->queued);
	list_init(&fleet->again);
	strncpy(fleet->name, name, sizeof(fleet->name) - 1);
	fleet->seats = 1;
	fleet->busy_us_per_second = 100000; /* slow until it was measured */
	fleet->program = strdup(program);
	if (!fleet->program) {
		mem_deref(fleet);
		return ENOMEM;
	}
	mem_set_destructor(fleet, fleet_destroy);
	*fleetp = fleet;
	return 0;
}

size_t fleet_queue_len(const struct fleet *fleet)
{
	return fleet->queued.count + fleet->again.count;
}

static struct worker *first_worker(const struct fleet *fleet)
{
	struct link *link = list_first(&fleet->workers);

	return link ? LIST_OBJECT(link, struct worker, link) : NULL;
}

static struct worker *next_worker(const struct fleet *fleet, const struct worker *worker)
{
	struct link *link = list_next(&fleet->workers, &worker->link);

	return link ? LIST_OBJECT(link, struct worker, link) : NULL;
}

static bool is_staff(const struct worker *worker)
{
	return worker->state != WORKER_LOST && !worker->reserved && !worker->leaving &&
	       !worker_is_worn(worker);
}

/* Those that start have as many seats as the others. */
static unsigned free_seats(const struct fleet *fleet)
{
	unsigned seats = 0;

	for (struct worker *w = first_worker(fleet); w; w = next_worker(fleet, w)) {
		if (is_staff(w))
			seats += (w->seat_count ? w->seat_count : fleet->seats) - w->seats_taken;
	}
	return seats;
}

static unsigned staff_count(const struct fleet *fleet)
{
	unsigned count = 0;

	for (struct worker *w = first_worker(fleet); w; w = next_worker(fleet, w))
		count += is_staff(w);
	return count;
}

static bool has_ready_staff(const struct fleet *fleet, const struct worker *besides)
{
	for (struct worker *w = first_worker(fleet); w; w = next_worker(fleet, w)) {
		if (w != besides && w->state == WORKER_READY && is_staff(w))
			return true;
	}
	return false;
}

bool fleet_sits_alone(const struct fleet *fleet)
{
	return fleet->seats == 1;
}

static unsigned staff_max(const struct fleet *fleet)
{
	const struct pool_options *options = &fleet->pool->options;
	unsigned enough = (options->slots * SEATS_PER_SLOT + fleet->seats - 1) / fleet->seats;

	return fleet_sits_alone(fleet) || enough > options->workers_max ? options->workers_max
									: enough;
}

bool fleet_is_full(const struct fleet *fleet)
{
	return staff_count(fleet) >= staff_max(fleet);
}

static void on_restart(void *arg)
{
	struct fleet *fleet = arg;

	fleet_keep_staffed(fleet);
	pool_schedule_soon(fleet->pool); /* a retry may want a worker of its own */
}

static void wait_and_retry(struct fleet *fleet)
{
	uint64_t delay_ms = RESTART_FIRST_MS;

	for (unsigned i = 1; i < fleet->failures && delay_ms < RESTART_LAST_MS; ++i)
		delay_ms *= 2;
	if (delay_ms > RESTART_LAST_MS)
		delay_ms = RESTART_LAST_MS;
	timer_set(&fleet->pool->loop->timers, &fleet->restart_timer, delay_ms * 1000, on_restart,
		  fleet);
}

/* Until the first worker has answered only one is started: an engine that does
 * not work at all should fail once, not sixteen times. */
static bool may_start(const struct fleet *fleet)
{
	unsigned most = fleet->answered && fleet->failures == 0 ? STARTING_MAX : 1;

	return fleet->starting < most;
}

/* An engine without voices has nothing to do, and one worker to say so. */
static bool wants_staff(const struct fleet *fleet)
{
	bool is_in_use = fleet->pool->all_answered && fleet->voice_count > 0;
	size_t wanted = (is_in_use ? SPARE_SEATS : 1) + fleet->queued.count;

	if (fleet_sits_alone(fleet))
		wanted += fleet->again.count;
	return !fleet_is_full(fleet) && free_seats(fleet) < wanted;
}

/* A worker that could bring the new greeting is neither there nor on its way. */
static bool wants_renewal(const struct fleet *fleet)
{
	if (!fleet->renewing)
		return false;
	for (struct worker *w = first_worker(fleet); w; w = next_worker(fleet, w)) {
		if (w->serial > fleet->renew_after && !w->reserved)
			return false;
	}
	return true;
}

static int start_worker(struct fleet *fleet, bool reserved)
{
	int err = worker_spawn(fleet, reserved);

	if (err) {
		log_error("speech", "cannot start %s: %s", fleet->program, strerror(err));
		fleet_worker_failed(fleet, false);
	}
	return err;
}

void fleet_keep_staffed(struct fleet *fleet)
{
	if (timer_is_set(&fleet->restart_timer))
		return;
	while (may_start(fleet) && (wants_staff(fleet) || wants_renewal(fleet))) {
		if (start_worker(fleet, false) != 0)
			return;
	}
}

void fleet_renew(struct fleet *fleet)
{
	fleet->renewing = true;
	fleet->renew_after = fleet->pool->worker_serial;
	fleet->failures = 0; /* what made it fail may be what has changed */
	timer_clear(&fleet->pool->loop->timers, &fleet->restart_timer);
	fleet_keep_staffed(fleet);
}

/* A job that was on a worker when it died goes to one that was started since:
 * whatever ended the other (an operator, memory) may have ended more of them,
 * and only a death on a healthy worker is the chunk's own fault. */
static bool suits(const struct worker *worker, const struct speech_job *job)
{
	if (worker->state != WORKER_READY || worker->leaving)
		return false;
	if (job->retried)
		return worker->seats_taken == 0 && worker->serial > job->newer_than &&
		       (worker->reserved || worker->seat_count == 1);
	return !worker->reserved && worker->seats_taken < worker->seat_count;
}

struct worker *fleet_worker_for(struct fleet *fleet, const struct speech_job *job)
{
	for (struct worker *w = first_worker(fleet); w; w = next_worker(fleet, w)) {
		if (suits(w, job))
			return w;
	}
	return NULL;
}

/* Where every worker has one seat: makes sure that one comes which is new enough
 * for the job, in the place of an idle one if need be. */
static void staff_for_retry(struct fleet *fleet, const struct speech_job *job)
{
	struct worker *idle = NULL;

	for (struct worker *w = first_worker(fleet); w; w = next_worker(fleet, w)) {
		if (w->serial > job->newer_than && !w->leaving)
			return;
		if (w->seats_taken == 0)
			idle = w;
	}
	if (fleet->workers.count >= fleet->pool->options.workers_max) {
		if (!idle)
			return;
		worker_retire(idle);
	}
	(void)start_worker(fleet, false);
}

static bool suits_any(const struct worker *worker, const struct list *jobs)
{
	for (struct link *l = list_first(jobs); l; l = list_next(jobs, l)) {
		if (LIST_OBJECT(l, struct speech_job, link)->newer_than < worker->serial)
			return true;
	}
	return false;
}

/* A worker that no job needs for itself joins the staff, or goes when there is
 * one: its memory is as large as theirs. */
static void unreserve(struct fleet *fleet, struct worker *worker)
{
	if (worker->leaving || has_ready_staff(fleet, worker)) {
		worker_retire(worker);
		return;
	}
	worker->stands_in = staff_count(fleet) > 0; /* for one that starts */
	worker->reserved = false;
}

/* Where workers have many seats: some of their own for those that must sit alone,
 * so that neither they nor new jobs wait for the others to end. */
static void staff_reserved(struct fleet *fleet)
{
	struct worker *next;
	unsigned busy = 0;
	unsigned reserved = 0;

	for (struct worker *w = first_worker(fleet); w; w = next) {
		next = next_worker(fleet, w);
		if (!w->reserved)
			continue;
		if (w->seats_taken > 0 || suits_any(w, &fleet->again)) {
			++reserved;
			busy += w->seats_taken > 0;
		} else if (w->state == WORKER_READY) {
			unreserve(fleet, w);
		}
	}
	if (reserved < RESERVED_MAX && reserved - busy < fleet->again.count && may_start(fleet))
		(void)start_worker(fleet, true);
}

void fleet_keep_retries_staffed(struct fleet *fleet)
{
	struct link *first = list_first(&fleet->again);

	if (timer_is_set(&fleet->restart_timer))
		return; /* on its way */
	if (!fleet_sits_alone(fleet))
		staff_reserved(fleet);
	else if (first)
		staff_for_retry(fleet, LIST_OBJECT(first, struct speech_job, link));
}

/* New ones are worth a line in the log, old ones were.  They are called speakers,
 * because one of them may be several voices, or no more than another's second
 * choice: the number of voices is said beside theirs. */
static void log_greeting(const struct fleet *fleet, const struct greeting *greeting,
			 const struct voices_change *change)
{
	size_t voices = voices_count(fleet->pool->voices);

	if (change->added > 0)
		log_info("speech", "%s: %zu new speakers, %zu voices in all", fleet->name,
			 change->added, voices);
	if (change->removed > 0)
		log_info("speech", "%s: %zu speakers gone, %zu voices in all", fleet->name,
			 change->removed, voices);
	for (size_t i = 0; i < greeting->note_count; ++i) {
		const struct note *note = &greeting->notes[i];

		if (!greeting_has_note(&fleet->greeting, note))
			log_warn("speech", "%s: %s%s%s", fleet->name, note->about,
				 note->about[0] ? ": " : "", note->text);
	}
}

/* A server whose record cannot be written works all the same, and its next start knows less. */
void fleet_keep_record(struct fleet *fleet)
{
	const struct pool *pool = fleet->pool;
	int err = 0;

	if (!pool->keeps_records || !pool->options.records_dir)
		return;
	if (fleet->record.len > 0)
		err = record_save(pool->options.records_dir, fleet->name, &fleet->record);
	else if (fleet->given_up)
		record_remove(pool->options.records_dir, fleet->name);
	buf_reset(&fleet->record);
	if (err)
		log_warn("speech", "cannot record the voices of %s in %s: %s", fleet->name,
			 pool->options.records_dir, strerror(err));
}

/* What it says of the engine counts from now on. */
static int take_greeting(struct fleet *fleet, struct greeting *greeting,
			 const struct message_ready *ready)
{
	struct voices_change change;
	int err = 0;

	if (fleet->pool->options.records_dir)
		err = record_encode(&fleet->record, greeting, ready);
	if (!err)
		err = voices_replace(fleet->pool->voices, fleet->name, greeting->voices,
				     greeting->voice_count, &change);
	if (err)
		return err;
	log_greeting(fleet, greeting, &change);
	fleet->voice_count = greeting->voice_count;
	fleet->given_up = false;
	greeting_reset(&fleet->greeting);
	fleet->greeting = (struct greeting){
		.notes = greeting->notes,
		.note_count = greeting->note_count,
	};
	greeting->notes = NULL;
	greeting_reset(greeting);
	fleet_keep_record(fleet);
	return 0;
}

/* Those that are worn or stood in for this one, and after a renewal all that are
 * older, make room. */
static void dismiss_others(struct fleet *fleet, const struct worker *ready, bool older)
{
	struct worker *next;

	for (struct worker *w = first_worker(fleet); w; w = next) {
		next = next_worker(fleet, w);
		if (w == ready ||
		    (!worker_is_worn(w) && !w->stands_in && (!older || w->serial > ready->serial)))
			continue;
		w->leaving = true;
		if (w->seats_taken == 0)
			worker_retire(w);
	}
}

int fleet_worker_ready(struct fleet *fleet, struct worker *worker,
		       const struct message_ready *ready)
{
	bool renews = fleet->renewing && worker->serial > fleet->renew_after && !worker->reserved;
	int err = 0;

	fleet->capabilities = ready->capabilities;
	fleet->knows_capabilities = true;
	if (renews || !has_ready_staff(fleet, worker))
		err = take_greeting(fleet, &worker->greeting, ready);
	if (err)
		return err;
	greeting_reset(&worker->greeting);
	worker->state = WORKER_READY;
	--fleet->starting;
	fleet->seats = worker->seat_count;
	fleet->answered = true;
	if (renews)
		fleet->renewing = false;
	if (!worker->reserved)
		dismiss_others(fleet, worker, renews);
	fleet_keep_staffed(fleet);
	pool_check_ready(fleet->pool);
	pool_schedule_soon(fleet->pool);
	return 0;
}

/* Freed workers go to the front: the warmest is taken next.  One that is worn
 * goes at once where others are its like, else when another is ready. */
void fleet_worker_freed(struct fleet *fleet, struct worker *worker)
{
	bool may_go = worker->leaving || (worker_is_worn(worker) && worker->seat_count == 1);

	fleet->failures = 0;
	list_remove(&fleet->workers, &worker->link);
	list_prepend(&fleet->workers, &worker->link);
	if (may_go && worker->seats_taken == 0)
		worker_retire(worker);
	fleet_keep_staffed(fleet);
	pool_schedule_soon(fleet->pool);
}

/* Gives queued jobs the whole time to find a worker again. */
static void wait_anew(struct fleet *fleet)
{
	for (struct link *l = list_first(&fleet->queued); l; l = list_next(&fleet->queued, l))
		job_wait_anew(LIST_OBJECT(l, struct speech_job, link));
}

/* It does not start: its voices are spoken by others where there are any. */
static void give_up(struct fleet *fleet)
{
	log_error("speech", "%s does not start: its voices are missing", fleet->program);
	fleet->given_up = true;
	fleet->answered = true;
	buf_reset(&fleet->record);
	wait_anew(fleet); /* for any worker's time, which is shorter than that for loading */
	if (voices_set_missing(fleet->pool->voices, fleet->name, true) != 0)
		log_error("speech", "no memory for other speakers of the voices of %s",
			  fleet->name);
	fleet_keep_record(fleet);
	pool_check_ready(fleet->pool);
}

/* Several that die together (an operator's kill) are one failure. */
void fleet_worker_failed(struct fleet *fleet, bool was_of_use)
{
	if (was_of_use) {
		/* Callers are not refused because of a death that was not their fault: the engine
		 * may need most of their time to start again. */
		wait_anew(fleet);
		fleet_keep_staffed(fleet);
		return;
	}
	if (timer_is_set(&fleet->restart_timer))
		return;
	++fleet->failures;
	if (fleet->failures == FAILURES_GIVEN_UP && fleet->renewing) {
		log_error("speech", "%s does not start anew", fleet->program);
		fleet->renewing = false;
	}
	wait_and_retry(fleet); /* first: giving up may have all fleets staffed */
	if (fleet->failures >= FAILURES_GIVEN_UP && !fleet->given_up &&
	    !has_ready_staff(fleet, NULL))
		give_up(fleet);
}
