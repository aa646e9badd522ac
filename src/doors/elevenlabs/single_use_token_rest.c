/*
 * single_use_token_rest.c: POST /v1/single-use-token/{type}: makes a token for one WebSocket, for a
 * web page that must not see the API key.
 *
 * Runs on the store's thread (see store_request.h) except for the route at the end.
 */
#include "doors/elevenlabs/elevenlabs.h"

#include <string.h>

#include "base/count.h"
#include "server/routes.h"
#include "server/token_rest.h"

#define TOKEN_SECONDS 900 /* how long ElevenLabs' tokens are valid */

static const struct {
	const char *type;
	const char *path; /* one that the token is valid for */
} types[] = {
	{"tts_websocket", "/v1/text-to-speech/any/stream-input"},
	{"realtime_scribe", "/v1/speech-to-text/realtime"},
	{"batch_scribe", "/v1/speech-to-text"},
};

static int single_use_token_rest_make(struct store_request *request, struct store *store)
{
	const struct door *const *doors = request->call.server->doors;
	int64_t expires_ms; /* not part of the answer: clients know TOKEN_SECONDS */

	for (size_t i = 0; i < COUNT(types); ++i) {
		if (strcmp(request->call.id_texts[0], types[i].type) == 0)
			return token_rest_make(request, store,
					       routes_token_path(doors, types[i].path),
					       TOKEN_SECONDS, &expires_ms);
	}
	return store_request_refuse(
		request, WIRE_ERROR_INVALID_REQUEST,
		"the type must be tts_websocket, realtime_scribe or batch_scribe");
}

void single_use_token_rest_add(const struct route_call *call)
{
	store_request_run(call, &store_subject_accounts, single_use_token_rest_make, NULL);
}
