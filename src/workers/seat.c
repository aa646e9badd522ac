/*
 * seat.c: a place on a worker for one piece of work (see seat.h).
 *
 * The job number in messages is made of a count and the index of the seat.  So the
 * seat is found without a search, and a late message about work that has ended
 * matches no seat.
 */
#include "workers/seat.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "workers/fleet_private.h"

/* The count begins again after this: a million pieces of work later, no message about the first one
 * can be on its way. */
#define SEAT_COUNT_MAX (UINT32_MAX >> SEAT_INDEX_BITS)

int seat_make_all(struct worker *worker, unsigned count)
{
	struct seat *seats = calloc(count, sizeof(*seats));

	if (!seats)
		return ENOMEM;
	for (unsigned i = 0; i < count; ++i) {
		seats[i].worker = worker;
		list_append(&worker->free_seats, &seats[i].link);
	}
	worker->seats = seats;
	worker->seat_count = count;
	return 0;
}

struct seat *seat_find(struct worker *worker, uint32_t id)
{
	uint32_t index = id & (SEATS_MAX - 1);

	return id && index < worker->seat_count && worker->seats[index].id == id
		       ? &worker->seats[index]
		       : NULL;
}

/* From now on the worker is expected to send something for this seat. */
static void seat_expect(struct seat *seat)
{
	seat->heard_us = loop_now_us(seat->worker->fleet->loop);
	seat->excused_us = 0;
	if (!link_is_on_list(&seat->link))
		list_append(&seat->worker->owing, &seat->link);
}

void seat_send(struct seat *seat, struct message *message)
{
	struct worker *worker = seat->worker;
	int err;

	message->job = seat->id;
	if (!worker->endpoint || worker->state == WORKER_LOST)
		return;
	err = endpoint_send(worker->endpoint, message);
	if (err)
		worker_lose(worker, err);
}

int seat_take(struct seat **seatp, struct worker *worker, struct message *start, uint32_t credit,
	      void *user)
{
	struct link *link = list_first(&worker->free_seats);
	struct seat *seat = LIST_OBJECT(link, struct seat, link);
	uint32_t index;
	uint32_t count;
	int err;

	assert(link && worker->state == WORKER_READY);
	index = (uint32_t)(seat - worker->seats);
	count = seat->count < SEAT_COUNT_MAX ? seat->count + 1 : 1;
	start->job = count << SEAT_INDEX_BITS | index;
	err = endpoint_send(worker->endpoint, start);
	if (err) {
		worker_lose(worker, err);
		return err;
	}
	list_remove(&worker->free_seats, &seat->link);
	++worker->seats_taken;
	fleet_seat_taken(worker->fleet, worker);
	seat->id = start->job;
	seat->count = count;
	seat->credit = credit;
	seat->user = user;
	if (credit > 0)
		seat_expect(seat);
	*seatp = seat;
	return 0;
}

void seat_ask(struct seat *seat, struct message *message, uint32_t credit)
{
	if (seat->credit == 0 && credit > 0)
		seat_expect(seat);
	seat->credit += credit;
	seat_send(seat, message);
}

void seat_grant(struct seat *seat, uint32_t credit)
{
	struct message message = {.type = MESSAGE_CREDIT, .credit_samples = credit};

	seat_ask(seat, &message, credit);
}

uint32_t seat_credit(const struct seat *seat)
{
	return seat->credit;
}

void seat_use(struct seat *seat, uint32_t credit)
{
	if (credit == 0)
		return;
	seat->credit -= credit;
	if (seat->credit == 0 && seat->user)
		list_remove(&seat->worker->owing, &seat->link);
}

void seat_call_off(struct seat *seat)
{
	struct message message = {.type = MESSAGE_CANCEL};

	assert(seat->user);
	seat->user = NULL;
	++seat->worker->seats_coming;
	seat_expect(seat);
	seat_send(seat, &message);
}

void seat_free(struct seat *seat)
{
	struct worker *worker = seat->worker;

	if (link_is_on_list(&seat->link))
		list_remove(&worker->owing, &seat->link);
	if (!seat->user)
		--worker->seats_coming;
	seat->id = 0;
	seat->user = NULL;
	seat->credit = 0;
	--worker->seats_taken;
	--worker->fleet->seats_taken;
	list_prepend(&worker->free_seats, &seat->link);
}

void seat_progress(struct seat *seat, uint64_t worth_us)
{
	uint64_t now_us = loop_now_us(seat->worker->fleet->loop);

	seat->heard_us = watchdog_later(seat->heard_us, worth_us, now_us);
	if (seat->heard_us == now_us)
		seat->excused_us = 0; /* else it still excuses the rest of the silence */
}

void seat_excuse(struct seat *seat, uint64_t us)
{
	seat->excused_us += us;
}

size_t seat_unsent(const struct seat *seat)
{
	const struct worker *worker = seat->worker;

	return worker->endpoint ? endpoint_unsent(worker->endpoint) : 0;
}

uint64_t seat_heard_us(const struct seat *seat)
{
	return seat->heard_us;
}

bool seat_is_leaving(const struct seat *seat)
{
	return seat->worker->leaving;
}

bool seat_is_temporary(const struct seat *seat)
{
	return seat->worker->temporary;
}
