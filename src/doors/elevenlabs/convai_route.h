/*
 * convai_route.h: the route of ElevenLabs' conversation WebSocket.
 */
#ifndef DOORS_ELEVENLABS_CONVAI_ROUTE_H
#define DOORS_ELEVENLABS_CONVAI_ROUTE_H

#include "server/door.h"

/* Opens a conversation with the agent that ?agent_id names: a speech engine of the caller's project, or
 * an agent of the configuration.  The caller has an API key or a signed URL; an agent of the
 * configuration that is public needs neither. */
route_h convai_route_open;

#endif
