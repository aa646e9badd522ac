/*
 * elevenlabs_sockets.h: ElevenLabs' WebSockets, stream-input and multi-stream-input, as sessions.
 */
#ifndef DOORS_ELEVENLABS_ELEVENLABS_SOCKETS_H
#define DOORS_ELEVENLABS_ELEVENLABS_SOCKETS_H

#include "session/socket_api.h"

extern const struct socket_api elevenlabs_sockets_stream;
extern const struct socket_api elevenlabs_sockets_multi;

#endif
