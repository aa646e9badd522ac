/*
 * tts_socket.h: a WebSocket and the session on it, which speaks or listens.
 *
 * Runs on the loop's thread.
 */
#ifndef SERVER_TTS_SOCKET_H
#define SERVER_TTS_SOCKET_H

#include "server/door.h"
#include "server/ws_peer.h"
#include "session/session.h"

struct opening;
struct socket_address_api;

/* The differences between vendors' WebSocket endpoints, which a route refers to (see door.h). */
struct tts_socket_api {
	const struct socket_api *session;
	/* NULL: the URL has no settings, or those of a session that listens. */
	const struct socket_address_api *address;
	/* A query parameter that may contain the first message; NULL: none. */
	const char *first_message;

	/* Clients are told on the WebSocket why they are refused, even if their key is in the
	 * request: a browser does not show a page the answer to an upgrade that has failed. */
	bool tells_refusals;

	/* In-band authentication (AUTH_IN_BAND): reads the key from the first message, which may be
	 * overwritten; "" if there is none, in which case the client is sent missing_key. */
	void (*read_key)(char *key, size_t size, char *json, size_t len);
	const char *missing_key;
};

/* There is one for each idle connection, so what only few of them need is kept elsewhere. */
struct tts_socket {
	struct link link;
	struct server *server;
	struct session *session; /* NULL: the key is not known yet, or the connection is ending */
	struct ws_peer client;
	struct connection_permit *permit;
	struct opening *opening; /* NULL: the key is known */
};

int tts_socket_alloc(struct tts_socket **socketp, struct server *server);

/* Answers the request with a WebSocket, which owns the socket from then on.  Returns NULL if the
 * request was answered otherwise; the socket has then been released. */
struct tts_socket *tts_socket_upgrade(struct tts_socket *socket, const struct route_call *call);

#endif
