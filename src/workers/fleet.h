/*
 * fleet.h: the workers of one program, and who works on their seats.
 *
 * A worker is a peer that does work and is reached over one stream in the worker
 * protocol (message.h): a process that was launched here, or one that was
 * connected from elsewhere.  A fleet has the workers of one kind.  It launches as
 * many as its user asks for, replaces those that die or hang, and tries again
 * with growing pauses when they do not start.
 *
 * Its user supplies a table of functions and decides what the work is.  A worker
 * has seats, one for each piece of work that it can do at a time (seat.h).  The
 * fleet knows who has a seat and how much credit is left there; in what unit
 * credit is counted, and what is said about the work, is its user's affair.
 *
 * Everything runs on the loop's thread.  None of the functions in the table may
 * release the fleet.
 */
#ifndef WORKERS_FLEET_H
#define WORKERS_FLEET_H

#include "loop/loop.h"
#include "net/stream.h"
#include "workers/launch.h"
#include "workers/message.h"

#define FLEET_NAME_MAX 32

/* What a worker may say about itself before READY, in bytes: the voices of the largest engine are
 * a tenth of it. */
#define FLEET_SAID_MAX (4u * 1024 * 1024)

struct fleet;
struct worker;
struct seat;

/* What the number of workers follows. */
struct fleet_demand {
	unsigned spare; /* seats to have free when nobody waits */
	size_t waiting; /* pieces of work for which any seat will do */
	size_t alone; /* pieces of work that need a worker to themselves */
	uint64_t alone_after; /* the worker for the first of those must have a higher serial */
	uint64_t alone_after_least; /* the lowest such serial of all of them */
};

struct fleet_ops {
	void (*demand)(void *arg, struct fleet_demand *demand);

	/* A worker is ready.  `said` holds all messages that it sent until then, READY last, if
	 * they replace what the last one said; otherwise it is NULL, because the worker is one
	 * more of the same.  With an error the worker counts as failed, and another one takes its
	 * place. */
	int (*ready)(void *arg, const struct message_ready *ready, const struct buf *said);

	/* Seats were freed, or workers came or went. */
	void (*changed)(void *arg);

	/* Workers that had been of use died.  Who waits for one should not be refused because of
	 * the time that a new one takes to start. */
	void (*restarting)(void *arg);

	/* The program does not start.  It is still tried again, and `ready` is called when it
	 * does after all. */
	void (*given_up)(void *arg);

	/* How much of the credit of its seat a message uses up.  A worker that sends more than it
	 * was granted is ended. */
	uint32_t (*cost)(const struct message *message);

	/* A message for the seat of this user, other than DONE.  Returns what is wrong with it, for
	 * the log: then the worker is ended.  NULL: nothing. */
	const char *(*message)(void *user, const struct message *message);

	/* DONE: the user's seat is free again and no longer its own. */
	void (*done)(void *user, const struct message *message);

	/* The worker of this serial is gone, and with it the user's seat.  This is called for all
	 * users of the worker, one after another, before anything else happens: those that are
	 * given the same serial have lost the same worker. */
	void (*lost)(void *user, uint64_t serial);
};

struct fleet_options {
	const char *name; /* for the log and the record */
	const char *program; /* NULL: none is launched, workers only connect */
	struct launch_options launch;
	unsigned workers_max;
	unsigned cores; /* that the work of all fleets shares */
	unsigned stall_ms; /* silence of a worker that owes something, then it is ended */
	unsigned recycle_jobs; /* a worker is replaced after so many; 0: never */
	const char *records_dir; /* see record.c; NULL: nothing is recorded; must outlive it */
};

/* Does not start anything yet: see fleet_staff. */
int fleet_alloc(struct fleet **fleetp, struct loop *loop, const struct fleet_options *options,
		const struct fleet_ops *ops, void *arg);

/* Adds a worker that was connected from elsewhere.  Takes the stream, which may still be
 * connecting, also when it fails.  The worker is lost when the stream ends. */
int fleet_connect(struct fleet *fleet, struct stream *stream);

/* Launches workers until there are as many as the demand asks for. */
void fleet_staff(struct fleet *fleet);

/* The same for work that needs a worker to itself. */
void fleet_staff_alone(struct fleet *fleet);

/* Has the program say again what it can do, because that has changed.  The workers
 * that exist go on until a new one is ready, finish what they have begun, and go. */
void fleet_renew(struct fleet *fleet);

/* A worker with a free seat; NULL: there is none. */
struct worker *fleet_pick(const struct fleet *fleet);

/* A worker on which nobody sits and nobody else will, with a higher serial than this one. */
struct worker *fleet_pick_alone(const struct fleet *fleet, uint64_t after);

/* The highest serial that fleet_pick_alone would find now; 0: none. */
uint64_t fleet_alone_serial(const struct fleet *fleet);

/* The serial of the worker that was started last: they count up from 1. */
uint64_t fleet_last_serial(const struct fleet *fleet);

/* How many pieces of work may have credit at once, if the workers have said so themselves; 0: they
 * share the machine's cores with other fleets. */
unsigned fleet_slots(const struct fleet *fleet);

/* No more workers can be had. */
bool fleet_is_full(const struct fleet *fleet);

/* Each worker does one piece of work at a time. */
bool fleet_has_single_seats(const struct fleet *fleet);

/* Seats that were called off and will be free when the workers have answered: on workers that are
 * reserved for work that must be alone, or on the others. */
unsigned fleet_seats_coming(const struct fleet *fleet, bool reserved);

/* A worker has been ready once, or the program has been given up. */
bool fleet_has_answered(const struct fleet *fleet);
bool fleet_is_given_up(const struct fleet *fleet);

/* What a worker said when the server last ran: `said` of `ready`, after READY anything.  ENOENT:
 * there is no record; other errors: it cannot be read. */
int fleet_load_record(const struct fleet *fleet, struct buf *said);

/* From now on the record is this fleet's to write.  Until then it belongs to a server that is
 * still to be replaced. */
void fleet_keep_record(struct fleet *fleet);

struct fleet_stats {
	unsigned workers;
	unsigned starting; /* of them not ready yet */
	unsigned seats_taken;
	uint64_t deaths;
};
/* Adds to the figures. */
void fleet_add_stats(const struct fleet *fleet, struct fleet_stats *stats);

#endif
