/*
 * quota.h: what an account or a key has used of its limits, at this server.
 */
#ifndef ACCOUNT_QUOTA_H
#define ACCOUNT_QUOTA_H

#include <stdbool.h>
#include <stdint.h>

#include "account/bucket.h"
#include "account/lease.h"
#include "base/list.h"
#include "store/store.h"

#define QUOTA_METERS 4 /* as many as enum store_meter has */
#define QUOTA_NEVER UINT64_MAX

struct quota {
	struct store_holder holder;
	struct store_limits limits;
	int64_t turns, connections; /* held now */
	struct bucket requests, characters;
	struct lease lease;
	/* What is asked of the store for it (members_credit.c, members_shares.c). */
	bool is_asking; /* for credit */
	bool was_asked;
	int lease_err; /* the last answer was none: nobody knows what credit there is */
	uint64_t asked_us;
	int64_t made_ms; /* when this object was created: earlier rows do not count in it */
	int64_t seen_seq; /* rows of the ledger up to this one are included in lease.booked */
	int64_t owed[QUOTA_METERS]; /* used or given back, and not told yet */
	struct link owing;
};

/* What counts as no limit: any negative number. */
void quota_init(struct quota *quota, enum store_holder_kind kind, int64_t id,
		const struct store_limits *limits, uint64_t now_us);
void quota_set_limits(struct quota *quota, const struct store_limits *limits, uint64_t now_us);

/* The limits that are in force: the row's own, or where it leaves that to its plan,
 * the plan's. */
void quota_resolve(struct store_limits *limits, const struct store_limits *own,
		   const struct store_limits *plan);

int64_t quota_limit(const struct quota *quota, enum store_meter meter); /* negative: none */

/* How long until there is room for so much more; 0: now.  Nobody knows when a slot
 * becomes free: QUOTA_NEVER. */
uint64_t quota_wait_us(struct quota *quota, enum store_meter meter, int64_t amount,
		       uint64_t now_us);
/* Slots are given back with a negative amount. */
void quota_take(struct quota *quota, enum store_meter meter, int64_t amount, uint64_t now_us);

#endif
