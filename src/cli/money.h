/*
 * money.h: amounts of money as commands show them.
 *
 * Ledgers and credit are in micro-cents of prices.currency.  The currency is not in the store:
 * a command that has read no configuration file does not know it, and names none.
 */
#ifndef CLI_MONEY_H
#define CLI_MONEY_H

#include <stdint.h>

#include "server/config.h"

#define MONEY_SIZE 64

/* The currency of the configuration: "eur"; NULL: not known. */
const char *money_currency(const struct config *config);

/* "12.5 EUR cents"; "12.5 cents" where the currency is not known. */
void money_format(char text[MONEY_SIZE], int64_t microcents, const char *currency);

/* The title of a column of cents: "EUR CENTS", "CENTS". */
void money_title(char title[MONEY_SIZE], const char *currency);

#endif
