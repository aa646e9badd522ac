/*
 * async_store_private.h: what the files of the async_store share.
 *
 *   async_store.c   lanes: threads with a handle of the store each, and the work they run
 *   ledger.c        bookings until they are durable; delivery of spooled rows
 *   usage_ledger.c  turns the entries of sessions into rows
 *   disk.c          a thread for this process's files: spooled rows and marks
 *   recovery.c      files of processes that died
 *
 * Everything belongs to the loop, except a request between its submit and its done.
 */
#ifndef ACCOUNT_ASYNC_STORE_PRIVATE_H
#define ACCOUNT_ASYNC_STORE_PRIVATE_H

#include <stdatomic.h>

#include "account/async_store.h"
#include "account/marks.h"
#include "account/spool.h"
#include "loop/thread.h"

/* Rows per transaction: enough to make the cost per row small, few enough that the next batch does
 * not wait long. */
#define LEDGER_BATCH 500

/* If one thread serves all lanes, kinds are served in this order. */
enum store_request_kind {
	REQUEST_ACCESS,
	REQUEST_BOOKING,
	REQUEST_DELIVERY,
	REQUEST_QUERY,
	/* The following are run by the disk's thread. */
	REQUEST_SPOOL, /* a booking's row */
	REQUEST_PEEK, /* a delivery's rows */
	REQUEST_REMOVE, /* removes rows that were delivered */
	REQUEST_MARK,
	REQUEST_UNMARK,
};

struct store_request {
	struct task task;
	struct async_store *async;
	enum store_request_kind kind;
	int err; /* the result of the work */
};

enum { LANE_LEDGER, LANE_ACCESS, LANE_QUERIES, LANE_REPORTS, LANES };

struct lane {
	struct async_store *async;
	struct store *store; /* owned by the thread while it runs */
	struct thread *thread; /* NULL: the first lane's thread does the work */
};

/* Work that waits for a lane that runs one piece at a time. */
struct lane_queue {
	struct list queries; /* in order; the first may be running */
	bool is_asking; /* the first query is running */
	uint64_t round; /* the round of the query that was started last */
};

struct usage_booking {
	struct store_request request; /* to the store */
	struct store_request local; /* to the disk: first spools the row, then clears the mark */
	struct link link; /* in ledger.at_store or ledger.unsaved */
	struct store_turn turn;
	uint64_t begun_us;
	size_t mark;
	bool is_at_store, is_at_disk;
	bool is_durable;
	usage_booked_h *handler; /* NULL: it was called, or there is none */
	void *arg;
};

/* Rows that are being moved from the spool to the store. */
struct delivery {
	struct store_request request;
	struct store_turn turns[LEDGER_BATCH];
	int errs[LEDGER_BATCH];
	size_t count;
};

/* A batch on the ledger's thread. */
struct ledger_batch {
	struct store_turn turns[LEDGER_BATCH];
	int errs[LEDGER_BATCH];
	struct store_request *requests[LEDGER_BATCH];
	size_t count;
};

struct ledger {
	struct list at_store; /* bookings that the store has not answered yet, oldest first */
	/* Bookings that neither the store nor the disk has accepted, oldest first. */
	struct list unsaved;
	size_t waiting; /* bookings that are not durable */
	struct ledger_batch *batch; /* owned by the ledger's thread */
	/* The store has failed: bookings do not try it until it has accepted a delivery. */
	atomic_bool has_failed;

	/* The store is unreachable: new rows are spooled after those that are already on the
	 * disk. */
	bool is_away;
	size_t at_disk; /* bookings that the disk has not answered yet */
	struct delivery *delivery;
	bool is_delivering;
	struct timer retry;
	uint64_t retry_us;
	struct timer slow; /* fires when the store takes too long to answer */
};

/* Owned by the disk's thread, except `thread` and the fields from is_finishing on. */
struct disk {
	struct thread *thread; /* NULL: there is none */
	struct spool *spool;
	struct marks *marks; /* its list of free slots is owned by the loop */
	struct store_turn *rows; /* room for LEDGER_BATCH rows that are written together */
	char rows_path[1024], marks_path[1024];
	/* Requests are run by the loop itself, because the thread has ended or is about to. */
	bool is_finishing;
	size_t marking; /* how many marks wait to be written */
	bool has_warned; /* a warning about missing marks was logged */
	atomic_size_t room, held; /* rows: how many fit into the spool, and how many are in it */
};

struct async_store {
	struct usage_ledger usage; /* what sessions see */
	struct loop *loop;
	struct lane lanes[LANES];
	char server_id[STORE_SERVER_ID_LEN + 1];
	/* Only used for lanes that run one piece of work at a time. */
	struct lane_queue queues[LANES];
	bool closing;
	struct ledger ledger;
	struct disk disk;
	char *spool_dir; /* NULL: none */
	struct timer recovery_timer;
};

static inline struct store_request *request_of(struct link *link)
{
	return LIST_OBJECT(link, struct store_request, task.link);
}

static inline struct usage_booking *booking_of_local(struct store_request *request)
{
	return LIST_OBJECT(request, struct usage_booking, local);
}

void async_store_submit(struct async_store *async, int lane, struct store_request *request,
			task_done_h *done);

/* Runs work without queueing, as in ASYNC_STORE_ACCESS, on any lane. */
int async_store_run_at_once(struct async_store *async, int lane, async_store_work_h *work,
			    async_store_done_h *done, void *arg);

extern const struct usage_ledger_ops usage_ledger_ops;

int ledger_open(struct async_store *async);
/* Books and delivers the rows of a batch; runs on the ledger's thread. */
void ledger_run(struct lane *lane, struct list *tasks);
/* Tries once more to book what could not be booked; call it when the threads have ended. */
void ledger_finish(struct async_store *async);
/* Logs all that an operator needs to book the row by hand. */
void ledger_log(const char *what, const struct store_turn *turn);

/* Creates this process's files and starts the thread.  If the files cannot be created this is
 * logged and not returned as an error: rows then wait in memory. */
int disk_open(struct async_store *async, const char *dir, size_t rows);
static inline bool disk_has_spool(const struct disk *disk)
{
	return disk->spool != NULL;
}
void disk_submit(struct async_store *async, struct store_request *request,
		 enum store_request_kind kind, task_done_h *done);
void disk_finish(struct async_store *async);
/* Removes the files that are empty. */
void disk_close(struct async_store *async);

#endif
