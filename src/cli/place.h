/*
 * place.h: which server a command speaks with, and with which key.
 */
#ifndef CLI_PLACE_H
#define CLI_PLACE_H

#include <stdbool.h>
#include <stddef.h>

#include "account/account.h"
#include "cli/command.h"
#include "server/config.h"

/* The address of --server, or of the server that the configuration describes, without a
 * slash at its end.  EINVAL when it does not fit. */
int place_find(char *base, size_t size, const struct command_call *call,
	       const struct config *config);

/* The local key is for the server beside it, not for whoever is asked. */
bool place_is_this_machine(const char *base);

/* --key, SYRINX_KEY or, on this machine, the local key, which is read into `local`; NULL
 * when there is none. */
const char *place_find_key(char local[ACCOUNT_KEY_LEN + 1], const char *base,
			   const struct command_call *call, const struct config *config);

#endif
