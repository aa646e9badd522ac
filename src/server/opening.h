/*
 * opening.h: admits a WebSocket client to a session.
 *
 * There are four steps: the client's key is checked, the dictionaries of its project are loaded
 * into memory, it gets a permit for one more connection, and its session begins.  Most clients send
 * their key in the request, which waits for all of this and is then answered with a WebSocket.
 * Some clients cannot set headers and do not want their key in a URL: with in-band authentication
 * the WebSocket is opened first and the key is in its first message.  What such a client sends is
 * kept until its session begins.  Runs on the loop's thread.
 */
#ifndef SERVER_OPENING_H
#define SERVER_OPENING_H

#include "server/tts_socket.h"

#define OPENING_KEY_MS 10000 /* how long to wait for the first message with a key */

/* The first message has a key, settings and perhaps some text: vendors' clients send a few hundred
 * bytes.  The limit is low because its sender is not authenticated yet. */
#define OPENING_MESSAGE_MAX (64 * 1024)

/* The most that is kept until the session begins.  The connection is not read meanwhile, so this
 * covers the first message and what arrived in the same read. */
#define OPENING_KEPT_MAX (256 * 1024)

/* The handler of routes with a tts_socket_api. */
route_h opening_start;

/* Opens the WebSocket that a request asks for only to report an error on it and to close it, for APIs
 * that do so (`tells_refusals`).  False: the request must be answered otherwise. */
bool opening_tell_refusal(const struct route_call *call, const struct wire_notice *notice);

/* Events of a socket whose session has not begun: a message, any received bytes, and the close of
 * its WebSocket. */
void opening_message(struct opening *opening, const char *bytes, size_t len, bool is_binary);
void opening_count(struct opening *opening);
void opening_cancel(struct opening *opening);

#endif
