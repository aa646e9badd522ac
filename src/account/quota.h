/*
 * quota.h: what an account or a key has used of its limits at this server.  Runs on the loop's
 * thread.
 */
#ifndef ACCOUNT_QUOTA_H
#define ACCOUNT_QUOTA_H

#include <stdbool.h>
#include <stdint.h>

#include "account/bucket.h"
#include "account/lease.h"
#include "base/list.h"
#include "store/store.h"

#define QUOTA_METERS 5 /* as many as enum store_meter has */
#define QUOTA_NEVER UINT64_MAX

struct quota {
	struct store_holder holder;
	struct store_limits limits;
	int64_t turns, connections; /* how many slots are in use */
	struct bucket requests, characters, heard;
	struct lease lease;
	/* The state of requests to the store (callers_credit.c, shares.c). */
	bool is_asking; /* credit was requested, and the store has not answered yet */
	bool was_asked; /* credit was requested before */
	int lease_err; /* the last request failed, so the credit is unknown */
	uint64_t asked_us;
	int64_t made_ms; /* when this object was created; earlier rows are not counted */
	int64_t seen_seq; /* rows of the ledger up to this one are included in lease.booked */
	int64_t unreported[QUOTA_METERS]; /* used or released, and not yet reported to the store */
	struct link reporting;
};

/* Limits that are all unlimited. */
extern const struct store_limits quota_no_limits;

/* A limit that is negative does not apply. */
void quota_init(struct quota *quota, enum store_holder_kind kind, int64_t id,
		const struct store_limits *limits, uint64_t now_us);
void quota_set_limits(struct quota *quota, const struct store_limits *limits, uint64_t now_us);

/* The limits that apply: the row's own, or the plan's where the row does not set one. */
void quota_resolve(struct store_limits *limits, const struct store_limits *own,
		   const struct store_limits *plan);

int64_t quota_limit(const struct quota *quota, enum store_meter meter); /* negative: none */

/* How long until `amount` more is within the limit; 0: it is.  QUOTA_NEVER: unknown, because a slot
 * must become free. */
uint64_t quota_wait_us(struct quota *quota, enum store_meter meter, int64_t amount,
		       uint64_t now_us);
/* Counts use; a negative amount releases slots. */
void quota_take(struct quota *quota, enum store_meter meter, int64_t amount, uint64_t now_us);

#endif
