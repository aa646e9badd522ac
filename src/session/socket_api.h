/*
 * socket_api.h: a WebSocket endpoint as data: what its clients may say, how it answers, its limits.
 *
 * session_alloc makes a connection's session from it.  What a connection can do is one of three
 * kinds (tts_once.h, tts_stream.h, tts_multi.h); vendors' endpoints of one kind differ in the rest.
 */
#ifndef SESSION_SOCKET_API_H
#define SESSION_SOCKET_API_H

#include "wire/dialect.h"
#include "wire/multi_message.h"
#include "wire/stream_message.h"

/* As stream_message_parse and multi_message_parse. */
typedef int(stream_parse_h)(struct stream_message *message, struct stream_fault *fault, char *json,
			    size_t len, uint16_t surrogate);
typedef int(multi_parse_h)(struct multi_message *message, struct stream_fault *fault, char *json,
			   size_t len);

struct socket_api {
	const struct session_ops *kind;
	const struct dialect *dialect;
	stream_parse_h *parse; /* of kinds without contexts */
	multi_parse_h *parse_multi; /* of the kind with contexts */

	unsigned turn_idle_ms; /* after which a turn without new text ends; 0: never by itself */

	/* The code that the connection closes with after an error; 0: errors do not close it, but
	 * for those with a code of their own.  With contexts, only the latter close it, with this
	 * code in place of theirs. */
	uint16_t error_code;

	/* Contexts */
	size_t contexts_max; /* that take text at once */
	bool reuses_ids; /* text for a context that is closing begins another of the same id */
	/* A client that is interrupted after it has closed a context sends nothing about it, and
	 * creates another one: contexts that are closing yield to it. */
	bool closing_yields;
};

#endif
