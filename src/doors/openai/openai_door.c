/*
 * openai_door.c: OpenAI's API: speech, and the lists that programs written for it ask for.
 */
#include "doors/openai/openai.h"

#include "server/handlers.h"
#include "server/speech_http.h"

/* Also by the name of a voice, in any case. */
static const struct voice *openai_door_find_voice(const struct config *config,
						  const struct voices *voices, int64_t project_id,
						  const char *name, size_t len)
{
	(void)config;
	return voices_find_called(voices, project_id, name, len);
}

static const struct speech_api openai_door_speech = {
	.read = openai_body_read,
	.find_voice = openai_door_find_voice,
	.voice_key = "voice",
	.format = "mp3_24000_48",
};

static const struct route openai_door_routes[] = {
	{"POST", "/v1/audio/speech", AUTH_SPEAK, .handler = speech_http_speak,
	 .speech = &openai_door_speech},
	{"GET", "/v1/audio/models", AUTH_OPTIONAL, .handler = model_rest_list_audio},
	{"GET", "/v1/audio/voices", AUTH_OPTIONAL, .handler = audio_rest_voices},
	{0},
};

/* Whatever their library calls is answered in its shape, so that it can say what is missing, also
 * when its base URL lacks the /v1. */
static const char *const openai_door_paths[] = {
	"/v1/audio",      "/v1/models",    "/v1/chat/", "/v1/completions",
	"/v1/embeddings", "/v1/responses", "/audio/",   "/chat/",
	"/models",        "/responses",    NULL,
};

const struct door openai_door = {
	.name = "openai",
	.routes = openai_door_routes,
	.errors = &openai_errors,
	.shared_paths = openai_door_paths,
};
