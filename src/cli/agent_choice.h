/*
 * agent_choice.h: finds the agent that a command talks to.
 *
 * A server without an [agent] section in its configuration has a built-in echo agent, so that a
 * conversation can be tried before there is a language model. The echo agent's key is derived
 * from the local key: anyone who can read the data directory can talk to it.
 */
#ifndef CLI_AGENT_CHOICE_H
#define CLI_AGENT_CHOICE_H

#include "cli/command.h"
#include "server/config.h"

/* Adds the echo agent if the configuration has no agent. */
void agent_choice_add_echo(struct config *config, const char *local_key);

/* Finds the agent with this name, or the first one if `name` is NULL, in a configuration that was
 * loaded. For the echo agent this reads the local key. Errors are printed. */
int agent_choice_find(const struct config_agent **agentp, struct config *config,
		      const struct command *command, const char *name);

#endif
