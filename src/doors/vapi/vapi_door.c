/*
 * vapi_door.c: Vapi's API: the route that it calls for speech of a custom voice.
 */
#include "doors/vapi/vapi.h"

#include "server/speech_http.h"

static const struct speech_api vapi_door_speech = {
	.read = vapi_body_read,
	.voice_place = SPEECH_VOICE_IN_QUERY,
	.format = "pcm_24000",
	.type = "application/octet-stream",
};

static const struct route vapi_door_routes[] = {
	{"POST", "/vapi/synthesize", AUTH_SPEAK, .handler = speech_http_speak,
	 .speech = &vapi_door_speech},
	{0},
};

static const char *const vapi_door_key_headers[] = {"x-vapi-secret", NULL};
static const char *const vapi_door_paths[] = {"/vapi/", NULL};

const struct door vapi_door = {
	.name = "vapi",
	.routes = vapi_door_routes,
	.key_headers = vapi_door_key_headers,
	.errors = &error_shape_native,
	.paths = vapi_door_paths,
};
