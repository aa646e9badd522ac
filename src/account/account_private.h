/*
 * account_private.h: the account among its own files.
 *
 *   account.c  lanes: threads with a handle of the store each; questions, keys
 *   ledger.c   bookings, until they are durable; delivery of rows that were not
 *              taken by the store
 *   usage_ledger.c  entries of sessions as rows
 *   disk.c     a thread for the files of this process: rows that wait, marks
 *   adopt.c    files of processes that died
 *
 * Everything belongs to the loop, but a request between its submit and its done.
 */
#ifndef ACCOUNT_ACCOUNT_PRIVATE_H
#define ACCOUNT_ACCOUNT_PRIVATE_H

#include <stdatomic.h>

#include "account/account.h"
#include "account/marks.h"
#include "account/spool.h"
#include "loop/thread.h"

/* Rows of one transaction: as many as make its cost per row small, few enough that
 * those who come next do not wait long. */
#define LEDGER_BATCH 500

/* With one thread for all lanes those above go before those below. */
enum request_kind {
	REQUEST_ACCESS,
	REQUEST_BOOKING,
	REQUEST_DELIVERY,
	REQUEST_QUESTION,
	/* To the disk's thread. */
	REQUEST_SPOOL, /* a booking's row */
	REQUEST_PEEK, /* a delivery's rows */
	REQUEST_REMOVE, /* when they are delivered */
	REQUEST_MARK,
	REQUEST_UNMARK,
};

struct request {
	struct task task;
	struct account *account;
	enum request_kind kind;
	int err; /* the thread's answer */
};

enum { LANE_LEDGER, LANE_ACCESS, LANE_QUESTIONS, LANE_REPORTS, LANES };

struct lane {
	struct account *account;
	struct store *store; /* the thread's while it runs */
	struct thread *thread; /* NULL: the first lane's does its work */
};

/* What waits for a lane that answers one at a time. */
struct queue {
	struct list questions; /* in their order; the first may be with the thread */
	bool is_asking; /* it is */
	uint64_t round; /* of the one that was asked last */
};

struct account_booking {
	struct request request; /* to the store */
	struct request local; /* to the disk: spool, then unmark */
	struct link link; /* among those at the store, or the unsaved */
	struct store_turn turn;
	uint64_t begun_us;
	size_t mark;
	bool is_at_store, is_at_disk;
	bool is_durable;
	account_booked_h *handler; /* NULL: told, or nobody waits */
	void *arg;
};

/* Rows on their way from the spool to the store. */
struct delivery {
	struct request request;
	struct store_turn turns[LEDGER_BATCH];
	int errs[LEDGER_BATCH];
	size_t count;
};

/* A batch on the ledger's thread. */
struct ledger_batch {
	struct store_turn turns[LEDGER_BATCH];
	int errs[LEDGER_BATCH];
	struct request *requests[LEDGER_BATCH];
	size_t count;
};

struct ledger {
	struct list at_store; /* bookings that the store has not answered, oldest first */
	struct list unsaved; /* neither the store nor the disk took them, oldest first */
	size_t waiting; /* bookings that are not durable */
	struct ledger_batch *batch; /* the thread's */
	/* The store failed: until it takes a delivery, no booking need try it. */
	atomic_bool has_failed;

	/* Rows go to the disk, behind those that are there. */
	bool is_away;
	size_t at_disk; /* bookings that the disk has not answered */
	struct delivery *delivery;
	bool is_delivering;
	struct timer retry;
	uint64_t retry_us;
	struct timer slow; /* the store takes too long */
};

/* Fields are the thread's, but for the last ones. */
struct disk {
	struct thread *thread; /* NULL: there is none */
	struct spool *spool;
	struct marks *marks; /* its slots are the loop's */
	struct store_turn *rows; /* LEDGER_BATCH of them, to be put together */
	char rows_path[1024], marks_path[1024];
	bool is_finishing; /* the thread has ended, or ends before the next request */
	size_t marking; /* marks that wait to be written */
	bool has_warned; /* that some are not */
	atomic_size_t room, held; /* of the spool */
};

struct account {
	struct usage_ledger usage; /* what sessions see */
	struct loop *loop;
	struct lane lanes[LANES];
	char server_id[STORE_SERVER_ID_LEN + 1];
	struct queue queues[LANES]; /* of those that have one */
	bool closing;
	struct ledger ledger;
	struct disk disk;
	char *spool_dir; /* NULL: none */
	struct timer adopt_again;
};

static inline struct request *request_of(struct link *link)
{
	return LIST_OBJECT(link, struct request, task.link);
}

static inline struct account_booking *booking_of_local(struct request *request)
{
	return LIST_OBJECT(request, struct account_booking, local);
}

void account_submit(struct account *account, int lane, struct request *request, task_done_h *done);

/* As ACCOUNT_ACCESS, on any lane. */
int account_ask_at_once(struct account *account, int lane, account_work_h *work,
			account_done_h *done, void *arg);

extern const struct usage_ledger_ops usage_ledger_ops;

int ledger_open(struct account *account);
/* On the ledger's thread: what is to be booked or delivered of a batch. */
void ledger_run(struct lane *lane, struct list *tasks);
/* The threads have ended: what could not be booked is tried once more, here. */
void ledger_finish(struct account *account);
/* All that an operator needs to book the row by hand. */
void ledger_log(const char *what, const struct store_turn *turn);

/* Makes this process' files and starts the thread.  Files that cannot be made are
 * an error that is logged, not returned: rows then wait in memory. */
int disk_open(struct account *account, const char *dir, size_t rows);
static inline bool disk_has_spool(const struct disk *disk)
{
	return disk->spool != NULL;
}
void disk_submit(struct account *account, struct request *request, enum request_kind kind,
		 task_done_h *done);
void disk_finish(struct account *account);
/* Removes files in which nothing is left. */
void disk_close(struct account *account);

#endif
