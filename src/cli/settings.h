/*
 * settings.h: loads the configuration for a command, including the command's options.
 */
#ifndef CLI_SETTINGS_H
#define CLI_SETTINGS_H

#include "cli/command.h"
#include "server/config.h"
#include "store/store.h"

/* Loads the configuration file (see config_file.h). The command's options --listen, --data,
 * --workers, --voices, --models and --store take precedence over it. An installed server's file
 * that this user may not read is ignored, because a command that only talks to a server does not
 * need it. Errors are printed before another status than COMMAND_OK is returned. */
int settings_load(struct config *config, const struct command_call *call);

/* Like settings_load, for commands that work on the server's store or files: they fail if the
 * file cannot be read. */
int settings_load_of_server(struct config *config, const struct command_call *call);

/* Like settings_load_of_server, but appends errors to `errors`. Returns EINVAL or another errno. */
int settings_load_quietly(struct config *config, const struct command_call *call,
			  struct buf *errors);

/* Print or log all lines, with those of `warnings` marked as warnings. */
void settings_print_findings(const struct buf *errors, const struct buf *warnings);
void settings_log_findings(const struct buf *errors, const struct buf *warnings);

/* Logs a warning if every user of this machine can read the certificate's private key or a
 * configuration that contains keys or a password, or can write to the folders of voices, models or
 * engines. */
void settings_warn_of_others(const struct config *config, const char *file);

/* Creates a directory and missing parent directories. */
int settings_make_dir(const char *path, unsigned mode);

/* Prints why a store cannot be opened, without its password, and what to do. */
void settings_explain_store(const char *address, int err, const struct command *command);

/* Opens a store.  Errors are printed, without its password. */
int settings_open_store(struct store **storep, const char *address, const struct command *command);

#endif
