/*
 * config_agents.h: what is checked of the sections [agent NAME] together.
 */
#ifndef SERVER_CONFIG_AGENTS_H
#define SERVER_CONFIG_AGENTS_H

#include "server/config.h"

/* Puts what the variables contain in the place of env:NAME, and finds agents without a key or
 * with the path of another one.  EINVAL, with one line per mistake in errors. */
int config_agents_check(struct config *config, bool are_used, struct buf *errors);

#endif
