/*
 * lend.h: how much of somebody's credit a server is lent.
 */
#ifndef STORE_LEND_H
#define STORE_LEND_H

#include "store/store.h"

/* What a holder has, and how much of it is lent to servers. */
struct lend_purse {
	bool is_limited; /* else it may spend without end, and no lease is kept */
	int64_t paid_microcents;
	int64_t spent_microcents;
	int64_t lent_microcents; /* to all servers, this one included, that is not expired */
	int64_t held_microcents; /* of that, by this server */
};

/* What the rows say of the holder; lent and held are left as they are. */
void lend_of_account(struct lend_purse *purse, const struct store_account *account);
void lend_of_key(struct lend_purse *purse, const struct store_key *key);

/* Writes the answers of the lease, except what was booked.  held_microcents is what this
 * server keeps of it. */
void lend(struct store_lease *lease, const struct lend_purse *purse);

#endif
