/*
 * config_prices.h: prices of a configuration: their defaults, and what is wrong with them.
 *
 * A price that can never apply is a mistake that nobody would notice before the first bill, so
 * whatever a section names should exist.
 */
#ifndef SERVER_CONFIG_PRICES_H
#define SERVER_CONFIG_PRICES_H

#include "server/config.h"

/* Checks of single values, for the table in config.c. */
const char *config_prices_check_currency(const char *value);
const char *config_prices_check_quality(const char *value);

/* Called when nothing but defaults is set, and when all is read: a price that was set is to be
 * distinguished from the default, which begin returns. */
int64_t config_prices_begin(struct config *config);
void config_prices_fill_in(struct config *config, int64_t default_price);

/* All sections, after fill_in.  EINVAL, with a line in errors for each mistake. */
int config_prices_check(const struct config *config, struct buf *errors);

/* Sections that can never apply, because they name what does not exist or what an earlier section
 * names: a mistake for whoever checks a configuration, and a warning for a server that starts,
 * because earlier versions ignored them.  EINVAL, with a line for each. */
int config_prices_check_names(const struct config *config, struct buf *mistakes);

#endif
