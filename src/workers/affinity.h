/*
 * affinity.h: which worker has the state of a turn.
 *
 * A turn whose engine keeps state (MESSAGE_TURN_STATE) has an affinity to the
 * worker that has it, from its first piece of work there until the turn ends, the
 * worker ends, or the worker needs the room for another turn.  Until then that worker
 * must do all work of the turn; afterwards the state must be rebuilt on another worker
 * first.
 *
 * An affinity is part of an object of the fleet's user.  Everything runs on the loop's
 * thread.
 */
#ifndef WORKERS_AFFINITY_H
#define WORKERS_AFFINITY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/list.h"
#include "workers/message.h"

struct worker;
struct seat;

/* The user sets `turn`; everything else is zero at first. */
struct affinity {
	struct link link; /* on worker->affinities, the longest idle one first */
	struct worker *worker; /* the worker that has the state; NULL: there is none */
	uint64_t turn; /* the number of the turn in messages */
	bool is_busy; /* a piece of work of the turn has a seat */
};

/* Whether this worker keeps the state of turns. */
bool affinity_is_kept_by(const struct worker *worker);

/* A piece of work begins on this worker, which has the state from then on.  If the worker already
 * keeps as many states as it can, it forgets the one that has been idle for the longest time. */
void affinity_begin(struct affinity *affinity, struct worker *worker);

/* The piece of work is done, and the worker keeps the state for the next one. */
void affinity_rest(struct affinity *affinity);

/* The state is not needed any more, or cannot be used: the worker is asked to free it. */
void affinity_end(struct affinity *affinity);

/* The worker that has the state, if it may be given work; NULL: it may not, or there is none.  A
 * worker that a group has claimed (fleet_claim) takes no other work. */
struct worker *affinity_worker(const struct affinity *affinity);

/* The worker that has the state has a free seat.  Must be called only while there is such a worker. */
bool affinity_has_seat(const struct affinity *affinity);

/* The same for a seat that was called off and will be free soon. */
bool affinity_has_seat_coming(const struct affinity *affinity);

/* The seat is on the worker that has the state. */
bool affinity_is_at(const struct affinity *affinity, const struct seat *seat);

/* Sends a message to the worker that has the state, if there is one. */
void affinity_send(const struct affinity *affinity, const struct message *message);

#endif
