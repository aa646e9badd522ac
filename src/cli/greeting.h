/*
 * greeting.h: what is printed for a person who starts a server.
 */
#ifndef CLI_GREETING_H
#define CLI_GREETING_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

struct greeting {
	const char *address; /* HOST:PORT that is listened on */
	bool tls;
	const char *key;
	const char *program; /* as it was called, for a command that can be pasted */
	const char *data_dir; /* where the key is kept */
	const char *config_file; /* where its agents are; NULL: none was given */
};

/* An address that can be connected to, for one that is listened on.  EINVAL when it
 * does not fit. */
int greeting_address(char *address, size_t size, const char *listening);

/* Appends the address, the key, and commands that make the server speak. */
int greeting_print(struct buf *out, const struct greeting *greeting);

#endif
