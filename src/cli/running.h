/*
 * running.h: the server that runs on a data directory of this machine.
 */
#ifndef CLI_RUNNING_H
#define CLI_RUNNING_H

#include <stddef.h>

#include "server/config.h"

/* The address of the server that uses the configuration's data directory, http(s)://HOST:PORT,
 * taken from the file DATA/syrinx.pid that it keeps there.  ENOENT when none runs or it cannot
 * be known.
 *
 * The caller is about to send the local key there, so a file that a dead server has left behind
 * is not enough: the process must still hold the server's lock and belong to the owner of the
 * file, who must be the user or root. */
int running_find(char *base, size_t size, const struct config *config);

#endif
