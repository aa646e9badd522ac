/*
 * openai_door.c: OpenAI's API: its routes for speech, and for the lists that its clients request.
 */
#include "doors/openai/openai.h"

#include "doors/openai/transcripts.h"
#include "server/speech_http.h"
#include "server/transcription_http.h"

/* Finds a voice by its display name as well; case does not matter. */
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

static const struct transcription_api openai_door_transcription = {.file_name = "file",
								   .read = transcript_body_read};

static const struct route openai_door_routes[] = {
	{"POST", "/v1/audio/speech", AUTH_SPEAK, .handler = speech_http_speak,
	 .speech = &openai_door_speech},
	{"POST", "/v1/audio/transcriptions", AUTH_SPEAK | AUTH_STREAMED,
	 .handler = transcription_http_hear, .body_max = TRANSCRIPTION_HTTP_BODY_MAX,
	 .transcription = &openai_door_transcription},
	{"GET", "/v1/models/{id}", AUTH_OPTIONAL, .handler = openai_models_get},
	{"GET", "/v1/audio/models", AUTH_OPTIONAL, .handler = openai_models_list_audio},
	{"GET", "/v1/audio/voices", AUTH_OPTIONAL, .handler = audio_rest_voices},
	{0},
};

/* Errors on every path that OpenAI's library calls have OpenAI's shape, so that the library can
 * report what is wrong; also on those that it calls if /v1 is missing in its base URL. */
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
