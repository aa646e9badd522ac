/*
 * shape.h: whose shapes a request wants, where two vendors have one path.
 *
 * ElevenLabs' clients say who they are by the header of their key, or by a path
 * under /11labs; all others get the native shapes.
 */
#ifndef SERVER_SHAPE_H
#define SERVER_SHAPE_H

#include "server/server_private.h"
#include "wire/error_shape.h"

bool shape_is_elevenlabs(const struct http_request *request);

/* For errors: KugelAudio's SDKs send X-API-Key, OpenAI's library does not. */
enum error_client shape_client(const struct http_request *request);

#endif
