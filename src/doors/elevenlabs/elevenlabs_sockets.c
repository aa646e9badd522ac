/*
 * elevenlabs_sockets.c: defines ElevenLabs' WebSockets (see elevenlabs.h).
 */
#include "doors/elevenlabs/elevenlabs.h"

#include "doors/elevenlabs/elevenlabs_message.h"
#include "doors/elevenlabs/scribe.h"
#include "session/listen_stream.h"
#include "session/tts_multi.h"
#include "session/tts_stream.h"

const struct socket_api elevenlabs_sockets_stream = {
	.kind = &tts_stream_ops,
	.dialect = &elevenlabs_dialect,
	.parse = elevenlabs_message_parse,
	.error_code = ELEVENLABS_CLOSE_ERROR,
};

const struct socket_api elevenlabs_sockets_multi = {
	.kind = &tts_multi_ops,
	.dialect = &elevenlabs_dialect_multi,
	.parse_multi = elevenlabs_message_parse_multi,
	.error_code = ELEVENLABS_CLOSE_ERROR,
	.contexts_max = ELEVENLABS_SOCKETS_CONTEXTS_MAX,
	.reuses_ids = true,
	.closing_yields = true,
};

const struct socket_api elevenlabs_sockets_scribe = {
	.kind = &listen_stream_ops,
	.dialect = &scribe_dialect_errors,
	.error_code = ELEVENLABS_CLOSE_ERROR,
	.listen = &scribe_socket,
};
