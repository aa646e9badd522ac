/*
 * account.h: the store, as the event loop sees it: the ledger, and all else by questions.
 *
 * Owns the store and its threads.  Nothing here blocks: a question is answered
 * by a handler on the loop, later.  Turns that wait for the store together are
 * committed together.
 */
#ifndef ACCOUNT_ACCOUNT_H
#define ACCOUNT_ACCOUNT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "account/account_key.h"
#include "account/usage_ledger.h"
#include "loop/loop.h"
#include "store/store.h"

struct account;

struct account_options {
	/* Where the store is opened again, once for each lane but the first.  NULL: there is
	 * one handle, and one thread for all lanes. */
	const char *address;
	/* Where rows wait on the disk while the store is away, and running turns are
	 * noted: DIR/spool.  NULL or "": they wait in memory, and are not noted. */
	const char *data_dir;
	size_t spool_rows; /* 0: ACCOUNT_SPOOL_ROWS */
};

/* 5 MB, and at ten turns a second half an hour without a store. */
#define ACCOUNT_SPOOL_ROWS 20000

/* Takes the store over (on failure it stays the caller's).  mem_deref blocks
 * until all that was submitted is done, and calls the handlers that still
 * wait; a turn that the store does not take even then is written to the log.
 * Not from inside a handler. */
int account_alloc(struct account **accountp, struct loop *loop, struct store *store,
		  const struct account_options *options);

/* The store can be reached, which it could not before: rows left by processes that died are
 * delivered now instead of at the next interval. */
void account_store_came(struct account *account);

/* This process, in rows, leases and shares: STORE_SERVER_ID_LEN hex digits. */
const char *account_server_id(const struct account *account);

/* Appends a turn to the ledger.  The handler (may be NULL: nobody waits, and
 * bookingp may be NULL too) hears 0 when the row is durable.  A row that the
 * store did not take is tried again until it does; the first failure is told
 * as EIO, and nothing after it.  `mark` is the slot of account_mark, which is freed
 * with it, or ACCOUNT_NO_MARK.  The booking is gone for its owner when the
 * handler was called or unlistened.  ENOBUFS when ACCOUNT_WAITING_MAX rows
 * wait for a store that is gone: the row is then in the log alone. */
#define ACCOUNT_WAITING_MAX 10000
struct account_booking;
typedef void(account_booked_h)(int err, void *arg);
int account_book(struct account_booking **bookingp, struct account *account,
		 const struct store_turn *turn, size_t mark, account_booked_h *handler, void *arg);
void account_unlisten(struct account_booking *booking); /* still booked */

/* The ledger as sessions see it.  Its entries are booked and marked like rows (account_book,
 * account_mark). */
struct usage_ledger *account_usage_ledger(struct account *account);
/* The row that an entry becomes, with the present time. */
void usage_entry_row(struct store_turn *row, const struct usage_entry *entry);

/* Whether one more turn's row would find room.  While not, new turns are refused. */
bool account_can_book(const struct account *account);

/* Notes how far a turn has come, in case this process dies: the row as it would be
 * booked now.  *slot is ACCOUNT_NO_MARK at first, and again when there is no room;
 * whoever books the turn hands it on.  Nobody waits for it. */
#define ACCOUNT_NO_MARK SIZE_MAX
void account_mark(struct account *account, size_t *slot, const struct store_turn *turn);

/* Who is kept waiting by whom: each lane has a thread and a handle of the store, so
 * that a long question delays nobody's key. */
enum account_lane {
	ACCOUNT_ACCESS, /* short: keys, leases, shares; in order */
	ACCOUNT_QUESTIONS, /* the rest, which may be long; one at a time */
	ACCOUNT_REPORTS, /* as long as the ledger is; one at a time */
};

/* Anything else that is asked of the store: `work` runs on the lane's thread, then
 * `done` on the loop with what it returned; neither from inside this call.  When
 * the account ends, those that have not begun are done with ECANCELED.
 * ESHUTDOWN when it has ended, ENOMEM; then nothing is called. */
typedef int(account_work_h)(struct store *store, void *arg);
typedef void(account_done_h)(int err, void *arg);
int account_ask(struct account *account, enum account_lane lane, account_work_h *work,
		account_done_h *done, void *arg);

/* The same for one of many, an account's id for example; without one it is asked for
 * ourselves.  Where one at a time is answered the askers take turns, and each one's
 * are answered in order: who asks a thousand times waits for himself. */
int account_ask_for(struct account *account, enum account_lane lane, int64_t asker,
		    account_work_h *work, account_done_h *done, void *arg);

/* Turns that are not durable yet. */
size_t account_waiting(const struct account *account);
size_t account_spooled(const struct account *account); /* rows in the spool */

/* Whether the store has all turns: none waits in memory or on the disk. */
bool account_is_settled(const struct account *account);

#endif
