/*
 * lend.h: computes how much of an account's or a key's credit is lent to a server.
 */
#ifndef STORE_LEND_H
#define STORE_LEND_H

#include "store/store.h"

/* The credit of an account or a key, and how much of it is lent to servers. */
struct lend_balance {
	bool is_limited; /* false: spending is unlimited, and no lease is kept */
	int64_t paid_microcents;
	int64_t spent_microcents;
	int64_t lent_microcents; /* lent to all servers, this one included, and not expired */
	int64_t held_microcents; /* the part of it that this server holds */
};

/* Fill in what is known from the row: is_limited, paid_microcents and spent_microcents. */
void lend_of_account(struct lend_balance *balance, const struct store_account *account);
void lend_of_key(struct lend_balance *balance, const struct store_key *key);

/* Fills in the answer to a lease request, except booked_microcents and last_seq.  If the balance is
 * limited, the caller stores the new lease->held_microcents as what the server holds. */
void lend(struct store_lease *lease, const struct lend_balance *balance);

#endif
