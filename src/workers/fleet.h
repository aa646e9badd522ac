/*
 * fleet.h: the workers of one program, and the work on their seats.
 *
 * A worker is a peer that does work and is reached over one stream in the worker
 * protocol (message.h): a process that was launched here, or one that was
 * connected from elsewhere.  A fleet has the workers of one kind.  It launches as
 * many as its user asks for, replaces those that die or hang, and tries again
 * with growing pauses when they do not start.
 *
 * A worker has seats, one for each piece of work that it can do at a time (seat.h).
 * The fleet's user supplies a table of functions (struct fleet_ops) and decides what
 * the work is, which messages are about it, and in what unit credit is counted.  The
 * user of a seat is the object that stands for the piece of work there, such as a job:
 * the fleet passes it to the functions of the table, and counts the seat's credit.
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

/* The messages with which a worker describes itself before READY may take this many bytes: ten
 * times what the voices of the largest engine take. */
#define FLEET_SAID_MAX (4u * 1024 * 1024)

struct fleet;
struct worker;
struct seat;

/* What the number of workers depends on. */
struct fleet_demand {
	unsigned spare; /* free seats to keep in addition to those for waiting work */
	/* Idle workers to keep in addition to those whose seats are wanted, so that the work of one that
	 * dies continues at once; as far as workers_max and the memory allow. */
	unsigned standby;
	size_t waiting; /* pieces of work that wait and can have any seat */
	size_t groups; /* groups of work that wait until they can claim a worker */
	uint64_t newer_than; /* the first group needs a worker with a higher serial than this */
};

struct fleet_ops {
	void (*demand)(void *arg, struct fleet_demand *demand);

	/* A worker is ready.  `said` holds all messages that it has sent, READY last, if they
	 * replace those of earlier workers; it is NULL if the worker is just one more of the same
	 * kind.  If this returns an error the worker counts as failed and is replaced. */
	int (*ready)(void *arg, const struct message_ready *ready, const struct buf *said);

	/* Seats have become free, or workers have become ready or ended. */
	void (*changed)(void *arg);

	/* A worker that had been in use died.  Work that waits should not be refused because of the
	 * time that it takes to start a new one. */
	void (*restarting)(void *arg);

	/* The program could not be started several times in a row.  The fleet keeps trying, and
	 * calls `ready` when it succeeds. */
	void (*given_up)(void *arg);

	/* How much credit of its seat a message uses.  A worker that sends more than was granted is
	 * ended. */
	uint32_t (*cost)(const struct message *message);

	/* A message other than DONE has arrived for the seat of this user.  Returns NULL, or what
	 * is wrong with the message, for the log; then the worker is ended. */
	const char *(*message)(void *user, const struct message *message);

	/* DONE has arrived.  The seat is free again and does not belong to the user any more. */
	void (*done)(void *user, const struct message *message);

	/* The worker with this serial has ended, and with it the user's seat.  This is called for
	 * all users of the worker, one after another, before anything else happens: users that are
	 * given the same serial have lost the same worker. */
	void (*lost)(void *user, uint64_t serial);
};

/* The memory that the workers of several fleets may use together, in bytes.  Its owner sets the
 * limit, and the fleets keep the sum. */
struct fleet_memory {
	uint64_t limit; /* 0: there is no limit */
	uint64_t used; /* measured, or estimated for workers that are starting */
};

struct fleet_options {
	const char *name; /* for the log and the record */
	const char *program; /* NULL: none is launched, workers only connect */
	struct launch_options launch;
	unsigned workers_max;
	struct fleet_memory *memory; /* NULL: only workers_max applies; must outlive the fleet */
	unsigned cores; /* processor cores that all fleets share */
	unsigned stall_ms; /* a worker that has work and is silent for this long is ended */
	unsigned recycle_jobs; /* a worker is replaced after this many jobs; 0: never */
	const char
		*records_dir; /* see record.c; NULL: nothing is recorded; must outlive the fleet */
};

/* Does not start anything yet: see fleet_staff. */
int fleet_alloc(struct fleet **fleetp, struct loop *loop, const struct fleet_options *options,
		const struct fleet_ops *ops, void *arg);

/* Adds a worker that connected from elsewhere.  Takes ownership of the stream, even on failure; the
 * stream may still be connecting.  The worker is lost when the stream ends. */
int fleet_connect(struct fleet *fleet, struct stream *stream);

/* Starts as many workers as the demand requires, for new work and for groups, and ends workers that
 * were started for groups and are not needed any more.  Must be called after groups have claimed the
 * workers that they can have.  The fleet itself starts workers for new work when a worker becomes
 * ready, has a free seat again, or dies. */
void fleet_staff(struct fleet *fleet);

/* Starts a new worker that describes again what the program can do, because that has changed.  When
 * it is ready, the older workers finish the work that they have and end. */
void fleet_renew(struct fleet *fleet);

/* A worker with a free seat; NULL: there is none. */
struct worker *fleet_pick(const struct fleet *fleet);

/* Claims an idle worker for a group: fleet_pick does not return it until it is released.  Its serial
 * is higher than `newer_than`, except in a fleet that cannot start workers itself.  Returns the
 * serial, or 0 if no worker can be claimed. */
uint64_t fleet_claim(struct fleet *fleet, uint64_t newer_than);
void fleet_release(struct fleet *fleet, uint64_t serial);

/* The worker with this serial; NULL: it has ended, or takes no more work. */
struct worker *fleet_find(const struct fleet *fleet, uint64_t serial);
uint64_t fleet_serial(const struct worker *worker);
bool fleet_has_seat(const struct worker *worker);
bool fleet_is_idle(const struct worker *worker);

/* The number of workers that could be claimed. */
unsigned fleet_idle_count(const struct fleet *fleet);

/* The serial of the worker that was started last.  Serials count up from 1. */
uint64_t fleet_last_serial(const struct fleet *fleet);

/* How many pieces of work may have credit at once, as the workers say (READY's batch); 0: they do not
 * say, and share the machine's cores with other fleets. */
unsigned fleet_slots(const struct fleet *fleet);

/* No more workers can be started for new work: the limit is reached, or the memory is used up. */
bool fleet_is_full(const struct fleet *fleet);

/* No more workers can be started for groups. */
bool fleet_is_full_of_groups(const struct fleet *fleet);

/* A worker gets no new work and ends when it has none left. */
bool fleet_has_leaving(const struct fleet *fleet);

/* Each worker has one seat. */
bool fleet_has_single_seats(const struct fleet *fleet);

/* Seats that were called off and will be free when the workers have answered, on temporary workers or
 * on all others. */
unsigned fleet_seats_coming(const struct fleet *fleet, bool temporary);

/* Seats of workers that are starting and are expected to be ready within this time, going by how long
 * the previous ones took. */
unsigned fleet_seats_starting(const struct fleet *fleet, uint64_t within_us);

/* A worker has been ready once, or the program was given up, or the fleet has no program. */
bool fleet_has_answered(const struct fleet *fleet);
bool fleet_is_given_up(const struct fleet *fleet);

/* Reads the messages that a worker sent when the server last ran, in the form of `said` of `ready`.
 * They are not checked: the file may have been damaged.  ENOENT: there is no record; other errors: it
 * cannot be read. */
int fleet_load_record(const struct fleet *fleet, struct buf *said);

/* From this call on the fleet writes the record.  Before, the record belongs to the server that this
 * one is going to replace. */
void fleet_keep_record(struct fleet *fleet);

struct fleet_stats {
	unsigned workers;
	unsigned starting; /* workers that are not ready yet */
	unsigned seats_taken;
	uint64_t deaths;
};
/* Adds the figures of this fleet to those in `stats`. */
void fleet_add_stats(const struct fleet *fleet, struct fleet_stats *stats);

#endif
