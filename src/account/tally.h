/*
 * tally.h: what an account or a key has used of its limits, at this server.
 */
#ifndef ACCOUNT_TALLY_H
#define ACCOUNT_TALLY_H

#include <stdbool.h>
#include <stdint.h>

#include "account/bucket.h"
#include "account/lease.h"
#include "store/store.h"

#define TALLY_METERS 4 /* as many as enum store_meter has */
#define TALLY_NEVER UINT64_MAX

struct tally {
	struct store_holder holder;
	struct store_limits limits;
	int64_t turns, connections; /* held now */
	struct bucket requests, characters;
	struct lease lease;
};

/* What counts as no limit: any negative number. */
void tally_init(struct tally *tally, enum store_holder_kind kind, int64_t id,
		const struct store_limits *limits, uint64_t now_us);
void tally_set_limits(struct tally *tally, const struct store_limits *limits, uint64_t now_us);

/* The limits that are in force: the row's own, or where it leaves that to its plan,
 * the plan's. */
void tally_resolve(struct store_limits *limits, const struct store_limits *own,
		   const struct store_limits *plan);

int64_t tally_limit(const struct tally *tally, enum store_meter meter); /* negative: none */

/* How long until there is room for so much more; 0: now.  Nobody knows when a slot
 * becomes free: TALLY_NEVER. */
uint64_t tally_wait_us(struct tally *tally, enum store_meter meter, int64_t amount,
		       uint64_t now_us);
/* Slots are given back with a negative amount. */
void tally_take(struct tally *tally, enum store_meter meter, int64_t amount, uint64_t now_us);

#endif
