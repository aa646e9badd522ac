/*
 * running_server.h: finds the server that is running on a data directory of this machine.
 */
#ifndef CLI_RUNNING_SERVER_H
#define CLI_RUNNING_SERVER_H

#include <stddef.h>

#include "cli/command.h"
#include "server/config.h"

/* Finds the address, http(s)://HOST:PORT, of the server that uses the configuration's data
 * directory. The server has written it into DATA/syrinx.pid. ENOENT if no server is running or
 * this cannot be determined.
 *
 * The caller is about to send a key to this address, so a file that a dead server left behind is
 * not enough: the process must still hold the server's lock and belong to the owner of the file,
 * who must be the user or root, and the address must belong to this machine. Root may also use
 * another user's server, but only if the data directory was named: anybody could have written
 * files into the directory "data" of where a command happens to be run. */
int running_server_find(char *base, size_t size, const struct command_call *call,
			const struct config *config);

#endif
