/*
 * affinity.c: which worker has the state of a turn (see affinity.h).
 */
#include "workers/affinity.h"

#include "workers/fleet_private.h"

/* Turns that a worker keeps state of, if it does not say how many: more than one listener at a time
 * for an engine with one seat, and not so many that the caches of a model would fill the memory. */
#define AFFINITY_TURNS_DEFAULT 8

unsigned affinity_limit(const struct message_ready *ready, unsigned seats)
{
	unsigned turns = ready->turns > 0 ? ready->turns : AFFINITY_TURNS_DEFAULT;

	if (!(ready->capabilities & MESSAGE_TURN_STATE))
		return 0;
	/* With at least one turn for each seat, a turn that takes a free seat can always replace
	 * one that is idle. */
	return turns > seats ? turns : seats;
}

bool affinity_is_kept_by(const struct worker *worker)
{
	return worker->turns_max > 0;
}

static void affinity_clear(struct affinity *affinity)
{
	list_remove(&affinity->worker->affinities, &affinity->link);
	affinity->worker = NULL;
	affinity->is_busy = false;
}

void affinity_send(const struct affinity *affinity, const struct message *message)
{
	struct worker *worker = affinity->worker;
	int err;

	if (!worker || !worker->endpoint || worker->state == WORKER_LOST)
		return;
	err = endpoint_send(worker->endpoint, message);
	if (err)
		worker_lose(worker, err);
}

void affinity_end(struct affinity *affinity)
{
	const struct message message = {.type = MESSAGE_END_TURN, .turn = affinity->turn};

	if (!affinity->worker)
		return;
	affinity_send(affinity, &message);
	affinity_clear(affinity);
}

void affinity_begin(struct affinity *affinity, struct worker *worker)
{
	struct link *next;

	if (affinity->worker != worker)
		affinity_end(affinity);
	else
		list_remove(&worker->affinities, &affinity->link);
	for (struct link *l = list_first(&worker->affinities);
	     l && worker->affinities.count >= worker->turns_max; l = next) {
		struct affinity *other = LIST_OBJECT(l, struct affinity, link);

		next = list_next(&worker->affinities, l);
		if (!other->is_busy)
			affinity_end(other);
	}
	affinity->worker = worker;
	affinity->is_busy = true;
	list_append(&worker->affinities, &affinity->link);
}

void affinity_rest(struct affinity *affinity)
{
	if (!affinity->worker)
		return;
	affinity->is_busy = false;
	list_remove(&affinity->worker->affinities, &affinity->link);
	list_append(&affinity->worker->affinities, &affinity->link);
	if (affinity->worker->temporary)
		affinity_end(affinity); /* the worker ends with its group */
}

void affinity_lose_all(struct worker *worker)
{
	struct link *link;

	while ((link = list_first(&worker->affinities)))
		affinity_clear(LIST_OBJECT(link, struct affinity, link));
}

struct worker *affinity_worker(const struct affinity *affinity)
{
	struct worker *worker = affinity->worker;

	return worker && worker->state == WORKER_READY && !worker->claimed &&
			       !worker_must_go(worker)
		       ? worker
		       : NULL;
}

bool affinity_has_seat(const struct affinity *affinity)
{
	return affinity->worker->seats_taken < affinity->worker->seat_count;
}

bool affinity_has_seat_coming(const struct affinity *affinity)
{
	return affinity->worker->seats_coming > 0;
}

bool affinity_is_at(const struct affinity *affinity, const struct seat *seat)
{
	return affinity->worker == seat->worker;
}
