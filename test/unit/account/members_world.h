/*
 * members_world.h: members over a memory store that a test can watch and break.
 *
 * The account's one thread calls the verbs; the test's thread waits for it, and moves
 * the loop's clock by hand.
 */
#ifndef TEST_ACCOUNT_MEMBERS_WORLD_H
#define TEST_ACCOUNT_MEMBERS_WORLD_H

#include <stdatomic.h>

#include "account/account_token.h"
#include "account/members.h"

#define SECOND UINT64_C(1000000)
#define BLOCK INT64_C(3200)

struct world {
	struct loop *loop;
	struct store *store; /* the account's, and the test's while the world is still */
	struct account *account;
	struct members *members;
	struct members_options options;
	char key_text[ACCOUNT_KEY_LEN + 1];
	char prefix[STORE_KEY_PREFIX_LEN + 1];
	int changes; /* told by the members */
	/* Of the last check. */
	int heard;
	int err;
	struct member *member; /* held */
};

/* What the store does, and how often. */
struct watched {
	atomic_int err; /* what every verb says, while not 0 */
	atomic_int finds, leases, returns, uses, versions;
	atomic_int share_takes, share_beats, share_returns;
	/* Called on the store's thread before and after a lease is taken: what happens in the
	 * store while the question, or its answer, is under way.  Set while the world is still. */
	void (*before_lease)(void);
	void (*after_lease)(void);
};
extern struct watched watched;

/* Verbs that a test puts over those of the memory store before the world is made. */
extern struct store_ops world_verbs;

void world_open(struct world *world, const struct members_options *options);
void world_close(struct world *world);

/* A key of the default project, or of an account of its own. */
void world_add_key(struct world *world);
int64_t world_add_account(struct world *world, const struct store_account *account);

/* Until nothing that was asked of the store is under way. */
void world_settle(struct world *world);
/* The same, when so much time has passed. */
void world_pass(struct world *world, uint64_t us);

/* Asks and waits: what was heard. */
int world_check(struct world *world, const char *text, const char *path);

#endif
