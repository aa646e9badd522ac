/*
 * server_choice.h: finds the server that a command talks to, and the key for it.
 */
#ifndef CLI_SERVER_CHOICE_H
#define CLI_SERVER_CHOICE_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/command.h"
#include "cli/key_source.h"
#include "server/config.h"

/* Finds the address, without a trailing slash: that of --server, of the server running on the
 * data directory (see running_server.h), or the configured one. Returns COMMAND_OK, or another status
 * after printing the reason. */
int server_choice_find(char *base, size_t size, const struct command_call *call,
		       const struct config *config);

/* Whether the address belongs to this machine. The local key may only be sent to a server on this
 * machine. */
bool server_choice_is_this_machine(const char *base);

/* Prints that there is no key for this server, and how to give one. */
void server_choice_explain_no_key(const char *base, const struct command *command,
				  const struct config *config);

/* Finds the key: --key-file, --key, SYRINX_KEY or, on this machine, the local key; *found is
 * false if there is none. Returns COMMAND_OK, or another status after printing the reason. */
int server_choice_find_key(char key[KEY_SOURCE_SIZE], bool *found, const char *base,
			   const struct command_call *call, const struct config *config);

/* Like server_choice_find_key, but ignores the options. */
int server_choice_find_own_key(char key[KEY_SOURCE_SIZE], bool *found, const char *base,
			       const struct command *command, const struct config *config);

#endif
