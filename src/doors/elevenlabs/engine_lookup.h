/*
 * engine_lookup.h: finds a speech engine for a conversation: its settings, and the key that signs for it.
 *
 * Runs on the loop's thread; the store is asked on another one.
 */
#ifndef DOORS_ELEVENLABS_ENGINE_LOOKUP_H
#define DOORS_ELEVENLABS_ENGINE_LOOKUP_H

#include "account/engine_token.h"
#include "doors/elevenlabs/engine_id.h"
#include "doors/elevenlabs/engine_settings.h"
#include "server/agents.h"
#include "wire/fault.h"

/* What was found; valid during the call of the handler, which may take references. */
struct engine_found {
	char id[ENGINE_ID_SIZE]; /* as clients write it */
	int64_t project_id; /* 0: it is an agent of the configuration */
	struct engine_settings *settings; /* refcounted */
	/* For engine_token_make: signs the tokens for the developer's server.  Not set for an agent. */
	struct engine_token_keys keys;
	struct agent *agent; /* refcounted; answers instead of a developer's server.  NULL: none */
};

/* `found` is NULL if the fault says why: ENGINE_NOT_FOUND, SIGNING_KEY_ENDED, NO_STORE, INTERNAL, or
 * INVALID_REQUEST for a stored configuration that this release does not accept. */
typedef void(engine_lookup_h)(const struct engine_found *found, const struct stream_fault *fault,
			      void *arg);

/* Looks up a resource of this project (0: of any project) by any of its ids, or an agent by its name.
 * The handler is called once, never from inside this call, unless the look-up is cancelled before.
 * ENOMEM, ESHUTDOWN: it is not called. */
struct engine_lookup;
int engine_lookup_start(struct engine_lookup **lookupp, struct server *server, int64_t project_id,
			const char *agent_id, engine_lookup_h *handler, void *arg);
void engine_lookup_cancel(struct engine_lookup *lookup);

#endif
