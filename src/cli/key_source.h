/*
 * key_source.h: the key that a command was given.
 *
 * A command that takes a key has the options --key-file FILE and --key KEY; the first is
 * preferred.
 */
#ifndef CLI_KEY_SOURCE_H
#define CLI_KEY_SOURCE_H

#include <stdbool.h>

#include "cli/command.h"

/* Including the NUL.  A key has 43 characters; several keys of a speech engine, separated by
 * blanks, can be as long as a value of the configuration. */
#define KEY_SOURCE_SIZE 1024

#define KEY_SOURCE_FILE_OPTION                                                                     \
	{                                                                                          \
		"key-file", 0, "FILE", "read the key from this file (- for standard input)"        \
	}

/* The key given by either option; *found is false if neither was given.  From standard input
 * exactly one line is read, so that the rest remains; a file must contain a single line.
 * Gives COMMAND_OK, or another status after telling the user what is wrong. */
int key_source_read(char key[KEY_SOURCE_SIZE], bool *found, const struct command_call *call);

/* The key in the file of --key-file, which must have been given. */
int key_source_read_file(char key[KEY_SOURCE_SIZE], const struct command_call *call);

#endif
