/*
 * request_url.h: the address of this server as the client of a request knows it, for answers that contain
 * URLs and for signatures of them.
 */
#ifndef SERVER_REQUEST_URL_H
#define SERVER_REQUEST_URL_H

#include "server/door.h"

#define REQUEST_URL_SIZE 320
#define REQUEST_URL_PUBLIC_MAX (REQUEST_URL_SIZE - 8) /* of server.public_url */

/* Writes the beginning of a WebSocket URL, "wss://HOST".  It is that of server.public_url, if that is set.
 * Otherwise HOST is the request's, which the server has checked (cors.c).  The scheme is that of the connection, or wss if a proxy says that the client uses
 * TLS: a client that lies about it gets a URL that is of no use to it, and nobody else sees the answer.
 * EINVAL if there is no Host or it is too long. */
int request_url_socket(char url[REQUEST_URL_SIZE], const struct route_call *call);

#endif
