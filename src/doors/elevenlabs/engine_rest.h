/*
 * engine_rest.h: what the routes about speech engines share.
 */
#ifndef DOORS_ELEVENLABS_ENGINE_REST_H
#define DOORS_ELEVENLABS_ENGINE_REST_H

#include "server/agents.h"
#include "server/resource.h"

/* The queries of a request are run with this subject; nothing is kept in memory. */
extern const struct store_subject engine_rest_subject;
extern const struct resource_refusal engine_rest_refusals[];

/* Returns the agent of the configuration that an id names, or NULL; on the loop. */
struct agent *engine_rest_agent(const struct route_call *call, const char *id, size_t len);

#endif
