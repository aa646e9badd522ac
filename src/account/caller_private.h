/*
 * caller_private.h: what the files of callers share.
 *
 *   caller --> key_state (of an API key) --> account_state (of its account)
 *
 * The states record what a key and an account have used at this server; they are kept for a while
 * when they are not in use (callers.c).  Connections have references to callers: all connections
 * with the same key share one, and each single-use token has its own.
 */
#ifndef ACCOUNT_CALLER_PRIVATE_H
#define ACCOUNT_CALLER_PRIVATE_H

#include "account/caller.h"
#include "account/quota.h"
#include "base/list.h"

struct callers;
struct share_ask;

struct account_state {
	struct callers *callers; /* NULL: there is no store */
	struct timers *timers;
	struct store_account row;
	struct quota quota;
	size_t users; /* the users of all its keys */
	struct link link; /* in callers.accounts */
	struct link chain; /* in callers.account_chains */
};

struct key_state {
	struct account_state *account;
	struct store_key row;
	struct quota quota;
	size_t users; /* callers and checks that refer to it */
	struct caller *caller; /* not a reference; NULL: there is none */
	struct link link; /* in callers.chains */
	struct link use; /* in callers.used or callers.idle */
	unsigned reading; /* callers.reading when it was last read */
	bool could_speak; /* whether it could speak when it was last checked */
	/* When it was last used by the wall clock, and the last use that the store knows. */
	int64_t used_ms, noted_ms;
};

struct caller {
	struct key_state *key;
	/* A copy of the key with only the scopes of a token; NULL: all scopes of the key apply. */
	struct store_key *narrowed;
};

/* The quotas of the account and of the key, in this order; both apply. */
#define CALLER_QUOTAS 2
void caller_quotas(struct quota *quotas[CALLER_QUOTAS], struct key_state *key);

/* `callers` is NULL if there is no store; `plan` contains the limits for those that the account's
 * row does not set. */
int account_state_alloc(struct account_state **accountp, struct callers *callers,
			struct timers *timers, const struct store_account *row,
			const struct store_limits *plan);
void account_state_set(struct account_state *account, const struct store_account *row,
		       const struct store_limits *plan);
/* Takes a reference to the account. */
int key_state_alloc(struct key_state **keyp, struct account_state *account,
		    const struct store_key *row);
void key_state_set(struct key_state *key, const struct store_key *row);
bool key_state_is_valid(const struct key_state *key);
bool key_state_may_speak(const struct key_state *key);
/* Takes a reference and counts a user. */
struct key_state *key_state_hold(struct key_state *key);
void key_state_release(struct key_state *key);

/* The size of a lease; 0: there is no store. */
int64_t account_state_lease_size(const struct account_state *account);

/* Shared by permits of connections and of turns (caller.c). A wait of QUOTA_NEVER is reported as
 * 0. */
void caller_deny(struct denied *denied, enum denial why, int64_t limit, uint64_t wait_us);
bool caller_check_key(const struct caller *caller, struct denied *denied);
bool caller_has_room(const struct caller *caller, enum store_meter meter, int64_t amount,
		     struct denied *denied);
void caller_take(const struct caller *caller, enum store_meter meter, int64_t amount);
/* Reports usage to the store, where servers share it. */
void caller_report_usage(const struct caller *caller, enum store_meter meter, int64_t amount);
/* Releases a slot; `ask` is the request for it that the store has not answered yet, or NULL. */
void caller_release_slot(const struct caller *caller, enum store_meter meter,
			 struct share_ask *ask);

/* Gives a reference to the caller with all scopes of the key. */
int caller_of_key(struct caller **callerp, struct key_state *key);
/* Makes a separate caller that has only those of the key's scopes that are in `scopes`. */
int caller_of_token(struct caller **callerp, struct key_state *key, unsigned scopes);

#endif
