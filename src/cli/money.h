/*
 * money.h: amounts of money as commands show them.
 *
 * Ledgers and credit are in micro-cents of prices.currency.  The currency is not in the store:
 * a command that has read no configuration file does not know it, and names none.
 */
#ifndef CLI_MONEY_H
#define CLI_MONEY_H

#include <stdbool.h>
#include <stdint.h>

#include "server/config.h"
#include "store/store.h"

#define MONEY_SIZE 64

/* The currency of the configuration: "eur"; NULL: not known. */
const char *money_currency(const struct config *config);

/* "12.5 EUR cents"; "12.5 cents" where the currency is not known. */
void money_format(char text[MONEY_SIZE], int64_t microcents, const char *currency);

/* The title of a column of cents: "EUR CENTS", "CENTS". */
void money_title(char title[MONEY_SIZE], const char *currency);

/* Whether costs are of interest: a price is set, or somebody besides the operator is charged.
 * A server for oneself has a ledger too, but its amounts are those of a price that nobody
 * chose.  An errno. */
int money_is_shown(bool *is_shown, struct store *store, const struct config *config);

/* For a server that starts: logs a warning if others are charged at a price that nobody has
 * set. */
void money_warn_of_default(struct store *store, const struct config *config);

#endif
