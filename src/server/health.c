/*
 * health.c: GET /health and GET /ready: is the process alive, and should it receive traffic?
 *
 * /health answers as long as the loop runs.  /ready is for load balancers: it answers 503 until
 * every engine has loaded or has permanently failed, while no voice can speak, until the store has
 * been reached for the first time, and from the beginning of a drain.  A server that cannot listen,
 * because it has no models, is ready: it says so to those who ask for it.  Runs on the loop's thread.
 */
#include <stdio.h>
#include <string.h>

#include "server/server_private.h"

void health_get(const struct route_call *call)
{
	static const char body[] = "{\"status\":\"healthy\"}";

	answer_json(call, 200, body, strlen(body));
}

/* The catalogue also contains the voices of engines that have failed. */
static bool health_has_voice(const struct voices *voices)
{
	for (size_t i = 0; i < voices_count(voices); ++i) {
		if (voices_at(voices, i)->status != VOICE_UNAVAILABLE)
			return true;
	}
	return false;
}

/* Returns why the server should not receive traffic, or NULL if it should. */
static const char *health_unready_reason(const struct server *server, char *reason, size_t size)
{
	const char *loading = pool_loading(server->pool);

	if (!loading)
		loading = hearing_pool_loading(server->hearing_pool);

	if (server->draining)
		return "the server is ending";
	if (server->store_wait.is_waiting)
		return "the store has not been reached yet";
	if (loading) {
		snprintf(reason, size, "the engine %s is loading", loading);
		return reason;
	}
	return health_has_voice(pool_voices(server->pool)) ? NULL : "there are no voices yet";
}

void health_ready(const struct route_call *call)
{
	size_t voices = voices_count(pool_voices(call->server->pool));
	char loading[64];
	const char *reason = health_unready_reason(call->server, loading, sizeof(loading));
	char not_ready[224];
	char ready[128];

	if (!reason) {
		snprintf(ready, sizeof(ready),
			 "{\"status\":\"ready\",\"model_path\":\"\",\"multi_model\":true,"
			 "\"voices\":%zu}",
			 voices);
		answer_probe(call, 200, ready, strlen(ready));
		return;
	}
	snprintf(not_ready, sizeof(not_ready),
		 "{\"status\":\"not_ready\",\"reason\":\"%s\",\"model_path\":\"\","
		 "\"multi_model\":true}",
		 reason);
	http_reply_header(call->request, "retry-after", "1");
	answer_probe(call, 503, not_ready, strlen(not_ready));
}
