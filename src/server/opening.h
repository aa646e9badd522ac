/*
 * opening.h: a client on its way to a session.
 *
 * Four steps lead there: its key is known, the dictionaries of its project are in memory, it has
 * a permit for one more connection, its session begins.  Most clients have their key in the request,
 * which waits for all of this and is then answered with a WebSocket.  Some cannot set headers and do
 * not want their key in an address: with in-band authentication, the WebSocket comes first and the
 * key in its first message.  What such a client sends is kept until its session begins.  Runs on
 * the loop's thread.
 */
#ifndef SERVER_OPENING_H
#define SERVER_OPENING_H

#include "server/tts_socket.h"

#define OPENING_KEY_MS 10000 /* for the first message with a key */

/* The first message has a key, settings and perhaps some text: vendors' clients send a few
 * hundred bytes.  Its sender is not authenticated yet. */
#define OPENING_MESSAGE_MAX (64 * 1024)

/* What is kept until the session begins.  The connection is not read meanwhile, so this is the
 * first message and what arrived in the same read. */
#define OPENING_KEPT_MAX (256 * 1024)

/* The handler of routes with a tts_socket_api. */
route_h opening_start;

/* Of a socket without a session: a message; anything was received; its WebSocket is closed. */
void opening_message(struct opening *opening, const char *bytes, size_t len, bool is_binary);
void opening_count(struct opening *opening);
void opening_cancel(struct opening *opening);

#endif
