/*
 * elevenlabs_door.c: ElevenLabs' API: its routes for speech over HTTP and WebSockets, voices,
 * models, pronunciation dictionaries, speech engines and the user.
 */
#include "doors/elevenlabs/convai_route.h"
#include "doors/elevenlabs/elevenlabs.h"

#include "doors/elevenlabs/elevenlabs_body.h"
#include "doors/elevenlabs/elevenlabs_message.h"
#include "doors/elevenlabs/elevenlabs_voice_ids.h"
#include "doors/elevenlabs/scribe.h"
#include "server/handlers.h"
#include "server/opening.h"
#include "server/socket_address.h"
#include "server/speech_http.h"
#include "server/transcription_http.h"

#define READ_WORDS (STORE_SCOPE_READ | STORE_SCOPE_DICTIONARIES)
#define WRITE_WORDS STORE_SCOPE_DICTIONARIES
#define WORDS_MAX .body_max = DICTIONARY_REST_BODY_MAX

/* A speech engine is a way to use voices, so the scope for changing those covers it. */
#define WRITE_ENGINES STORE_SCOPE_VOICES
/* The largest configuration, written with escapes and blanks. */
#define ENGINE_MAX .body_max = (size_t)2 * STORE_SPEECH_ENGINE_CONFIG_MAX

/* The key may be in the first message of a WebSocket.  A single-use token is valid for both
 * WebSockets: its path is that of stream-input. */
#define SOCKET (AUTH_SPEAK | AUTH_IN_BAND)
#define STREAM_INPUT "/v1/text-to-speech/{id}/stream-input"

#define REQUEST_ID_HEADER "request-id"
#define COST_HEADER "character-cost"

static const struct socket_address_api elevenlabs_door_address = {
	.init = elevenlabs_address_init,
	.fields = elevenlabs_address_fields,
	.find_voice = elevenlabs_voice_ids_find,
};

/* What both WebSockets have in common. */
#define IN_BAND                                                                                    \
	.address = &elevenlabs_door_address, .read_key = elevenlabs_message_key,                   \
	.missing_key = "the first message has no xi_api_key"

static const struct tts_socket_api elevenlabs_door_stream = {.session = &elevenlabs_sockets_stream,
							     IN_BAND};
static const struct tts_socket_api elevenlabs_door_multi = {.session = &elevenlabs_sockets_multi,
							    IN_BAND};

static const struct tts_socket_api elevenlabs_door_scribe = {.session = &elevenlabs_sockets_scribe,
							     .tells_refusals = true};

/* What all HTTP routes for speech have in common. */
#define SPEECH                                                                                     \
	.read = elevenlabs_body_read, .voice_place = SPEECH_VOICE_IN_PATH,                         \
	.find_voice = elevenlabs_voice_ids_find, .format = "mp3_44100_128",                        \
	.format_query = "output_format", .cost_header = COST_HEADER

static const struct speech_api elevenlabs_door_speech = {SPEECH};
static const struct speech_api elevenlabs_door_timed = {SPEECH, .form = &timestamp_body_object};
static const struct speech_api elevenlabs_door_timed_lines = {SPEECH,
							      .form = &timestamp_body_lines};

static const struct transcription_api elevenlabs_door_transcription = {.file_name = "file",
								       .read = scribe_body_read};

static const struct route elevenlabs_door_routes[] = {
	{"GET", "/v1/text-to-speech/{id}/stream-input", SOCKET, .handler = opening_start,
	 .socket = &elevenlabs_door_stream},
	{"GET", "/v1/text-to-speech/{id}/multi-stream-input", SOCKET, .handler = opening_start,
	 .socket = &elevenlabs_door_multi, .token_path = STREAM_INPUT},
	{"POST", "/v1/text-to-speech/{id}", AUTH_SPEAK, .handler = speech_http_speak,
	 .speech = &elevenlabs_door_speech},
	{"POST", "/v1/text-to-speech/{id}/stream", AUTH_SPEAK, .handler = speech_http_speak,
	 .speech = &elevenlabs_door_speech},
	{"POST", "/v1/text-to-speech/{id}/with-timestamps", AUTH_SPEAK,
	 .handler = speech_http_speak, .speech = &elevenlabs_door_timed},
	{"POST", "/v1/text-to-speech/{id}/stream/with-timestamps", AUTH_SPEAK,
	 .handler = speech_http_speak, .speech = &elevenlabs_door_timed_lines},
	{"GET", "/v1/speech-to-text/realtime", AUTH_SPEAK, .handler = opening_start,
	 .socket = &elevenlabs_door_scribe},
	{"POST", "/v1/speech-to-text", AUTH_SPEAK | AUTH_STREAMED,
	 .handler = transcription_http_hear, .body_max = TRANSCRIPTION_HTTP_BODY_MAX,
	 .transcription = &elevenlabs_door_transcription},
	{"GET", "/v1/pronunciation-dictionaries", READ_WORDS, .handler = pronunciation_rest_list,
	 WORDS_MAX},
	{"POST", "/v1/pronunciation-dictionaries/add-from-rules", WRITE_WORDS,
	 .handler = pronunciation_rest_add, WORDS_MAX},
	{"POST", "/v1/pronunciation-dictionaries/add-from-file", WRITE_WORDS,
	 .handler = pronunciation_rest_add_file, WORDS_MAX},
	{"GET", "/v1/pronunciation-dictionaries/{id}", READ_WORDS,
	 .handler = pronunciation_rest_get, WORDS_MAX},
	{"PATCH", "/v1/pronunciation-dictionaries/{id}", WRITE_WORDS,
	 .handler = pronunciation_rest_change, WORDS_MAX},
	{"GET", "/v1/pronunciation-dictionaries/{id}/{id}/download", READ_WORDS,
	 .handler = pronunciation_rest_download, WORDS_MAX},
	{"POST", "/v1/pronunciation-dictionaries/{id}/add-rules", WRITE_WORDS,
	 .handler = pronunciation_rest_add_rules, WORDS_MAX},
	{"POST", "/v1/pronunciation-dictionaries/{id}/set-rules", WRITE_WORDS,
	 .handler = pronunciation_rest_set_rules, WORDS_MAX},
	{"POST", "/v1/pronunciation-dictionaries/{id}/remove-rules", WRITE_WORDS,
	 .handler = pronunciation_rest_remove_rules, WORDS_MAX},
	{"GET", "/v1/speech-engine", AUTH_SEE_VOICES, .handler = engine_list_get},
	{"POST", "/v1/speech-engine", WRITE_ENGINES, .handler = engine_rest_add, ENGINE_MAX},
	{"GET", "/v1/speech-engine/{id}", AUTH_SEE_VOICES, .handler = engine_rest_get},
	{"PATCH", "/v1/speech-engine/{id}", WRITE_ENGINES, .handler = engine_rest_change,
	 ENGINE_MAX},
	{"DELETE", "/v1/speech-engine/{id}", WRITE_ENGINES, .handler = engine_rest_remove},
	{"POST", "/v1/speech-engine/{id}/duplicate", WRITE_ENGINES,
	 .handler = engine_rest_duplicate},
	{"GET", "/v1/convai/conversation", AUTH_OPTIONAL, .handler = convai_route_open},
	{"GET", "/v1/convai/conversation/get-signed-url", STORE_SCOPE_SPEAK,
	 .handler = conversation_rest_sign},
	{"GET", "/v1/convai/conversation/get_signed_url", STORE_SCOPE_SPEAK,
	 .handler = conversation_rest_sign},
	{"GET", "/v1/convai/conversation/token", 0, .handler = conversation_rest_token},
	{"GET", "/v1/voices", AUTH_SEE_VOICES, .handler = elevenlabs_voice_list},
	{"GET", "/v1/voices/{id}", AUTH_SEE_VOICES, .handler = elevenlabs_voice_get},
	{"GET", "/v2/voices", AUTH_SEE_VOICES, .handler = voice_search_list},
	{"GET", "/v1/voices/settings/default", AUTH_SEE_VOICES, .handler = voice_settings_default},
	{"GET", "/v1/voices/{id}/settings", AUTH_SEE_VOICES, .handler = voice_settings_get},
	{"POST", "/v1/voices/{id}/settings/edit", STORE_SCOPE_VOICES,
	 .handler = voice_settings_change},
	{"GET", "/v1/models", AUTH_OPTIONAL, .handler = elevenlabs_models_list},
	{"GET", "/v1/user", AUTH_SEE_VOICES, .handler = user_rest_get},
	{"GET", "/v1/user/subscription", AUTH_SEE_VOICES, .handler = user_rest_subscription},
	{"GET", "/v1/history", AUTH_SEE_VOICES, .handler = user_rest_history},
	{"GET", "/v1/usage/character-stats", STORE_SCOPE_READ, .handler = user_rest_usage},
	{"POST", "/v1/single-use-token/{id}", STORE_SCOPE_SPEAK,
	 .handler = single_use_token_rest_add},
	{"GET", "/health", 0, .handler = health_get},
	{0},
};

static const char *const elevenlabs_door_key_headers[] = {"xi-api-key", NULL};
static const char *const elevenlabs_door_key_queries[] = {"authorization", "single_use_token",
							  NULL};

/* The paths that ElevenLabs' clients use, whether they are served or not, so that errors have the
 * right shape.  A request with the header xi-api-key counts as ElevenLabs' on any other path that
 * is not in the `paths` of another door (elevenlabs_door_client_paths). */
static const char *const elevenlabs_door_paths[] = {
	"/11labs/",
	"/v1/text-to-speech",
	"/v1/text-to-dialogue",
	"/v1/text-to-voice",
	"/v1/single-use-token",
	"/v1/pronunciation-dictionaries",
	"/v1/usage/character-stats",
	"/v1/shared-voices",
	"/v1/similar-voices",
	"/v1/sound-generation",
	"/v1/speech-to-speech",
	"/v1/speech-to-text",
	"/v1/speech-engine",
	"/v1/audio-isolation",
	"/v1/audio-native",
	"/v1/forced-alignment",
	"/v1/dubbing",
	"/v1/music",
	"/v1/studio",
	"/v1/convai",
	"/v1/workspace",
	NULL,
};
static const char *const elevenlabs_door_exposed[] = {REQUEST_ID_HEADER, COST_HEADER, NULL};
static const char *const elevenlabs_door_client_paths[] = {"/", NULL};

const struct door elevenlabs_door = {
	.name = "elevenlabs",
	.routes = elevenlabs_door_routes,
	.prefix = "/11labs",
	.key_headers = elevenlabs_door_key_headers,
	.key_queries = elevenlabs_door_key_queries,
	.errors = &elevenlabs_errors,
	.paths = elevenlabs_door_paths,
	.client_header = "xi-api-key",
	.client_paths = elevenlabs_door_client_paths,
	.find_voice = elevenlabs_voice_ids_find,
	.check_config = elevenlabs_voice_ids_check_config,
	.request_id_header = REQUEST_ID_HEADER,
	.exposed_headers = elevenlabs_door_exposed,
	.engine_tokens = &elevenlabs_engine_tokens,
};
