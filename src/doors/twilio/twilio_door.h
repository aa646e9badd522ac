/*
 * twilio_door.h: Twilio's API as a door, and the handlers of its routes (twilio_route.c).
 */
#ifndef DOORS_TWILIO_TWILIO_DOOR_H
#define DOORS_TWILIO_TWILIO_DOOR_H

#include "server/door.h"

extern const struct door twilio_door;

/* The body of a request that asks what to do with a telephone call; Twilio's have a few kilobytes.  It is
 * read before the signature can be checked, so it is small. */
#define TWILIO_ROUTE_BODY_MAX (32u * 1024u)

/* A telephone call has come in: answers what to do with it, which is to connect it to the WebSocket.  A GET
 * that asks for a WebSocket is that connection. */
route_h twilio_route_post;
route_h twilio_route_get;

#endif
