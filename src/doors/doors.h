/*
 * doors.h: the list of the vendor APIs that Syrinx serves.
 *
 * Each vendor has a folder here, and its API is a `struct door` (server/door.h).  To add one:
 *
 *   1. NAME/NAME.h declares what the files of the folder share; NAME/NAME_door.c defines the
 *      door: its routes, where its clients put their keys, and the shape of its errors
 *      (wire/error_shape.h).  vapi/ is the smallest example.
 *   2. A route of a WebSocket has the handler opening_start and names a struct tts_socket_api
 *      (server/tts_socket.h).  Its session is a struct socket_api (session/socket_api.h): which
 *      of the three kinds of session it is, the parser of its clients' messages, the dialect in
 *      which it answers, its limits.  Settings in the URL are a struct socket_address_api
 *      (server/socket_address.h).  elevenlabs_door.c and elevenlabs_sockets.c use all of this.
 *   3. A route that answers a POST with speech has the handler speech_http_speak and names a
 *      struct speech_api (server/speech_http.h), whose parser is a table of the members of the
 *      body (wire/speech_body.h).
 *   4. Other routes have handlers of their own in the folder (for example user_rest.c).
 *   5. "How to add" in ARCHITECTURE.md lists the other files: tables, builds, descriptions, tests.
 *
 * Nothing else in src names a vendor, except configuration keys (tools/check-layers).
 */
#ifndef DOORS_DOORS_H
#define DOORS_DOORS_H

#include "server/door.h"

/* Ends with NULL.  The order matters: of several keys in headers, or in the query, that of the first
 * door counts (see door.h), and a route that two doors have is served by the first, unless a header
 * says which vendor's client it is (door.client_header). */
extern const struct door *const doors_all[];

#endif
