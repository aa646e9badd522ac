/*
 * shape.h: whose shapes a request wants, where two vendors have one path.
 *
 * ElevenLabs' clients say who they are by the header of their key, or by a path
 * under /11labs; all others get the native shapes.
 */
#ifndef SERVER_SHAPE_H
#define SERVER_SHAPE_H

#include "server/server_private.h"

bool shape_is_elevenlabs(const struct http_request *request);

#endif
