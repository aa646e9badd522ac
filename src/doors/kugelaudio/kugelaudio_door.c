/*
 * kugelaudio_door.c: KugelAudio's API, which is the native one: its routes for speech, dictionaries,
 * voices and models.
 */
#include "doors/kugelaudio/kugelaudio.h"

#include "doors/openai/transcripts.h"
#include "server/handlers.h"
#include "server/opening.h"
#include "server/resource.h"
#include "server/speech_http.h"
#include "server/transcription_http.h"

#define READ_WORDS (STORE_SCOPE_READ | STORE_SCOPE_DICTIONARIES)
#define WRITE_WORDS STORE_SCOPE_DICTIONARIES
#define CHANGE_VOICES STORE_SCOPE_VOICES

/* KugelAudio's ingress answers a WebSocket request with a wrong key with 403; HTTP requests get the
 * status in their documented table. */
#define SOCKET (AUTH_SPEAK | AUTH_FORBIDS)

static const struct tts_socket_api kugelaudio_door_once = {
	.session = &kugelaudio_sockets_once,
	.first_message = "initial_message",
};
static const struct tts_socket_api kugelaudio_door_stream = {.session = &kugelaudio_sockets_stream};
static const struct tts_socket_api kugelaudio_door_multi = {.session = &kugelaudio_sockets_multi};

static const struct speech_api kugelaudio_door_generate = {
	.read = generate_body_read,
	.reads_accept = true,
};

/* The route and the answer are OpenAI's, with KugelAudio's members, which include the times of words. */
static const struct transcription_api kugelaudio_door_transcription = {
	.file_name = "file",
	.read = transcript_body_read_timed,
};

static const struct route kugelaudio_door_routes[] = {
	{"GET", "/ws/tts", SOCKET, .handler = opening_start, .socket = &kugelaudio_door_once},
	{"GET", "/ws/tts/multi", SOCKET, .handler = opening_start,
	 .socket = &kugelaudio_door_multi},
	{"GET", "/ws/tts/stream", SOCKET, .handler = opening_start,
	 .socket = &kugelaudio_door_stream},
	{"POST", "/v1/tts/generate", AUTH_SPEAK, .handler = speech_http_speak,
	 .speech = &kugelaudio_door_generate},
	{"POST", "/predict", AUTH_SPEAK, .handler = speech_http_speak,
	 .speech = &kugelaudio_door_generate},
	{"GET", "/v1/dictionaries", READ_WORDS, .handler = resource_list,
	 .resource = &dictionary_rest_dictionaries},
	{"POST", "/v1/dictionaries", WRITE_WORDS, .handler = resource_add,
	 .resource = &dictionary_rest_dictionaries},
	{"GET", "/v1/dictionaries/{id}", READ_WORDS, .handler = resource_get,
	 .resource = &dictionary_rest_dictionaries},
	{"PATCH", "/v1/dictionaries/{id}", WRITE_WORDS, .handler = resource_change,
	 .resource = &dictionary_rest_dictionaries},
	{"DELETE", "/v1/dictionaries/{id}", WRITE_WORDS, .handler = resource_remove,
	 .resource = &dictionary_rest_dictionaries},
	{"GET", "/v1/dictionaries/{id}/entries", READ_WORDS, .handler = resource_list,
	 .resource = &dictionary_rest_entries},
	{"POST", "/v1/dictionaries/{id}/entries", WRITE_WORDS, .handler = resource_add,
	 .resource = &dictionary_rest_entries},
	{"PUT", "/v1/dictionaries/{id}/entries", WRITE_WORDS,
	 .handler = dictionary_rest_replace_entries, .body_max = DICTIONARY_REST_BODY_MAX},
	{"PATCH", "/v1/dictionaries/{id}/entries/{id}", WRITE_WORDS, .handler = resource_change,
	 .resource = &dictionary_rest_entries},
	{"DELETE", "/v1/dictionaries/{id}/entries/{id}", WRITE_WORDS, .handler = resource_remove,
	 .resource = &dictionary_rest_entries},
	{"POST", "/v1/dictionaries/{id}/invalidate", STORE_SCOPE_ADMIN,
	 .handler = dictionary_rest_invalidate},
	{"GET", "/v1/voices", AUTH_SEE_VOICES, .handler = voice_rest_list},
	{"GET", "/v1/voices/{id}", AUTH_SEE_VOICES, .handler = voice_rest_get},
	{"POST", "/v1/voices", CHANGE_VOICES, .handler = voice_change_add},
	{"PATCH", "/v1/voices/{id}", CHANGE_VOICES, .handler = voice_change_patch},
	{"DELETE", "/v1/voices/{id}", CHANGE_VOICES, .handler = voice_change_remove},
	{"GET", "/v1/voices/{id}/references", AUTH_SEE_VOICES, .handler = voice_change_references},
	{"POST", "/v1/voices/{id}/references", CHANGE_VOICES,
	 .handler = voice_change_not_available},
	{"DELETE", "/v1/voices/{id}/references/{id}", CHANGE_VOICES,
	 .handler = voice_change_not_available},
	{"POST", "/v1/voices/{id}/publish", CHANGE_VOICES, .handler = voice_change_not_available},
	{"PUT", "/v1/voices/{id}/avatar", CHANGE_VOICES, .handler = voice_change_not_available},
	{"POST", "/v1/voices/{id}/generate-sample", CHANGE_VOICES | AUTH_AS_TURN,
	 .handler = voice_sample_make},
	{"GET", "/v1/voices/{id}/sample", AUTH_SEE_VOICES, .handler = voice_sample_get},
	{"GET", "/v1/models", AUTH_OPTIONAL, .handler = model_rest_list},
	{0},
};

static const char *const kugelaudio_door_key_headers[] = {"x-api-key", NULL};
static const char *const kugelaudio_door_key_queries[] = {"api_key", "token", "master_key", NULL};

/* Clients of these paths are KugelAudio's, whichever header contains the key. */
static const char *const kugelaudio_door_paths[] = {
	"/v1/tts/", "/predict", "/ws/tts", "/v1/dictionaries", NULL,
};

/* KugelAudio's SDKs send X-API-Key, OpenAI's library does not.  The SDKs' paths for transcribing
 * and enhancing audio are below OpenAI's /v1/audio. */
static const char *const kugelaudio_door_client_paths[] = {
	"/v1/audio/transcriptions",
	"/v1/audio/enhance",
	"/v1/models",
	NULL,
};

const struct door kugelaudio_door = {
	.name = "kugelaudio",
	.routes = kugelaudio_door_routes,
	.key_headers = kugelaudio_door_key_headers,
	.key_queries = kugelaudio_door_key_queries,
	.errors = &error_shape_native,
	.paths = kugelaudio_door_paths,
	.client_header = "x-api-key",
	.client_paths = kugelaudio_door_client_paths,
	.transcription = &kugelaudio_door_transcription,
	.speech_header = {"X-KugelAudio-AI-Generated", "true"},
};
