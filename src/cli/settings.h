/*
 * settings.h: the configuration as the options of a command ask for it.
 */
#ifndef CLI_SETTINGS_H
#define CLI_SETTINGS_H

#include "cli/command.h"
#include "server/config.h"
#include "store/store.h"

/* Loads the configuration file (see config_file.h) and lets the command's other options win
 * over it: --listen, --data, --workers, --voices and --store, where the command has them.  An
 * installed server's file that this user may not read is left out: a command that only speaks or asks a
 * server needs none.  Mistakes have been printed when it gives another status than
 * COMMAND_OK. */
int settings_load(struct config *config, const struct command_call *call);

/* The same for commands that work on what the server has (its store, its files): they fail
 * if the file cannot be read. */
int settings_load_of_server(struct config *config, const struct command_call *call);

/* Like settings_load_of_server, but appends errors to `errors`.  EINVAL or an errno. */
int settings_load_quietly(struct config *config, const struct command_call *call,
			  struct buf *errors);

/* Print or log the lines of both, those of warnings marked as such. */
void settings_print_findings(const struct buf *errors, const struct buf *warnings);
void settings_log_findings(const struct buf *errors, const struct buf *warnings);

/* Logs a warning if every user of this machine can read the certificate's private key or a
 * configuration that contains keys or a password, or can write to the folders of voices or
 * engines. */
void settings_warn_of_others(const struct config *config, const char *file);

/* Makes a directory and those above it. */
int settings_make_dir(const char *path, unsigned mode);

/* Prints why a store cannot be opened, without its password, and what to do. */
void settings_explain_store(const char *address, int err, const struct command *command);

/* Opens a store.  Errors are printed, without its password. */
int settings_open_store(struct store **storep, const char *address, const struct command *command);

#endif
