/*
 * seat.h: a place on a worker for one piece of work.
 *
 * A seat belongs to its user from seat_take until `done` or `lost` of the fleet's
 * table (fleet.h) is called for it, or until it is called off.  Credit is what
 * the worker may send, in the unit that `cost` counts in.
 */
#ifndef WORKERS_SEAT_H
#define WORKERS_SEAT_H

#include <stdbool.h>
#include <stdint.h>

#include "workers/message.h"

struct worker;
struct seat;

/* Sends the message that begins the work, which also grants the credit; its job number is set here.
 * After an error the worker takes no more messages, and the loop ends it. */
int seat_take(struct seat **seatp, struct worker *worker, struct message *start, uint32_t credit,
	      void *user);

/* Sends a message about the work; its job number is set here. */
void seat_send(struct seat *seat, struct message *message);

/* Sends a message about the work that grants credit by what it says: `credit` answers are owed for it. */
void seat_ask(struct seat *seat, struct message *message, uint32_t credit);

/* Grants more credit, with a message of its own. */
void seat_grant(struct seat *seat, uint32_t credit);

/* An answer has used credit that `cost` of the fleet's table does not know of. */
void seat_use(struct seat *seat, uint32_t credit);

/* The credit that was granted and has not been used. */
uint32_t seat_credit(const struct seat *seat);

/* Cancels the work.  The seat does not belong to the user any more, and becomes free when the worker
 * has sent DONE. */
void seat_call_off(struct seat *seat);

/* The worker has delivered something that makes up for `worth_us` of silence.  Apart from DONE, what
 * a worker sends counts as a sign of life only through this call. */
void seat_progress(struct seat *seat, uint64_t worth_us);

/* The worker has to do other work before it delivers anything, which may take this long and does not
 * count as silence. */
void seat_excuse(struct seat *seat, uint64_t us);

/* How many bytes wait for the worker, of all its seats: see ENDPOINT_UNSENT_MAX (endpoint.h). */
size_t seat_unsent(const struct seat *seat);

/* When the worker last delivered something, or was first expected to. */
uint64_t seat_heard_us(const struct seat *seat);

/* The worker gets no new work and ends when it has none left. */
bool seat_is_leaving(const struct seat *seat);

/* The worker is a temporary one (see fleet.c). */
bool seat_is_temporary(const struct seat *seat);

#endif
