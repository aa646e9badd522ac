/*
 * engines.h: the pool of engines that a configuration asks for.
 */
#ifndef SERVER_ENGINES_H
#define SERVER_ENGINES_H

#include "server/config.h"
#include "synth/pool.h"

/* The engine whose voices are files in the voices folder. */
#define ENGINES_WITH_VOICES_DIR "vits"

/* Engines run through `syrinx confine`, which limits them before they start.
 * From now on nobody of the same user can read this process's memory.
 * `reports`: the log says what keeps the engines to their limits here.  EPERM: an
 * engine could read the data directory, which the log says, too. */
int engines_open(struct pool **poolp, struct loop *loop, const struct config *config, bool reports);

#endif
