/*
 * local_ledger.h: a ledger that records nothing, for commands that speak or listen without a server,
 * because that is not charged.
 *
 * One booking at a time. Runs on the loop's thread.
 */
#ifndef CLI_LOCAL_LEDGER_H
#define CLI_LOCAL_LEDGER_H

#include "account/price.h"
#include "account/usage_ledger.h"
#include "loop/loop.h"

struct local_ledger {
	struct usage_ledger ledger; /* what sessions use */
	struct loop *loop;
	struct deferred done;
	usage_booked_h *booked;
	void *arg;
};

void local_ledger_init(struct local_ledger *ledger, struct loop *loop);

/* Nothing has a price. */
extern const struct prices local_ledger_prices;

#endif
