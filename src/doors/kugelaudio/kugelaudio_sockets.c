/*
 * kugelaudio_sockets.c: defines KugelAudio's WebSockets (see kugelaudio.h).
 */
#include "doors/kugelaudio/kugelaudio.h"

#include "session/tts_multi.h"
#include "session/tts_once.h"
#include "session/tts_stream.h"
#include "session/turn.h"
#include "wire/once_dialect.h"
#include "wire/once_message.h"

const struct socket_api kugelaudio_sockets_once = {
	.kind = &tts_once_ops,
	.dialect = &dialect_once,
	.parse = once_message_parse,
};

const struct socket_api kugelaudio_sockets_stream = {
	.kind = &tts_stream_ops,
	.dialect = &dialect_native,
	.parse = stream_message_parse,
	.turn_idle_ms = TURN_IDLE_MS,
};

const struct socket_api kugelaudio_sockets_multi = {
	.kind = &tts_multi_ops,
	.dialect = &dialect_native,
	.parse_multi = multi_message_parse,
	.contexts_max = TTS_MULTI_CONTEXTS_MAX,
};
