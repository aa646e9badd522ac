/*
 * account.h: keys and the ledger, as the event loop sees them.
 *
 * Owns the store and its thread.  Nothing here blocks: a question is answered
 * by a handler on the loop, later.  Turns that wait for the store together are
 * committed together.
 */
#ifndef ACCOUNT_ACCOUNT_H
#define ACCOUNT_ACCOUNT_H

#include <stddef.h>
#include <stdint.h>

#include "loop/loop.h"
#include "store/store.h"

struct account;

/* Takes the store over (on failure it stays the caller's).  mem_deref blocks
 * until all that was submitted is done, and calls the handlers that still
 * wait; a turn that the store does not take even then is written to the log.
 * Not from inside a handler. */
int account_alloc(struct account **accountp, struct loop *loop, struct store *store);

/* Is this the text of a living key, with or without the region that clients of
 * hosted services put before it (eu-, us-, global-)?  0 with its row, EACCES,
 * or EIO when the store failed.  The handler is called once, never from inside
 * account_check, unless account_forget came first (its owner went away); the
 * check is gone after either. */
struct account_check;
typedef void(account_check_h)(int err, const struct store_key *key, void *arg);
int account_check(struct account_check **checkp, struct account *account, const char *key,
		  size_t len, account_check_h *handler, void *arg);
void account_forget(struct account_check *check);

/* Appends a turn to the ledger.  The handler (may be NULL: nobody waits, and
 * bookingp may be NULL too) hears 0 when the row is durable.  A row that the
 * store did not take is tried again until it does; the first failure is told
 * as EIO, and nothing after it.  The booking is gone for its owner when the
 * handler was called or unlistened.  ENOBUFS when ACCOUNT_WAITING_MAX rows
 * wait for a store that is gone: the row is then in the log alone. */
#define ACCOUNT_WAITING_MAX 10000
struct account_booking;
typedef void(account_booked_h)(int err, void *arg);
int account_book(struct account_booking **bookingp, struct account *account,
		 const struct store_turn *turn, account_booked_h *handler, void *arg);
void account_unlisten(struct account_booking *booking); /* still booked */

/* Anything else that is asked of the store: `work` runs on its thread, then `done`
 * on the loop with what it returned; neither from inside this call.  Questions
 * run in order and one at a time, so that whoever connects or is booked
 * meanwhile waits for one of them at most.  When the account ends, those that
 * have not begun are done with ECANCELED.  ESHUTDOWN when it has ended, ENOMEM;
 * then nothing is called. */
typedef int(account_work_h)(struct store *store, void *arg);
typedef void(account_done_h)(int err, void *arg);
int account_ask(struct account *account, account_work_h *work, account_done_h *done, void *arg);

/* Turns that are not durable yet. */
size_t account_waiting(const struct account *account);

/* Exact price of samples, rounded half up, once.  The price is not negative. */
int64_t account_price_microcents(uint64_t samples, uint32_t sample_rate,
				 int64_t microcents_per_minute);

/* The text of a new key: "ka_" and 40 letters and digits, NUL-terminated, and
 * its row for the store: of the default project, with the usual scopes, without
 * limits.  EINVAL for a name that is too long. */
#define ACCOUNT_KEY_LEN 43
int account_key_make(char text[ACCOUNT_KEY_LEN + 1], struct store_key *key, const char *name);

#endif
