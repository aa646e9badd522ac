/*
 * key_source.h: reads the key that a command was given.
 *
 * A command that takes a key has the options --key-file FILE and --key KEY; the first is
 * preferred.
 */
#ifndef CLI_KEY_SOURCE_H
#define CLI_KEY_SOURCE_H

#include <stdbool.h>

#include "cli/command.h"

/* The size includes the NUL. A key has 43 characters; several keys of a speech engine, separated
 * by spaces, can be as long as a configuration value. */
#define KEY_SOURCE_SIZE 1024

#define KEY_SOURCE_FILE_OPTION                                                                     \
	{                                                                                          \
		"key-file", 0, "FILE", "read the key from this file (- for standard input)"        \
	}

/* Reads the key given by either option; *found is false if neither was given. From standard input
 * exactly one line is read, so that the rest remains; a file must contain a single line. Returns
 * COMMAND_OK, or another status after printing the reason. */
int key_source_read(char key[KEY_SOURCE_SIZE], bool *found, const struct command_call *call);

/* Reads the key in the file given by --key-file, which must be present. */
int key_source_read_file(char key[KEY_SOURCE_SIZE], const struct command_call *call);

#endif
