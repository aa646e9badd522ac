/*
 * fleet_private.h: the objects of fleet.h and seat.h, shared by these files:
 *
 *   fleet.c     which workers there are, and which of them gets work
 *   staffing.c  how many workers there are
 *   worker.c    one worker: its connection and its messages
 *   seat.c      one seat of a worker: its credit and its user
 *   affinity.c  which worker has the state of a turn
 *   memory.c    how much memory workers use, and whether there is room for one more
 *   watchdog.c  whether a worker hangs
 *   launch.c    how the process of a worker is started
 *   record.c    what a worker said when the server last ran
 *
 * installed.c (which programs there are) and notes.c (what engines want the operator to know) are not
 * about these objects: users of fleets call them.
 */
#ifndef WORKERS_FLEET_PRIVATE_H
#define WORKERS_FLEET_PRIVATE_H

#include "workers/affinity.h"
#include "workers/endpoint.h"
#include "workers/fleet.h"
#include "workers/seat.h"

/* The most seats of one worker, even if it offers more: the number of values of the part of a job
 * number that is the seat's index.  All of them take 350 KiB.  More work at a time is better spread
 * over several connections, because each of them has a bounded queue. */
#define SEAT_INDEX_BITS 12
#define SEATS_MAX (1u << SEAT_INDEX_BITS)

/* A seat is free while `id` is 0, and is then on `free_seats` of its worker.  A seat that is taken is
 * on `owing` while the worker is expected to send something for it (because credit is left, or DONE
 * must follow a cancellation), else on no list. */
struct seat {
	struct link link;
	struct worker *worker;
	uint32_t id; /* the job number: made of `count` and the index of the seat */
	uint32_t count; /* how often the seat was taken */
	uint32_t credit; /* granted and not yet used */
	void *user; /* NULL although it is taken: it was called off, and DONE has not arrived */
	uint64_t heard_us; /* when the worker last delivered something, or was first expected to */
	uint64_t excused_us; /* how much of the time since `heard_us` does not count as silence */
};

enum worker_state { WORKER_STARTING, WORKER_READY, WORKER_LOST };

struct worker {
	struct link link; /* on fleet->workers */
	struct fleet *fleet;
	enum worker_state state;
	uint64_t serial;
	struct child *child; /* NULL: it was connected from elsewhere */
	struct endpoint *endpoint; /* NULL while the worker ends */
	struct buf said; /* the messages that it has sent, until it is ready */
	bool says_too_much; /* it has sent more before READY than is kept */
	struct seat *seats; /* allocated when READY says how many */
	unsigned seat_count; /* 0 until the worker is ready */
	unsigned seats_taken;
	unsigned seats_coming; /* taken seats that were called off and will be free soon */
	unsigned batch; /* as READY says */
	struct list free_seats;
	struct list owing; /* taken seats for which the worker is expected to send something */
	bool claimed; /* by a group, whose jobs are the only ones that it gets */
	bool temporary; /* does not count as staff, and ends when no group needs it */
	unsigned turns_max; /* how many turns it can keep the state of; 0: it keeps no state */
	struct list affinities; /* turns that it has the state of, the longest idle one first */
	bool leaving; /* gets only work of turns that it has the state of, and ends afterwards */
	uint64_t leave_by_us; /* ends at this time even if such turns have not ended */
	uint64_t started_us;
	uint64_t waited_for_us; /* since when READY has been expected (watchdog.c) */
	uint64_t excused_us; /* how much of the time since `waited_for_us` does not count */
	struct child_processors processors; /* as of the watchdog's last check */
	unsigned jobs_done;
	uint64_t memory; /* bytes of the memory limit that it takes */
	uint64_t measured_us; /* when `memory` was measured; 0: it is an estimate */
};

struct fleet {
	struct loop *loop;
	struct fleet_options options; /* without name and program */
	const struct fleet_ops *ops;
	void *arg;
	char name[FLEET_NAME_MAX];
	char *program; /* NULL: workers only connect */
	/* Workers that are ready and have a free seat come before all others, the most recently freed
	 * one first.  So a free seat is found at once, and the last of these workers has been idle
	 * for the longest time. */
	struct list workers;
	uint64_t serial; /* of the worker that was started last */
	unsigned starting; /* workers that are not ready yet */
	unsigned failures; /* failed starts since a piece of work was last done */
	struct timer restart_timer;
	struct timer watchdog;
	uint64_t watched_us; /* when the watchdog last checked */
	bool answered;
	bool given_up;
	bool renewing; /* see fleet_renew: a worker with a serial above `renew_after` is awaited */
	uint64_t renew_after;
	unsigned seats; /* seats of one worker, as the last one said */
	unsigned slots; /* the sum of `batch` of all workers that are ready */
	unsigned seats_taken; /* on all workers */
	unsigned peak,
		peak_before; /* the highest `seats_taken` of this period and the previous one */
	uint64_t period_us; /* when this period began */
	struct timer trim_timer;
	uint64_t start_us; /* how long workers take from launch to READY, on average */
	uint64_t worker_memory; /* what one worker uses on average, in bytes */
	bool keeps_record;
	struct buf record; /* the messages that are still to be saved */
	uint64_t deaths;
};

/* fleet.c */
/* The workers of a fleet in the order of its list; NULL: there are no more. */
struct worker *fleet_first(const struct fleet *fleet);
struct worker *fleet_next(const struct fleet *fleet, const struct worker *worker);
/* A worker of the staff other than this one is ready. */
bool fleet_has_ready_staff(const struct fleet *fleet, const struct worker *besides);
/* It has no work and could be given to a group. */
bool fleet_is_claimable(const struct worker *worker);
/* A worker has sent READY.  With an error nothing has changed, and the worker should be replaced. */
int fleet_worker_ready(struct fleet *fleet, struct worker *worker,
		       const struct message_ready *ready);
/* A worker has died or could not be started, and is replaced: at once if it `was_of_use`, because it
 * had worked, otherwise after a pause. */
void fleet_worker_failed(struct fleet *fleet, bool was_of_use);
/* Ends workers that are leaving and have neither work nor turns to wait for. */
void fleet_end_leaving(struct fleet *fleet);
/* One more seat of the worker is taken. */
void fleet_seat_taken(struct fleet *fleet, struct worker *worker);
/* A seat is free again.  The worker may not exist any more when this returns. */
void fleet_worker_freed(struct fleet *fleet, struct worker *worker);

/* worker.c */
int worker_launch(struct fleet *fleet, bool temporary);
int worker_connect(struct fleet *fleet, struct stream *stream);
/* Kills the worker's process, closes its connection, and calls `lost` for the users of its seats. */
void worker_end(struct worker *worker);
void worker_end_stalled(struct worker *worker);
/* A message could not be sent: the worker gets no more, and the loop ends it soon. */
void worker_lose(struct worker *worker, int err);
/* It has done as many jobs as one worker may (`recycle_jobs`), and ends when another one can replace
 * it. */
bool worker_is_worn(const struct worker *worker);

/* It takes any work and counts as one of the fleet's regular workers (see fleet.c). */
bool worker_is_staff(const struct worker *worker);

/* It is leaving, and there is no turn left whose end it should wait for. */
bool worker_must_go(const struct worker *worker);

/* staffing.c */
/* Begins and ends the checks that depend on time alone. */
void staffing_start(struct fleet *fleet);
void staffing_stop(struct fleet *fleet);
/* Starts workers until enough seats are free for new work; see also fleet_staff. */
void staffing_fill(struct fleet *fleet);

/* affinity.c */
/* How many turns a worker with this many seats can keep the state of; 0: it keeps no state. */
unsigned affinity_limit(const struct message_ready *ready, unsigned seats);
void affinity_lose_all(struct worker *worker);

/* seat.c */
int seat_make_all(struct worker *worker, unsigned count);
struct seat *seat_find(struct worker *worker, uint32_t id);
void seat_free(struct seat *seat);

/* memory.c */
/* Counts a worker that is being started, with an estimate from other workers of its fleet. */
void memory_expect(struct worker *worker);
/* The worker has ended and does not count any more. */
void memory_forget(struct worker *worker);
/* Reads how much memory the worker uses. */
void memory_measure(struct worker *worker);
/* The same for a few workers that have not been measured for a while. */
void memory_measure_some(struct fleet *fleet);
/* Whether the limit allows one more worker. */
bool memory_has_room(const struct fleet *fleet);

/* watchdog.c */
void watchdog_start(struct fleet *fleet);
void watchdog_stop(struct fleet *fleet);
/* Moves a time by by_us, but not beyond now_us. */
uint64_t watchdog_later(uint64_t heard_us, uint64_t by_us, uint64_t now_us);

#endif
