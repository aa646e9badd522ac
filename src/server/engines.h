/*
 * engines.h: the pool of engines that a configuration asks for.
 */
#ifndef SERVER_ENGINES_H
#define SERVER_ENGINES_H

#include "server/config.h"
#include "speech/pool.h"

/* The engine whose voices are files in the voices folder. */
#define ENGINES_WITH_VOICES_DIR "vits"

/* Whether engines_open would accept the configuration, with a line in errors if not: EPERM if
 * an engine could read the data directory, ENOENT or another errno if there are no engines. */
int engines_check(const struct config *config, struct buf *errors);

/* Runs engines through `syrinx confine`, which restricts them before they start.  From now
 * on other processes of the same user cannot read this process's memory.  For a server,
 * `records_dir` (which outlives the pool) is where it keeps what engines said of themselves, and
 * what enforces the restrictions on this machine is logged; NULL: for a command.  What
 * engines_check finds is logged. */
int engines_open(struct pool **poolp, struct loop *loop, const struct config *config,
		 const char *records_dir);

/* The same with a choice of engines, for a command that needs only one voice.  ENOENT: none of
 * them is there. */
struct engines_choice {
	const char *only; /* NULL: all */
	const char *but; /* NULL: none is left out */
};
int engines_open_some(struct pool **poolp, struct loop *loop, const struct config *config,
		      const struct engines_choice *choice);

#endif
