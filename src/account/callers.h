/*
 * callers.h: the API keys in use, in memory.
 *
 * A key is looked up in the store when it is first presented, with its account and a first lease of
 * credit; after that it is answered from memory.  The store is polled for changes every
 * CALLERS_POLL_MS.  After a change, all keys in use are read again, and the owner is notified of
 * those that are no longer valid, to close their connections.  Everything runs on the loop's
 * thread.
 */
#ifndef ACCOUNT_CALLERS_H
#define ACCOUNT_CALLERS_H

#include "account/async_store.h"
#include "account/caller.h"

#define CALLERS_POLL_MS 400 /* revocation must take effect within a second */

/* The limits of accounts whose own row does not set them. */
struct plan {
	const char *name; /* "default" applies to accounts that name no plan */
	struct store_limits limits;
};

/* The plan with this name.  "" and names that are not configured stand for the plan "default".
 * NULL: that is not configured either, so there are no limits. */
const struct plan *callers_find_plan(const struct plan *plans, size_t count, const char *name);

struct callers_options {
	const struct plan *plans; /* not owned; must outlive this object */
	size_t plans_count;
	/* The size of a lease.  The next one is requested when half of it is spent. */
	int64_t lease_microcents;
	/* Called when some callers may not speak any more; the owner checks its own. */
	void (*changed)(void *arg);
	void *arg;
};

struct callers;
/* It must be released before the async_store; leases are returned then.  Callers to which there are
 * still references work without a store afterwards. */
int callers_alloc(struct callers **callersp, struct loop *loop, struct async_store *async,
		  const struct callers_options *options);

/* Authenticates the text of a key, a single-use token or a signed path.  `path` is the path of the
 * request, for which a token or signature must have been made.  The handler is called once, never from inside this call,
 * unless the check is cancelled first: with 0 and the caller (take a reference to keep it), with
 * EACCES, or with EIO when the store failed.  *checkp must not be used after that.  ENOMEM,
 * ESHUTDOWN: the handler is not called. */
struct callers_check;
typedef void(callers_check_h)(int err, struct caller *caller, void *arg);
int callers_check(struct callers_check **checkp, struct callers *callers, const char *text,
		  size_t len, const char *path, callers_check_h *handler, void *arg);
void callers_check_cancel(struct callers_check *check);

/* Calls `each` with the project of each key in use, once per key. */
void callers_projects(const struct callers *callers, void (*each)(int64_t project_id, void *arg),
		      void *arg);

/* Polls at once, because this process has changed keys. */
void callers_refresh(struct callers *callers);

#endif
