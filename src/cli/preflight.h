/*
 * preflight.h: finds what would keep a server from starting.
 *
 * `syrinx serve` and `syrinx check` both call it, so that a configuration that passed the check
 * can be used to start a server. Nothing is created or changed.
 */
#ifndef CLI_PREFLIGHT_H
#define CLI_PREFLIGHT_H

#include "server/config.h"

/* Appends a line to `errors` for each problem that would keep a server from starting, and a line
 * to `warnings` for each other problem. The store is not checked: see preflight_check_store.
 * EINVAL if there is any error. */
int preflight_check(const struct config *config, struct buf *errors, struct buf *warnings);

/* Like preflight_check, for the store. `serve` does not call it because it opens the store next,
 * which fails for everything that is an error here. A database that cannot be reached is a
 * warning, because the server would wait for it. *is_new: the store would be created. */
int preflight_check_store(const struct config *config, bool *is_new, struct buf *errors,
			  struct buf *warnings);

#endif
