/*
 * key_source.h: the key that a command was given.
 *
 * By --key-file FILE or, for who has to, --key KEY.  A command that takes a key has both options.
 */
#ifndef CLI_KEY_SOURCE_H
#define CLI_KEY_SOURCE_H

#include <stdbool.h>

#include "cli/command.h"

/* With its NUL.  A key has 43 letters; several keys of a speech engine, with blanks between them, have
 * as many as a value of the configuration. */
#define KEY_SOURCE_SIZE 1024

#define KEY_SOURCE_FILE_OPTION                                                                     \
	{                                                                                          \
		"key-file", 0, "FILE", "read the key from this file (- for standard input)"        \
	}

/* The key of either option; *found is false without both.  Of standard input one line is read and not a
 * byte more; a file may have but one.  Gives COMMAND_OK, or another status when the user has been told
 * what is wrong. */
int key_source_read(char key[KEY_SOURCE_SIZE], bool *found, const struct command_call *call);

/* That of --key-file, which was given. */
int key_source_read_file(char key[KEY_SOURCE_SIZE], const struct command_call *call);

#endif
