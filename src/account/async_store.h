/*
 * async_store.h: the store as the event loop sees it: asynchronous.
 *
 * Owns the store and its threads.  Nothing here blocks: work runs on a thread, and its result is
 * passed to a handler on the loop later.  Turns that wait for the store at the same time are
 * committed together.  All functions are called on the loop's thread.
 */
#ifndef ACCOUNT_ASYNC_STORE_H
#define ACCOUNT_ASYNC_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "account/api_key.h"
#include "account/usage_ledger.h"
#include "loop/loop.h"
#include "store/store.h"

struct async_store;

struct async_store_options {
	/* The store's address, with which each lane (enum async_store_lane) opens a handle of its
	 * own; the ledger uses the store that is passed to async_store_alloc.  NULL: that store and
	 * one thread serve everything. */
	const char *address;
	/* The directory in which rows are spooled while the store is unreachable and running turns
	 * are marked (DIR/spool).  NULL or "": rows wait in memory, and turns are not marked. */
	const char *data_dir;
	size_t spool_rows; /* 0: ASYNC_STORE_SPOOL_ROWS */
};

/* 5 MB: half an hour without a store at ten turns a second. */
#define ASYNC_STORE_SPOOL_ROWS 20000

/* Takes ownership of the store; on failure the function's caller keeps it. mem_deref blocks until
 * all submitted work is done and calls the remaining handlers; a turn that the store still does
 * not accept is written to the log.  Must not be called from inside a handler. */
int async_store_alloc(struct async_store **asyncp, struct loop *loop, struct store *store,
		      const struct async_store_options *options);

/* Call it when the store has become reachable: rows that dead processes left are delivered at once
 * instead of at the next interval. */
void async_store_reconnected(struct async_store *async);

/* Identifies this process in rows, leases and shares: STORE_SERVER_ID_LEN hex digits. */
const char *async_store_server_id(const struct async_store *async);

/* Appends a turn to the ledger.  The handler is called with 0 when the row is durable, or once with
 * EIO at the first failure, after which the row is retried until the store takes it.  The handler
 * may be NULL, and then bookingp too.  `mark` is the slot that async_store_mark took, which is
 * freed with the booking, or USAGE_NO_MARK. The booking must not be used after the handler was
 * called or removed with async_store_unlisten.  ENOBUFS when ASYNC_STORE_WAITING_MAX rows already
 * wait for a store that is unreachable: the row is then only in the log. */
#define ASYNC_STORE_WAITING_MAX 10000
int async_store_book(struct usage_booking **bookingp, struct async_store *async,
		     const struct store_turn *turn, size_t mark, usage_booked_h *handler,
		     void *arg);
void async_store_unlisten(struct usage_booking *booking); /* the row is still booked */

/* The ledger as sessions see it.  Its entries are booked and marked like rows (async_store_book,
 * async_store_mark). */
struct usage_ledger *async_store_usage_ledger(struct async_store *async);
/* Fills the row for an entry, with the current time. */
void usage_entry_row(struct store_turn *row, const struct usage_entry *entry);

/* Whether there is room for one more row.  New turns are refused while there is none. */
bool async_store_can_book(const struct async_store *async);

/* Records how far a turn has come, in case this process dies: the row as it would be booked at
 * this moment.  *slot is USAGE_NO_MARK at first, and stays so when there is no room; pass it on
 * when the turn is booked.  Nothing waits for the write. */
void async_store_mark(struct async_store *async, size_t *slot, const struct store_turn *turn);

/* Each lane has a thread and a handle of the store, so that long work in one lane does not delay
 * short work in another. */
enum async_store_lane {
	ASYNC_STORE_ACCESS, /* short: keys, leases, shares; run in order */
	ASYNC_STORE_QUERIES, /* everything else, which may take long; one at a time */
	ASYNC_STORE_REPORTS, /* reads the ledger, which takes longer as it grows; one at a time */
};

/* Runs `work` on the lane's thread, then `done` on the loop with its result; neither is called
 * from inside this function.  When the async_store is freed, work that has not begun is finished
 * with ECANCELED. ESHUTDOWN (it is being freed) or ENOMEM: nothing is called. */
typedef int(async_store_work_h)(struct store *store, void *arg);
typedef void(async_store_done_h)(int err, void *arg);
int async_store_run(struct async_store *async, enum async_store_lane lane, async_store_work_h *work,
		    async_store_done_h *done, void *arg);

/* The same on behalf of `asker`, for example an account's id; 0 is the server itself.  In lanes
 * that run one piece of work at a time the askers alternate, and the work of each asker is run in
 * order, so an asker with a thousand requests delays only itself. */
int async_store_run_for(struct async_store *async, enum async_store_lane lane, int64_t asker,
			async_store_work_h *work, async_store_done_h *done, void *arg);

/* Turns that are not durable yet. */
size_t async_store_waiting(const struct async_store *async);
size_t async_store_spooled(const struct async_store *async); /* rows in the spool */

/* Whether the store has all turns: none waits in memory or on the disk. */
bool async_store_is_settled(const struct async_store *async);

#endif
