/*
 * hear_local.h: listening without a server, for `syrinx hear`.
 */
#ifndef CLI_HEAR_LOCAL_H
#define CLI_HEAR_LOCAL_H

#include <stdbool.h>

#include "base/buf.h"
#include "server/config.h"

struct hear_local_request {
	int fd; /* the file, read from where it is to its end */
	const char *model; /* NULL: the default */
	const char *language; /* NULL: the model's own, or detected */
	bool has_times; /* the answer has segments and words with their times */
};

/* Starts the engines that decode and listen, and appends the same answer as a server's: JSON with the
 * member `text`. Errors are printed. */
int hear_local(struct buf *answer, const struct config *config,
	       const struct hear_local_request *request);

#endif
