/*
 * routes.c: path → handler, one row each.
 *
 * {id} in a path stands for one part of it.  What is there is a number or, where
 * voices are meant, a name; else it is the id of nothing, and its handler says what
 * was not found.
 */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/count.h"
#include "server/routes.h"
#include "server/server_private.h"
#include "server/speech_engine.h"

#define READ_WORDS (STORE_SCOPE_READ | STORE_SCOPE_DICTIONARIES)
#define WRITE_WORDS STORE_SCOPE_DICTIONARIES
#define SPEAK (STORE_SCOPE_SPEAK | AUTH_AS_TURN)
#define CHANGE_VOICES STORE_SCOPE_VOICES

struct route {
	const char *method;
	const char *path;
	unsigned scopes; /* of which a key must have one; 0: anyone may */
	route_h *handler;
	size_t body_max; /* 0: HTTP_BODY_MAX */
};

/* A path of theirs, at the root and under the prefix that some clients are given. */
#define ELEVENLABS(method, path, handler)                                                          \
	{method, path, SPEAK, handler, 0},                                                         \
	{                                                                                          \
		method, "/11labs" path, SPEAK, handler, 0                                          \
	}

#define PRONUNCIATIONS "/v1/pronunciation-dictionaries"
#define WORDS(method, path, scopes, handler)                                                       \
	{method, PRONUNCIATIONS path, scopes, handler, DICTIONARY_REST_BODY_MAX},                  \
	{                                                                                          \
		method, "/11labs" PRONUNCIATIONS path, scopes, handler, DICTIONARY_REST_BODY_MAX   \
	}

static const struct route routes[] = {
	{"GET", "/", 0, page_get, 0},
	{"GET", "/web/{id}", 0, page_get, 0},
	{"GET", "/metrics", 0, metrics_page_get, 0},
	{"GET", "/health", 0, health_get, 0},
	{"GET", "/ready", 0, health_ready, 0},
	{"GET", "/openapi.json", 0, description_openapi, 0},
	{"GET", "/asyncapi.json", 0, description_asyncapi, 0},
	{"GET", "/ws/tts", SPEAK, tts_socket_open_once, 0},
	{"GET", "/ws/tts/multi", SPEAK, tts_socket_open_multi, 0},
	{"GET", "/ws/tts/stream", SPEAK, tts_socket_open_stream, 0},
	{"GET", "/v1/agents", STORE_SCOPE_SPEAK, agent_rest_list, 0},
	{"GET", "/ws/talk/{id}", SPEAK, agent_rest_talk, 0},
	/* Their keys may come in the first message. */
	{"GET", "/v1/text-to-speech/{id}/stream-input", 0, tts_socket_open_stream_input, 0},
	{"GET", "/11labs/v1/text-to-speech/{id}/stream-input", 0, tts_socket_open_stream_input, 0},
	{"GET", "/v1/text-to-speech/{id}/multi-stream-input", 0, tts_socket_open_multi_stream_input,
	 0},
	{"GET", "/11labs/v1/text-to-speech/{id}/multi-stream-input", 0,
	 tts_socket_open_multi_stream_input, 0},
	{"POST", "/v1/tts/generate", SPEAK, speech_http_generate, 0},
	{"POST", "/predict", SPEAK, speech_http_generate, 0},
	{"POST", "/v1/audio/speech", SPEAK, speech_http_openai, 0},
	{"POST", "/vapi/synthesize", SPEAK, speech_http_vapi, 0},
	ELEVENLABS("POST", "/v1/text-to-speech/{id}", speech_http_elevenlabs),
	ELEVENLABS("POST", "/v1/text-to-speech/{id}/stream", speech_http_elevenlabs),
	ELEVENLABS("POST", "/v1/text-to-speech/{id}/with-timestamps", speech_http_elevenlabs_timed),
	ELEVENLABS("POST", "/v1/text-to-speech/{id}/stream/with-timestamps",
		   speech_http_elevenlabs_timed_lines),
	{"GET", "/v1/dictionaries", READ_WORDS, dictionary_rest_list, 0},
	{"POST", "/v1/dictionaries", WRITE_WORDS, dictionary_rest_add, 0},
	{"GET", "/v1/dictionaries/{id}", READ_WORDS, dictionary_rest_get, 0},
	{"PATCH", "/v1/dictionaries/{id}", WRITE_WORDS, dictionary_rest_change, 0},
	{"DELETE", "/v1/dictionaries/{id}", WRITE_WORDS, dictionary_rest_remove, 0},
	{"GET", "/v1/dictionaries/{id}/entries", READ_WORDS, dictionary_rest_list_entries, 0},
	{"POST", "/v1/dictionaries/{id}/entries", WRITE_WORDS, dictionary_rest_add_entry, 0},
	{"PUT", "/v1/dictionaries/{id}/entries", WRITE_WORDS, dictionary_rest_replace_entries,
	 DICTIONARY_REST_BODY_MAX},
	{"PATCH", "/v1/dictionaries/{id}/entries/{id}", WRITE_WORDS, dictionary_rest_change_entry,
	 0},
	{"DELETE", "/v1/dictionaries/{id}/entries/{id}", WRITE_WORDS, dictionary_rest_remove_entry,
	 0},
	{"POST", "/v1/dictionaries/{id}/invalidate", STORE_SCOPE_ADMIN, dictionary_rest_invalidate,
	 0},
	WORDS("GET", "", READ_WORDS, pronunciation_rest_list),
	WORDS("POST", "/add-from-rules", WRITE_WORDS, pronunciation_rest_add),
	WORDS("POST", "/add-from-file", WRITE_WORDS, pronunciation_rest_add_file),
	WORDS("GET", "/{id}", READ_WORDS, pronunciation_rest_get),
	WORDS("PATCH", "/{id}", WRITE_WORDS, pronunciation_rest_change),
	WORDS("GET", "/{id}/{id}/download", READ_WORDS, pronunciation_rest_download),
	WORDS("POST", "/{id}/add-rules", WRITE_WORDS, pronunciation_rest_add_rules),
	WORDS("POST", "/{id}/set-rules", WRITE_WORDS, pronunciation_rest_set_rules),
	WORDS("POST", "/{id}/remove-rules", WRITE_WORDS, pronunciation_rest_remove_rules),
	{"GET", "/v1/voices", AUTH_SEE_VOICES, voice_rest_list, 0},
	{"GET", "/v1/voices/{id}", AUTH_SEE_VOICES, voice_rest_get, 0},
	{"POST", "/v1/voices", CHANGE_VOICES, voice_change_add, 0},
	{"PATCH", "/v1/voices/{id}", CHANGE_VOICES, voice_change_patch, 0},
	{"DELETE", "/v1/voices/{id}", CHANGE_VOICES, voice_change_remove, 0},
	{"GET", "/v1/voices/{id}/references", AUTH_SEE_VOICES, voice_change_references, 0},
	{"POST", "/v1/voices/{id}/references", CHANGE_VOICES, voice_change_not_available, 0},
	{"DELETE", "/v1/voices/{id}/references/{id}", CHANGE_VOICES, voice_change_not_available, 0},
	{"POST", "/v1/voices/{id}/publish", CHANGE_VOICES, voice_change_not_available, 0},
	{"PUT", "/v1/voices/{id}/avatar", CHANGE_VOICES, voice_change_not_available, 0},
	{"POST", "/v1/voices/{id}/generate-sample", CHANGE_VOICES | AUTH_AS_TURN, voice_sample_make,
	 0},
	{"GET", "/v1/voices/{id}/sample", AUTH_SEE_VOICES, voice_sample_get, 0},
	{"GET", "/v1/models", AUTH_OPTIONAL, model_rest_list, 0},
	{"GET", "/v1/models/{id}", AUTH_OPTIONAL, model_rest_get, 0},
	{"GET", "/v1/audio/models", AUTH_OPTIONAL, model_rest_list_audio, 0},
	{"GET", "/v1/audio/voices", AUTH_OPTIONAL, audio_rest_voices, 0},
	{"GET", "/v2/voices", AUTH_SEE_VOICES, voice_search_list, 0},
	{"GET", "/v1/voices/settings/default", AUTH_SEE_VOICES, voice_settings_default, 0},
	{"GET", "/v1/voices/{id}/settings", AUTH_SEE_VOICES, voice_settings_get, 0},
	{"POST", "/v1/voices/{id}/settings/edit", CHANGE_VOICES, voice_change_settings, 0},
	{"GET", "/v1/user", AUTH_SEE_VOICES, user_rest_get, 0},
	{"GET", "/v1/user/subscription", AUTH_SEE_VOICES, user_rest_subscription, 0},
	{"GET", "/v1/history", AUTH_SEE_VOICES, user_rest_history, 0},
	{"GET", "/v1/usage/character-stats", STORE_SCOPE_READ, user_rest_usage, 0},
	{"GET", "/11labs/v1/usage/character-stats", STORE_SCOPE_READ, user_rest_usage, 0},
	{"GET", "/11labs/health", 0, health_get, 0},
	{"GET", "/11labs/v1/voices", AUTH_SEE_VOICES, voice_rest_list, 0},
	{"GET", "/11labs/v1/voices/{id}", AUTH_SEE_VOICES, voice_rest_get, 0},
	{"GET", "/11labs/v2/voices", AUTH_SEE_VOICES, voice_search_list, 0},
	{"GET", "/11labs/v1/voices/settings/default", AUTH_SEE_VOICES, voice_settings_default, 0},
	{"GET", "/11labs/v1/voices/{id}/settings", AUTH_SEE_VOICES, voice_settings_get, 0},
	{"POST", "/11labs/v1/voices/{id}/settings/edit", CHANGE_VOICES, voice_change_settings, 0},
	{"GET", "/11labs/v1/models", AUTH_OPTIONAL, model_rest_list, 0},
	{"GET", "/11labs/v1/user", AUTH_SEE_VOICES, user_rest_get, 0},
	{"GET", "/11labs/v1/user/subscription", AUTH_SEE_VOICES, user_rest_subscription, 0},
	{"GET", "/11labs/v1/history", AUTH_SEE_VOICES, user_rest_history, 0},
	{"POST", "/v1/normalize", STORE_SCOPE_ADMIN, normalize_text, 0},
	{"GET", "/v1/usage", STORE_SCOPE_READ, usage_rest_sum, 0},
	{"GET", "/v1/usage/turns", STORE_SCOPE_READ, usage_rest_turns, 0},
	{"POST", "/v1/tokens", STORE_SCOPE_SPEAK, token_rest_add, 0},
	{"POST", "/v1/single-use-token/{id}", STORE_SCOPE_SPEAK, token_rest_add_single_use, 0},
	{"POST", "/11labs/v1/single-use-token/{id}", STORE_SCOPE_SPEAK, token_rest_add_single_use,
	 0},
	{"GET", "/v1/admin/accounts", STORE_SCOPE_ADMIN, account_rest_list, 0},
	{"POST", "/v1/admin/accounts", STORE_SCOPE_ADMIN, account_rest_add, 0},
	{"GET", "/v1/admin/accounts/{id}", STORE_SCOPE_ADMIN, account_rest_get, 0},
	{"PATCH", "/v1/admin/accounts/{id}", STORE_SCOPE_ADMIN, account_rest_change, 0},
	{"GET", "/v1/admin/accounts/{id}/top-ups", STORE_SCOPE_ADMIN, account_rest_list_top_ups, 0},
	{"POST", "/v1/admin/accounts/{id}/top-ups", STORE_SCOPE_ADMIN, account_rest_add_top_up, 0},
	{"GET", "/v1/admin/projects", STORE_SCOPE_ADMIN, account_rest_list_projects, 0},
	{"POST", "/v1/admin/projects", STORE_SCOPE_ADMIN, account_rest_add_project, 0},
	{"GET", "/v1/admin/keys", STORE_SCOPE_ADMIN, key_rest_list, 0},
	{"POST", "/v1/admin/keys", STORE_SCOPE_ADMIN, key_rest_add, 0},
	{"GET", "/v1/admin/keys/{id}", STORE_SCOPE_ADMIN, key_rest_get, 0},
	{"PATCH", "/v1/admin/keys/{id}", STORE_SCOPE_ADMIN, key_rest_change, 0},
	{"DELETE", "/v1/admin/keys/{id}", STORE_SCOPE_ADMIN, key_rest_revoke, 0},
};

/* What stands for {id} in a path. */
struct route_ids {
	int64_t numbers[ROUTE_IDS_MAX];
	const char *texts[ROUTE_IDS_MAX];
};

/* Digits alone, and no more than an int64_t holds; else 0. */
static int64_t to_id(const char *text, size_t len)
{
	int64_t id = 0;

	for (size_t i = 0; i < len; ++i) {
		if (text[i] < '0' || text[i] > '9' || __builtin_mul_overflow(id, 10, &id) ||
		    __builtin_add_overflow(id, text[i] - '0', &id))
			return 0;
	}
	return id;
}

static bool path_fits(const char *pattern, const char *path, struct route_ids *ids)
{
	static const char mark[] = "{id}";
	size_t count = 0;

	while (*pattern) {
		if (strncmp(pattern, mark, strlen(mark)) == 0) {
			size_t len = strcspn(path, "/");

			if (len == 0)
				return false;
			ids->texts[count] = path;
			ids->numbers[count++] = to_id(path, len);
			pattern += strlen(mark);
			path += len;
		} else if (*pattern++ != *path++) {
			return false;
		}
	}
	return *path == '\0';
}

static bool method_fits(const struct route *route, const char *method)
{
	/* HEAD is GET whose body the HTTP server leaves out. */
	return strcmp(method, route->method) == 0 ||
	       (strcmp(method, "HEAD") == 0 && strcmp(route->method, "GET") == 0);
}

static const struct route *find(const char *method, const char *path, struct route_ids *ids)
{
	for (size_t i = 0; i < COUNT(routes); ++i) {
		if (method_fits(&routes[i], method) && path_fits(routes[i].path, path, ids))
			return &routes[i];
	}
	return NULL;
}

size_t routes_body_max(const char *method, const char *path, void *arg)
{
	struct route_ids ids;
	const struct route *route = find(method, path, &ids);

	(void)arg;
	return route && route->body_max ? route->body_max : HTTP_BODY_MAX;
}

bool routes_row(struct routes_row *row, size_t at)
{
	if (at >= COUNT(routes))
		return false;
	*row = (struct routes_row){routes[at].method, routes[at].path, routes[at].scopes};
	return true;
}

const char *routes_pattern(const char *path)
{
	struct route_ids ids;
	const struct route *route = find("GET", path, &ids);

	return route ? route->path : NULL;
}

static bool is_door(const struct route *route)
{
	return route->scopes == SPEAK || route->handler == tts_socket_open_stream_input ||
	       route->handler == tts_socket_open_multi_stream_input;
}

const char *routes_door(const char *path)
{
	static const char prefix[] = "/11labs";
	struct route_ids ids;

	for (size_t i = 0; i < COUNT(routes); ++i) {
		if (!is_door(&routes[i]) || !path_fits(routes[i].path, path, &ids))
			continue;
		if (routes[i].handler == tts_socket_open_multi_stream_input)
			return "/v1/text-to-speech/{id}/stream-input";
		if (strncmp(routes[i].path, prefix, strlen(prefix)) == 0)
			return routes[i].path + strlen(prefix);
		return routes[i].path;
	}
	return NULL;
}

/* What else can be done with the path: "GET, HEAD, POST", "" for no path of ours. */
static void list_methods(char *out, size_t size, const char *path)
{
	struct route_ids ids;
	size_t len = 0;

	out[0] = '\0';
	for (size_t i = 0; i < COUNT(routes); ++i) {
		const char *method = routes[i].method;

		if (!path_fits(routes[i].path, path, &ids))
			continue;
		len += (size_t)snprintf(out + len, size - len, "%s%s", len ? ", " : "",
					strcmp(method, "GET") == 0 ? "GET, HEAD" : method);
	}
}

static void refuse(const struct route_call *call)
{
	char methods[64];

	list_methods(methods, sizeof(methods), call->request->path);
	if (methods[0] == '\0') {
		answer_error(call, WIRE_ERROR_NO_ROUTE, NULL);
		return;
	}
	http_reply_header(call->request, "allow", methods);
	answer_error(call, WIRE_ERROR_METHOD, NULL);
}

void routes_handle(struct http_request *request, void *arg)
{
	struct route_call call = {.server = arg, .request = request};
	struct route_ids ids = {0};
	const struct route *route = find(request->method, request->path, &ids);

	memcpy(call.ids, ids.numbers, sizeof(call.ids));
	memcpy(call.id_texts, ids.texts, sizeof(call.id_texts));
	answer_make_request_id(call.request_id);
	call.begun_us = clock_monotonic_us();
	if (request->path[0] == '\0') {
		answer_error(&call, WIRE_ERROR_INVALID_REQUEST, "a bad escape in the path");
		return;
	}
	/* Engines come under any name, through tunnels too; no page can send their
	 * token. */
	if (!route && speech_engine_open(&call))
		return;
	if (!cors_admit(&call))
		return;
	if (!route)
		refuse(&call);
	else if (route->scopes)
		auth_request(&call, route->scopes, route->handler);
	else
		route->handler(&call);
}
