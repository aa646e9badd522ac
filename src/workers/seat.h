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

/* Sends the message that begins the work; its job number is set here.  The message grants the
 * credit.  With an error the worker takes no more messages; the loop ends it. */
int seat_take(struct seat **seatp, struct worker *worker, struct message *start, uint32_t credit,
	      void *user);

/* Sends a message about the work; its job number is set here. */
void seat_send(struct seat *seat, struct message *message);

/* More credit. */
void seat_grant(struct seat *seat, uint32_t credit);

/* What was granted and has not been used. */
uint32_t seat_credit(const struct seat *seat);

/* Ends the work.  The seat is not the user's any more, and nobody's until the worker has said
 * DONE. */
void seat_call_off(struct seat *seat);

/* The worker has delivered something that excuses so much silence.  Without this call nothing that
 * a worker sends about the work, except DONE, shows that it is alive. */
void seat_progress(struct seat *seat, uint64_t worth_us);

/* When the worker last delivered, or began to owe something. */
uint64_t seat_heard_us(const struct seat *seat);

/* The worker gets no more work and goes when it has none. */
bool seat_is_leaving(const struct seat *seat);

/* The worker is reserved for work that must be alone. */
bool seat_is_reserved(const struct seat *seat);

#endif
