/*
 * callers_private.h: what the files of the keys in use share.
 *
 *   callers.c          look-ups, and the keys and accounts in memory
 *   callers_poll.c     changes in the store, and what is due by the clock
 *   callers_credit.c   leases of credit
 *   shares.c           limits that servers share
 *   permit.c           a turn's permission to speak
 *   caller.c, key_state.c, account_state.c   see caller_private.h
 *
 * Everything runs on the loop, except the work of a callers_query.
 */
#ifndef ACCOUNT_CALLERS_PRIVATE_H
#define ACCOUNT_CALLERS_PRIVATE_H

#include "account/caller_private.h"
#include "account/callers.h"

/* Hash chains of keys and accounts stay short up to ten thousand keys. */
#define CALLERS_CHAINS 1024u

/* How many unused keys are kept, so that a returning client is known even while the store is
 * unreachable, and its usage in this minute still counts.  A key takes about a kilobyte. */
#define CALLERS_IDLE_MAX 4096u

struct callers {
	struct loop *loop;
	struct async_store *async;
	struct callers_options options;
	struct list chains[CALLERS_CHAINS]; /* all keys by their hash; each holds a reference */
	struct list used, idle; /* the same keys: in use, and unused with the oldest first */
	struct list accounts; /* all accounts; account_chains has them by their id */
	struct list account_chains[CALLERS_CHAINS];
	struct list checks; /* checks that have not been answered */
	struct list asked; /* queries that have not been answered */
	/* Permits that wait for the store's answer about credit, and permits whose answer has
	 * arrived and whose handlers are about to be called. */
	struct list credit_waits, credit_answered;
	bool is_away; /* the last attempt to reach the store failed */

	struct timer poll;
	bool is_polling;
	bool is_due; /* poll again: callers_refresh was called during a poll */
	bool knows_version;
	int64_t version;
	unsigned reading; /* incremented when the store has changed, which makes all keys stale */
	bool is_noting; /* the times of last use are being written */

	bool has_shares;
	struct list reporting; /* quotas whose use has not been reported to the store */
	struct timer heartbeat, report_timer;
	struct deferred report_soon;
	bool is_stale; /* the store's counts for this server may be wrong */
	unsigned resyncs;
};

/* A query to the store.  It is the first member of a larger object, which is freed after the
 * answer.  `done` is called on the loop, unless the callers have been freed. */
struct callers_query;
typedef int(callers_query_work_h)(struct store *store, struct callers_query *query);
typedef void(callers_query_done_h)(struct callers_query *query, int err);
struct callers_query {
	struct callers *callers; /* NULL: they have been freed */
	struct link link;
	callers_query_work_h *work;
	callers_query_done_h *done;
};

/* Runs `work` on the lane's thread, then `done`.  Takes ownership of the object; on failure it is
 * freed. */
int callers_query(struct callers *callers, enum async_store_lane lane, struct callers_query *query,
		  callers_query_work_h *work, callers_query_done_h *done);

/* Records whether the store has answered; changes are logged. */
void callers_note_store(struct callers *callers, int err);

/* The limits of the account's plan. */
const struct store_limits *callers_plan(const struct callers *callers,
					const struct store_account *row);

/* The hash chain in which an account is. */
struct list *callers_account_chain(struct callers *callers, int64_t id);

/* The key_state or account_state that contains the quota, to take a reference to. */
void *callers_owner(struct quota *quota);

/* callers.c: called when a key gets its first user and when it loses the last one. */
void callers_note_use(struct callers *callers, struct key_state *key);

/* Call it when a lease request was answered: checks that wait for it may be answered too. */
void callers_on_credit(struct callers *callers);

/* callers_poll.c */
void callers_poll_start(struct callers *callers);
void callers_poll_stop(struct callers *callers);

/* callers_credit.c: requests credit if it is time to; true while a request is not answered. */
bool callers_credit(struct callers *callers, struct quota *quota);
/* Renews the leases in use; others lapse after a while. */
void callers_credit_tick(struct callers *callers);
/* Allows a new request at once, even if there was no credit a moment ago. */
void callers_credit_retry(struct callers *callers);

/* permit.c: resumes permits when a lease request was answered, refuses permits that have waited too
 * long, and refuses all that wait at shutdown. */
void permits_on_credit(struct callers *callers);
void permits_expire(struct callers *callers);
void permits_end(struct callers *callers);

/* shares.c */
struct share_ask;
typedef void(share_h)(int err, const struct denied *denied, void *owner, permit_h *permit_handler,
		      void *arg);

/* Requests a slot that was already taken here from the store, for limits that servers share.  A turn
 * also counts as a request, and something must be left of the limit per minute that it uses (`used`;
 * for a connection it is ignored).  0: no limit is shared, or the store is unreachable.  EINPROGRESS: the handler will be called with 0 or
 * EACCES and the last three arguments, unless shares_forget is called first because the slot was
 * released. */
int shares_ask(struct share_ask **askp, struct callers *callers, struct key_state *key,
	       enum store_meter meter, enum store_meter used, share_h *handler, void *owner,
	       permit_h *permit_handler, void *arg);
void shares_forget(struct share_ask *ask);
/* caller.c: the same for a caller, which may have no store. */
int caller_ask_shares(struct share_ask **askp, const struct caller *caller, enum store_meter meter,
		      enum store_meter used, share_h *handler, void *owner,
		      permit_h *permit_handler, void *arg);
/* Passes the store's answer to the permit's handler, or EACCES if the key has become invalid
 * meanwhile; then the slot is released with the permit. */
void caller_finish_shared(int err, const struct denied *denied, const struct caller *caller,
			  permit_h *permit_handler, void *arg);
/* Reports usage, or with a negative amount the release of slots, to the store soon. */
void shares_report(struct callers *callers, struct quota *quota, enum store_meter meter,
		   int64_t amount);
/* Call it when the store's counts may be wrong: limits have changed, or it was unreachable. */
void shares_mark_stale(struct callers *callers);
/* Sends all counts to the store if its own may be wrong; call it when the store answers. */
void shares_resync_if_stale(struct callers *callers);
/* Changes the limits of a quota.  `callers` may be NULL. */
void shares_set_limits(struct callers *callers, struct quota *quota,
		       const struct store_limits *limits, uint64_t now_us);
/* Call it before the quota is freed.  `callers` may be NULL. */
void shares_forget_quota(struct callers *callers, struct quota *quota);
void shares_start(struct callers *callers);
void shares_stop(struct callers *callers);

#endif
