/*
 * config_prices.h: what is wrong with the prices of a configuration.
 *
 * A price that can never apply is a mistake that nobody would notice before the first bill,
 * so whatever a section names must exist.
 */
#ifndef SERVER_CONFIG_PRICES_H
#define SERVER_CONFIG_PRICES_H

#include "server/config.h"

/* Of a single value, for the table in config.c. */
const char *config_prices_check_quality(const char *value);

/* All sections, with the directory of engines filled in.  EINVAL, with a line in errors for each mistake. */
int config_prices_check(const struct config *config, struct buf *errors);

#endif
