/*
 * fleet_private.h: the objects behind fleet.h and seat.h, shared by its files.
 *
 *   fleet.c     which workers there are: launched, replaced, kept in number
 *   worker.c    one peer: its connection, what it says
 *   seat.c      one place on it: its credit, its user
 *   watchdog.c  whether it is silent
 *   launch.c    how its process is started
 *   record.c    what it said when the server last ran
 */
#ifndef WORKERS_FLEET_PRIVATE_H
#define WORKERS_FLEET_PRIVATE_H

#include "workers/endpoint.h"
#include "workers/fleet.h"
#include "workers/seat.h"

/* Seats of one worker, whatever it says: so many fit into the part of a job number that is the
 * seat's index.  All of them take 350 KiB, and more pieces of work at once than this are better
 * spread over connections, each of which has a bounded queue. */
#define SEAT_INDEX_BITS 12
#define SEATS_MAX (1u << SEAT_INDEX_BITS)

/* Its state is what it is part of: `free_seats` of the worker while `id` is 0; while it is taken,
 * `owing` if the worker owes something for it (credit that is not used, or DONE), else no list. */
struct seat {
	struct link link;
	struct worker *worker;
	uint32_t id; /* the job number: a count of how often it was taken, and its index */
	uint32_t count; /* how often it was taken */
	uint32_t credit; /* granted and not yet used */
	void *user; /* NULL while it is taken: it was called off, and DONE is still to come */
	uint64_t heard_us; /* when something was last delivered, or began to be owed */
	uint64_t excused_us; /* time since then that does not count as silence */
};

enum worker_state { WORKER_STARTING, WORKER_READY, WORKER_LOST };

struct worker {
	struct link link; /* on fleet->workers, the most recently freed first */
	struct fleet *fleet;
	enum worker_state state;
	uint64_t serial;
	struct child *child; /* NULL: it was connected from elsewhere */
	struct endpoint *endpoint; /* NULL while the worker ends */
	struct buf said; /* until it is ready */
	bool says_too_much; /* more than is kept */
	struct seat *seats; /* allocated when READY says how many */
	unsigned seat_count; /* 0: not ready, unknown */
	unsigned seats_taken;
	unsigned seats_coming; /* of them called off */
	unsigned batch; /* as READY says */
	struct list free_seats;
	struct list owing;
	bool reserved; /* for work that must be alone */
	bool stands_in; /* it was reserved, and is staff until one that starts is ready */
	bool leaving; /* gets no more work, and goes after what it has */
	uint64_t started_us;
	uint64_t waited_for_us; /* since when it has been expected to say READY (watchdog.c) */
	uint64_t excused_us; /* time since then that does not count */
	struct child_processors processors; /* as of the watchdog's last check */
	unsigned jobs_done;
};

struct fleet {
	struct loop *loop;
	struct fleet_options options; /* without name and program */
	const struct fleet_ops *ops;
	void *arg;
	char name[FLEET_NAME_MAX];
	char *program; /* NULL: none */
	struct list workers;
	uint64_t serial; /* of the last worker */
	unsigned starting;
	unsigned failures; /* starts that came to nothing since a piece of work was done */
	struct timer restart_timer;
	struct timer watchdog;
	uint64_t watched_us; /* when the watchdog last checked */
	bool answered;
	bool given_up;
	bool renewing; /* a worker started after `renew_after` says anew what it can do */
	uint64_t renew_after; /* serial */
	unsigned seats; /* of each worker, as the last one said */
	bool keeps_record;
	struct buf record; /* until it is saved */
	uint64_t deaths;
};

/* fleet.c */
/* A worker has said all that it has to say of itself.  With an error nothing has changed, and the
 * worker should be replaced. */
int fleet_worker_ready(struct fleet *fleet, struct worker *worker,
		       const struct message_ready *ready);
void fleet_worker_failed(struct fleet *fleet, bool was_of_use);
/* A seat is free again: the worker may have gone when it returns. */
void fleet_worker_freed(struct fleet *fleet, struct worker *worker);

/* worker.c */
int worker_launch(struct fleet *fleet, bool reserved);
int worker_connect(struct fleet *fleet, struct stream *stream);
/* Ends it: a process is killed, the connection is closed, users of its seats lose them. */
void worker_end(struct worker *worker);
void worker_end_stalled(struct worker *worker);
/* It does not take messages: the loop ends it soon. */
void worker_lose(struct worker *worker, int err);
/* It has done its share and goes when another can take its place. */
bool worker_is_worn(const struct worker *worker);

/* seat.c */
int seat_make_all(struct worker *worker, unsigned count);
struct seat *seat_find(struct worker *worker, uint32_t id);
/* A message has used up so much of the credit. */
void seat_use(struct seat *seat, uint32_t cost);
void seat_free(struct seat *seat);

/* watchdog.c */
void watchdog_start(struct fleet *fleet);
void watchdog_stop(struct fleet *fleet);
/* Moves a time by by_us, but not beyond now_us. */
uint64_t watchdog_later(uint64_t heard_us, uint64_t by_us, uint64_t now_us);

#endif
