/*
 * tts_socket.h: a WebSocket and the session on it.
 */
#ifndef SERVER_TTS_SOCKET_H
#define SERVER_TTS_SOCKET_H

#include "server/door.h"
#include "server/ws_peer.h"
#include "session/session.h"

struct opening;
struct socket_address_api;

/* What vendors' WebSocket endpoints differ in; a route names it (see door.h). */
struct tts_socket_api {
	const struct socket_api *session;
	const struct socket_address_api *address; /* NULL: the address has no settings */
	const char *first_message; /* a parameter that may hold the first message; NULL: none */

	/* In-band authentication (AUTH_IN_BAND).  Reads the key from the first message, which may
	 * be overwritten; "" when there is none.  missing_key then says so to the client. */
	void (*read_key)(char *key, size_t size, char *json, size_t len);
	const char *missing_key;
};

/* There is one for each idle connection: what only few need is elsewhere. */
struct tts_socket {
	struct link link;
	struct server *server;
	struct session *session; /* NULL: its key is not known yet, or it is ending */
	struct ws_peer client;
	struct connection_permit *permit;
	struct opening *opening; /* NULL: its key is known */
};

int tts_socket_alloc(struct tts_socket **socketp, struct server *server);

/* Answers the request with a WebSocket, which the socket belongs to from then on.  NULL: the request
 * was answered otherwise, and the socket is gone. */
struct tts_socket *tts_socket_upgrade(struct tts_socket *socket, const struct route_call *call);

#endif
