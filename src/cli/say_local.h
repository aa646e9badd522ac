/*
 * say_local.h: speech without a server, for `syrinx say`.
 */
#ifndef CLI_SAY_LOCAL_H
#define CLI_SAY_LOCAL_H

#include <stdint.h>

#include "base/buf.h"
#include "cli/playback.h"
#include "server/config.h"

#define SAY_REQUEST_MAX (2u * 1024u * 1024u)

/* Writes the request for the speech, once the id of the voice is known. */
typedef int(say_local_request_h)(struct buf *out, int64_t voice_id, void *arg);

/* Starts an engine that has the voice and plays its speech. A signal stops it early: see
 * interrupt.h. Errors before the speech begins are printed; later ones are recorded in the
 * playback. */
int say_local(const struct config *config, const char *voice, say_local_request_h *write, void *arg,
	      struct playback *playback);

#endif
