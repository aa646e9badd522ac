/*
 * config_file.h: finds the configuration file that a command reads.
 *
 * All commands read the same file, so that `syrinx key create` works on the store of the server
 * that `syrinx serve` runs. It is the first of these that applies:
 *
 *   --config FILE
 *   SYRINX_CONFIG; if it is empty, no file
 *   no file, if --data or --store names another server's store
 *   /etc/syrinx/syrinx.conf, if it exists and the program is the installed one
 *
 * The installed server's data directory is /var/lib/syrinx unless its file says otherwise, and
 * the variables of its service are in /etc/default/syrinx. A program that was built in a
 * checkout does not read that file: `make run` must use the checkout's ./data even on a machine
 * where the package is installed.
 */
#ifndef CLI_CONFIG_FILE_H
#define CLI_CONFIG_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/command.h"
#include "server/config.h"

struct config_file {
	const char *path; /* NULL if no file is read */
	const char *source; /* how the file was chosen, such as "--config" */
	bool is_default; /* the file was not named: it is the installed server's */
	bool is_denied; /* it is the installed server's file, and this user may not read it */
	/* Default paths that apply to the installed server's file; otherwise NULL. */
	const struct config_places *places;
	const char *environment; /* the environment file of the installed service; otherwise NULL */
};

/* Finds the configuration file for this call. The path is valid until the next call. */
struct config_file config_file_find(const struct command_call *call);

/* Writes a command with which this user can access a file or directory that belongs to another
 * user: "sudo -u syrinx syrinx key ...", or the same with runuser and su if sudo is not
 * installed. If the owner has no user name, the suggestion is to run the command as root. */
void config_file_suggest(char *text, size_t size, const char *path, const struct command *command);

#endif
