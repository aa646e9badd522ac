/*
 * callers_world.h: callers with a memory store that a test can watch and make fail.
 *
 * The only thread of the async_store calls the store's operations; the test's thread waits for it,
 * and sets the loop's clock.
 */
#ifndef TEST_ACCOUNT_CALLERS_WORLD_H
#define TEST_ACCOUNT_CALLERS_WORLD_H

#include <stdatomic.h>

#include "account/callers.h"
#include "account/single_use_token.h"

#define SECOND UINT64_C(1000000)
#define BLOCK INT64_C(3200)

struct world {
	struct loop *loop;
	struct store *store; /* a test may use it after world_settle */
	struct async_store *async;
	struct callers *callers;
	struct callers_options options;
	char key_text[API_KEY_LEN + 1];
	char prefix[STORE_KEY_PREFIX_LEN + 1];
	int changes; /* how often callers_options.changed was called */
	/* The result of the last check. */
	int heard; /* how many checks were answered */
	int err;
	struct caller *caller; /* a reference */
};

/* How the store behaves, and how often its operations were called. */
struct watched {
	atomic_int err; /* the error that every operation returns; 0: none */
	atomic_int finds, leases, returns, uses, versions;
	atomic_int share_takes, share_heartbeats, share_returns;
	/* Called on the store's thread before and after a lease is taken, to change the store while
	 * the request or its answer is pending.  Set them after world_settle. */
	void (*before_lease)(void);
	void (*after_lease)(void);
};
extern struct watched watched;

/* Operations that replace those of the memory store; set them before world_open. */
extern struct store_ops world_verbs;

void world_open(struct world *world, const struct callers_options *options);
void world_close(struct world *world);

/* Adds a key of the default project, or a new account with a key. */
void world_add_key(struct world *world);
int64_t world_add_account(struct world *world, const struct store_account *account);

/* Runs the loop until the store has answered all requests. */
void world_settle(struct world *world);
/* The same after advancing the clock. */
void world_pass(struct world *world, uint64_t us);

/* Checks a key, waits, and returns the result. */
int world_check(struct world *world, const char *text, const char *path);

#endif
