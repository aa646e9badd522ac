/*
 * money.h: formats amounts of money for commands.
 *
 * Ledgers and credit are in micro-cents of prices.currency. The currency is not in the store: a
 * command that has not read a configuration file does not know it, and shows none.
 */
#ifndef CLI_MONEY_H
#define CLI_MONEY_H

#include <stdbool.h>
#include <stdint.h>

#include "server/config.h"
#include "store/store.h"

#define MONEY_SIZE 64

/* The configured currency, such as "eur"; NULL if it is not known. */
const char *money_currency(const struct config *config);

/* Writes "12.5 EUR cents", or "12.5 cents" if the currency is not known. */
void money_format(char text[MONEY_SIZE], int64_t microcents, const char *currency);

/* Writes the title of a column of cents: "EUR CENTS", "CENTS". */
void money_title(char title[MONEY_SIZE], const char *currency);

/* Whether to show costs: a price is set, or an account other than the operator's is charged. A
 * private server has a ledger too, but nobody chose the price of its amounts. Returns 0 or an
 * errno. */
int money_is_shown(bool *is_shown, struct store *store, const struct config *config);

/* Logs a warning when a server starts if accounts are charged at a price that nobody has set. */
void money_warn_of_default(struct store *store, const struct config *config);

#endif
