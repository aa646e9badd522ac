/*
 * twilio_door.c: Twilio's API: the routes that it calls for a telephone call.
 *
 * They need no key of this server: Twilio signs its requests, and twilio_route.c checks that.
 */
#include "doors/twilio/twilio_door.h"

static const struct route twilio_door_routes[] = {
	{"POST", "/twilio/{id}", 0, .handler = twilio_route_post},
	{"GET", "/twilio/{id}", 0, .handler = twilio_route_get},
	{0},
};

static const char *const twilio_door_paths[] = {"/twilio/", NULL};

const struct door twilio_door = {
	.name = "twilio",
	.routes = twilio_door_routes,
	.errors = &error_shape_native,
	.paths = twilio_door_paths,
};
