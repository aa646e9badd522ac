/*
 * fleet.c: the worker processes of one engine.
 *
 * A few more workers than are busy are kept ready, up to the maximum, so that
 * a burst of callers finds them started.  An engine that dies before it was of
 * any use is tried again with growing pauses; one that dies while speaking at
 * once.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "synth/pool_private.h"

/* Ready and idle beyond those that work: half of a burst of eight. */
#define SPARE_WORKERS 4

/* Workers of one engine that start at once: more would only fight over cores. */
#define STARTING_MAX 2

#define RESTART_FIRST_MS 100
#define RESTART_LAST_MS 5000

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
	fleet->sample_rate = 24000;
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

static unsigned idle_count(const struct fleet *fleet)
{
	unsigned idle = 0;

	for (struct link *l = list_first(&fleet->workers); l; l = list_next(&fleet->workers, l))
		idle += LIST_OBJECT(l, struct worker, link)->seats_taken == 0;
	return idle; /* those that start are idle soon */
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
static bool wants_worker(const struct fleet *fleet)
{
	const struct pool *pool = fleet->pool;
	unsigned starting_max = fleet->answered && fleet->failures == 0 ? STARTING_MAX : 1;
	size_t idle_min = pool->all_answered ? SPARE_WORKERS : 1;

	return fleet->starting < starting_max && fleet->workers.count < pool->options.workers_max &&
	       idle_count(fleet) < idle_min + fleet_queue_len(fleet);
}

void fleet_keep_staffed(struct fleet *fleet)
{
	if (timer_is_set(&fleet->restart_timer))
		return;
	while (wants_worker(fleet)) {
		int err = worker_spawn(fleet);

		if (err) {
			log_error("synth", "cannot start %s: %s", fleet->program, strerror(err));
			fleet_worker_failed(fleet, false);
			return;
		}
	}
}

/* A job that was on a worker when it died goes to one that was started since:
 * whatever ended the other (an operator, memory) may have ended more of them,
 * and only a death on a healthy worker is the chunk's own fault. */
static bool suits(const struct worker *worker, const struct speech_job *job)
{
	if (job->retried)
		return worker->seats_taken == 0 && worker->serial > job->newer_than;
	return !worker->exclusive && !worker_is_worn(worker) &&
	       worker->seats_taken < worker->fleet->seats;
}

struct worker *fleet_worker_for(struct fleet *fleet, const struct speech_job *job)
{
	for (struct link *l = list_first(&fleet->workers); l; l = list_next(&fleet->workers, l)) {
		struct worker *worker = LIST_OBJECT(l, struct worker, link);

		if (worker->state == WORKER_READY && suits(worker, job))
			return worker;
	}
	return NULL;
}

/* Makes sure that such a worker comes, in the place of an idle one if need be.
 * One that others sit on takes no more of them, else it might never be empty. */
void fleet_staff_for_retry(struct fleet *fleet, const struct speech_job *job)
{
	struct worker *idle = NULL;

	if (timer_is_set(&fleet->restart_timer))
		return; /* on its way */
	for (struct link *l = list_first(&fleet->workers); l; l = list_next(&fleet->workers, l)) {
		struct worker *worker = LIST_OBJECT(l, struct worker, link);

		if (worker->serial > job->newer_than) {
			worker->exclusive = worker->seats_taken > 0;
			return;
		}
		if (worker->seats_taken == 0)
			idle = worker;
	}
	if (fleet->workers.count >= fleet->pool->options.workers_max) {
		if (!idle)
			return;
		worker_retire(idle);
	}
	if (worker_spawn(fleet) != 0)
		fleet_worker_failed(fleet, false);
}

/* Several that die together (an operator's kill) are one failure. */
void fleet_worker_failed(struct fleet *fleet, bool was_of_use)
{
	if (was_of_use) {
		fleet_keep_staffed(fleet);
		return;
	}
	if (timer_is_set(&fleet->restart_timer))
		return;
	++fleet->failures;
	if (fleet->failures >= FAILURES_GIVEN_UP && !fleet->answered) {
		log_error("synth", "%s does not start: its voices are missing", fleet->program);
		fleet->answered = true;
		pool_check_ready(fleet->pool);
	}
	wait_and_retry(fleet);
}
