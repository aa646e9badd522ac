/*
 * greeting.h: the text that is printed for a person who starts a server.
 */
#ifndef CLI_GREETING_H
#define CLI_GREETING_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

struct greeting {
	const char *address; /* the HOST:PORT that the server listens on */
	bool tls;
	const char *key;
	const char *program; /* the program as it was called, so that commands can be pasted */
	const char *data_dir; /* the directory with the key */
	const char *config_file; /* the configuration with its agents; NULL if none was given */
};

/* Converts an address that a server listens on to one that clients can connect to. EINVAL if it
 * does not fit. */
int greeting_address(char *address, size_t size, const char *listening);

/* Appends the address, the key, and commands to try. */
int greeting_print(struct buf *out, const struct greeting *greeting);

#endif
