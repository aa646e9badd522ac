/*
 * members.h: the keys in use, kept at hand.
 *
 * A key is looked up in the store when it first comes, with its account and a
 * first lease of credit; from then on it is answered from memory.  Once in
 * MEMBERS_POLL_MS the store is asked whether anything has changed; then all that
 * are held are read anew, and those that are not good any more are told to the
 * owner, who closes their connections.
 */
#ifndef ACCOUNT_MEMBERS_H
#define ACCOUNT_MEMBERS_H

#include "account/account.h"
#include "account/member.h"

#define MEMBERS_POLL_MS 400 /* revocation counts within a second */

/* What an account may use whose own row does not say. */
struct plan {
	const char *name; /* "default" for those that name none */
	struct store_limits limits;
};

/* The one of an account that names it so: "default" for "" and for a name that is not
 * configured.  NULL: it has no limits. */
const struct plan *plan_find(const struct plan *plans, size_t count, const char *name);

struct members_options {
	const struct plan *plans; /* they outlive the members */
	size_t plans_count;
	int64_t lease_microcents; /* lent at once; more when half of it is spent */
	/* Some members may not speak any more: look at yours. */
	void (*changed)(void *arg);
	void *arg;
};

struct members;
/* mem_deref before the account's; leases are given back.  Members that are still held
 * then stand alone. */
int members_alloc(struct members **membersp, struct loop *loop, struct account *account,
		  const struct members_options *options);

/* Whose key is it?  `path` is what a single-use token is bound to.  0 with the
 * member (take a reference to keep it), EACCES, or EIO when the store failed.
 * The handler is called once, never from inside members_check, unless
 * members_forget came first. */
struct members_check;
typedef void(members_check_h)(int err, struct member *member, void *arg);
int members_check(struct members_check **checkp, struct members *members, const char *text,
		  size_t len, const char *path, members_check_h *handler, void *arg);
void members_forget(struct members_check *check);

/* The project of each key that is in use, once for each such key. */
void members_projects(const struct members *members, void (*each)(int64_t project_id, void *arg),
		      void *arg);

/* Keys changed by this process: look now instead of at the next poll. */
void members_refresh(struct members *members);

#endif
