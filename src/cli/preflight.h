/*
 * preflight.h: what a server would refuse to start with, found before it starts.
 *
 * `syrinx serve` and `syrinx check` both call it, so that a configuration that was checked is
 * one that starts.  Nothing is created or changed.
 */
#ifndef CLI_PREFLIGHT_H
#define CLI_PREFLIGHT_H

#include "server/config.h"

/* Appends a line for each mistake to errors, and for what is odd but does not keep a server from
 * starting to warnings.  The store is left out: see preflight_check_store.  EINVAL for any
 * error. */
int preflight_check(const struct config *config, struct buf *errors, struct buf *warnings);

/* The same for the store, which a server need not be asked for twice: it opens it next, and
 * refuses what is an error here.  A database that is away is a warning, because the server
 * would wait for it.  *is_new: it would be created. */
int preflight_check_store(const struct config *config, bool *is_new, struct buf *errors,
			  struct buf *warnings);

#endif
