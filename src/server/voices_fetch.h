/*
 * voices_fetch.h: the neural voices, fetched while the server already speaks.
 *
 * A child process, `syrinx voices fetch`, does the work; the voices appear when
 * they are in the folder, which is watched (see engines.h).  It is tried once:
 * a machine without a network goes on with the voices that it has.
 */
#ifndef SERVER_VOICES_FETCH_H
#define SERVER_VOICES_FETCH_H

#include <stdbool.h>

#include "loop/loop.h"
#include "server/config.h"

struct voices_fetch;

/* Starts it where the folder lacks them and there is an engine to speak with
 * them; *fetchp stays NULL otherwise.  All that happens is logged, and nothing
 * of it is a reason not to serve. */
void voices_fetch_start(struct voices_fetch **fetchp, struct loop *loop,
			const struct config *config);

/* Whether it still changes the folder; NULL does not. */
bool voices_fetch_is_running(const struct voices_fetch *fetch);

/* mem_deref ends the child, which takes back what it has half done. */

#endif
