/*
 * config_agents.h: the [agent NAME] sections of a configuration: their keys, and a check of all of
 * them together.
 */
#ifndef SERVER_CONFIG_AGENTS_H
#define SERVER_CONFIG_AGENTS_H

#include "server/config.h"

/* The keys of [agent NAME]. */
#define CONFIG_AGENTS_ROWS 31
extern const struct param config_agents_rows[];

/* Replaces env:NAME by the value of that variable, and finds agents without a key or with the path
 * of another agent.  `are_used` is config_purpose.uses_agents.  Returns EINVAL, with one line per
 * mistake in `errors`. */
int config_agents_check(struct config *config, bool are_used, struct buf *errors);

#endif
