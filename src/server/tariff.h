/*
 * tariff.h: the plans and prices of the configuration, in the form that accounts use.
 *
 * Initialized once at start.  Its strings point into the configuration, which must outlive it.
 */
#ifndef SERVER_TARIFF_H
#define SERVER_TARIFF_H

#include "account/callers.h"
#include "account/price.h"
#include "server/config.h"

struct tariff {
	struct prices prices;
	struct price_row price_rows[CONFIG_PRICES_MAX];
	struct price_heard_row heard_rows[CONFIG_PRICES_MAX];
	struct price_token_row token_rows[CONFIG_PRICES_MAX];
	struct plan plans[CONFIG_PLANS_MAX];
	size_t plans_count;
};

void tariff_init(struct tariff *tariff, const struct config *config);

#endif
