/*
 * running.h: the server that runs on a data directory of this machine.
 */
#ifndef CLI_RUNNING_H
#define CLI_RUNNING_H

#include <stddef.h>

#include "cli/command.h"
#include "server/config.h"

/* The address of the server that uses the configuration's data directory, http(s)://HOST:PORT,
 * taken from the file DATA/syrinx.pid that it keeps there.  ENOENT when none runs or it cannot
 * be known.
 *
 * The caller is about to send a key there, so a file that a dead server has left
 * is not enough: the process must still hold the server's lock and belong to the owner of the
 * file, who must be the user or root, and the address must be one of this machine.  Root may also
 * use the server of another user, but only if the data directory was named: anybody can write
 * files into the directory "data" of where a command happens to be run. */
int running_find(char *base, size_t size, const struct command_call *call,
		 const struct config *config);

#endif
