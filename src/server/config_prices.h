/*
 * config_prices.h: the prices of a configuration: their defaults, and checks.
 *
 * A price that can never apply is a mistake that nobody would notice before the first bill, so
 * everything that a section names should exist.
 */
#ifndef SERVER_CONFIG_PRICES_H
#define SERVER_CONFIG_PRICES_H

#include "server/config.h"

/* Check a single value, for the table in config.c.  Return what is wrong, or NULL. */
const char *config_prices_check_currency(const char *value);
const char *config_prices_check_quality(const char *value);

/* These two tell prices that were set from the default prices.  begin is called while only defaults
 * are set, and removes them.  fill_in is called after everything was read. */
struct config_default_prices {
	int64_t microcents_per_minute, heard_microcents;
};
void config_prices_begin(struct config *config, struct config_default_prices *defaults);
void config_prices_fill_in(struct config *config, const struct config_default_prices *defaults);

/* Checks all sections, after fill_in.  Returns EINVAL, with one line per mistake in `errors`. */
int config_prices_check(const struct config *config, struct buf *errors);

/* Finds sections that can never apply, because they name something that does not exist or that an
 * earlier section already covers.  `syrinx check` reports them as mistakes; a server that starts
 * only warns, because earlier versions ignored them.  Returns EINVAL, with one line per mistake. */
int config_prices_check_names(const struct config *config, struct buf *mistakes);

#endif
