/*
 * config_file.h: which configuration file a command reads.
 *
 * The same file for every command, so that `syrinx key create` works on the store of the
 * server that `syrinx serve` runs.  The first of these that applies:
 *
 *   --config FILE
 *   SYRINX_CONFIG; empty means no file
 *   none, if --data or --store names another server's store
 *   /etc/syrinx/syrinx.conf, if it exists and the program is the installed one
 *
 * The installed server's data directory is /var/lib/syrinx unless its file says otherwise, and the
 * variables of its service are in /etc/default/syrinx.  A
 * program that was built in a checkout does not read that file: `make run` must
 * use the checkout's ./data on a machine where the package is installed, too.
 */
#ifndef CLI_CONFIG_FILE_H
#define CLI_CONFIG_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/command.h"
#include "server/config.h"

struct config_file {
	const char *path; /* NULL: none is read */
	const char *source; /* what named it: "--config" */
	bool is_default; /* nothing named it: it is the installed server's */
	bool is_denied; /* and this user may not read it */
	const struct config_places *places; /* of the installed server's file; else NULL */
	const char *environment; /* of the installed service, likewise */
};

/* The path is valid until the next call. */
struct config_file config_file_find(const struct command_call *call);

/* A command that this user can run on a file or directory that belongs to another user:
 * "sudo -u syrinx syrinx key ...", or the same with runuser and su where sudo is not installed.
 * Without a user of that name it is one for root. */
void config_file_suggest(char *text, size_t size, const char *path, const struct command *command);

#endif
