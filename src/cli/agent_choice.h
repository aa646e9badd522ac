/*
 * agent_choice.h: which agent a command means, and the one that is always there.
 *
 * Without an [agent] in the configuration a server has an echo, so that a
 * conversation can be tried before there is a language model.  Its key comes from
 * the local one: anyone who can read the data directory can talk to it.
 */
#ifndef CLI_AGENT_CHOICE_H
#define CLI_AGENT_CHOICE_H

#include "cli/command.h"
#include "server/config.h"

/* Adds the echo when there is no agent. */
void agent_choice_add_echo(struct config *config, const char *local_key);

/* The agent of this name, or the first when it is NULL, of a configuration that
 * was loaded: of the echo the local key is read.  What is wrong was printed. */
int agent_choice_find(const struct config_agent **agentp, struct config *config,
		      const struct command *command, const char *name);

#endif
