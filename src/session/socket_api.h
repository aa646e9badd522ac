/*
 * socket_api.h: a WebSocket endpoint as data: the messages of its clients, its replies, its limits.
 *
 * A vendor's API defines one for each of its endpoints (doors/doors.h), and session_alloc makes the
 * session of a connection from it.  There are four kinds of session:
 *
 *   tts_once_ops       each message is a whole text
 *   tts_stream_ops     messages are parts of one text at a time
 *   tts_multi_ops      the same with contexts, each of which has its own text
 *   listen_stream_ops  messages are audio, which is transcribed (listen_api.h)
 *
 * Endpoints of the same kind differ in their parser, which translates the clients' messages into
 * native ones, in their dialect, which writes the replies, and in the other members.
 */
#ifndef SESSION_SOCKET_API_H
#define SESSION_SOCKET_API_H

#include "wire/dialect.h"
#include "wire/multi_message.h"
#include "wire/stream_message.h"

/* Parse a message in a buffer that is overwritten; EINVAL with the fault filled in.  See
 * stream_message_parse and multi_message_parse for the arguments. */
typedef int(stream_parse_h)(struct stream_message *message, struct stream_fault *fault, char *json,
			    size_t len, uint16_t surrogate);
typedef int(multi_parse_h)(struct multi_message *message, struct stream_fault *fault, char *json,
			   size_t len);

struct listen_api;

struct socket_api {
	const struct session_ops *kind;
	const struct dialect *dialect;
	stream_parse_h *parse; /* for tts_once_ops and tts_stream_ops */
	multi_parse_h *parse_multi; /* for tts_multi_ops */

	unsigned turn_idle_ms; /* a turn without new text ends after this time; 0: never */

	/* The code with which the connection closes after an error.  0: errors do not close it,
	 * except those that have a close code (wire_error_close_code).  With contexts, only errors
	 * with a close code close the connection, but with this code instead. */
	uint16_t error_code;

	/* For tts_multi_ops. */
	size_t contexts_max; /* how many contexts may take text at the same time */
	bool reuses_ids; /* text for a context that is closing begins a new one with the same id */
	/* Contexts that are closing give way to a new one (context_yield), because clients of this
	 * API do not cancel a closed context when the user interrupts: they create another one. */
	bool closing_yields;

	const struct listen_api *listen; /* for listen_stream_ops */
};

#endif
