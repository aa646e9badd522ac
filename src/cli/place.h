/*
 * place.h: which server a command speaks with, and with which key.
 */
#ifndef CLI_PLACE_H
#define CLI_PLACE_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/command.h"
#include "cli/key_source.h"
#include "server/config.h"

/* The address of --server, or of the server that runs on the data directory (see running.h), or of
 * the one that the configuration describes, without a slash at its end.  Gives
 * COMMAND_OK, or another status after telling the user what is wrong. */
int place_find(char *base, size_t size, const struct command_call *call,
	       const struct config *config);

/* Whether the address is one of this machine: the local key is for the server on this machine, not for
 * any other. */
bool place_is_this_machine(const char *base);

/* Tells the user that there is no key for this server, and where one can come from. */
void place_explain_no_key(const char *base, const struct command *command,
			  const struct config *config);

/* The key of --key-file, --key, SYRINX_KEY or, on this machine, the local key; *found is
 * false when there is none.  Gives COMMAND_OK, or another status after telling the user what
 * is wrong. */
int place_find_key(char key[KEY_SOURCE_SIZE], bool *found, const char *base,
		   const struct command_call *call, const struct config *config);

/* The same, without looking at the options. */
int place_find_own_key(char key[KEY_SOURCE_SIZE], bool *found, const char *base,
		       const struct command *command, const struct config *config);

#endif
