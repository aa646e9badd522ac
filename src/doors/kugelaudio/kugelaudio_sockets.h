/*
 * kugelaudio_sockets.h: KugelAudio's WebSockets as sessions: /ws/tts, /ws/tts/stream and
 * /ws/tts/multi.
 */
#ifndef DOORS_KUGELAUDIO_KUGELAUDIO_SOCKETS_H
#define DOORS_KUGELAUDIO_KUGELAUDIO_SOCKETS_H

#include "session/socket_api.h"

extern const struct socket_api kugelaudio_sockets_once;
extern const struct socket_api kugelaudio_sockets_stream;
extern const struct socket_api kugelaudio_sockets_multi;

#endif
