/*
 * health.c: is the process alive, should it get traffic.
 *
 * /health answers as long as the loop turns.  /ready is the gate of a load
 * balancer: 503 until every engine has loaded or has failed for good, while no voice can be
 * heard, while the store was never reached, and from the first moment of a drain.
 */
#include <stdio.h>
#include <string.h>

#include "server/server_private.h"

void health_get(const struct route_call *call)
{
	static const char body[] = "{\"status\":\"healthy\"}";

	answer_json(call, 200, body, strlen(body));
}

/* Voices of engines that have failed are still in the catalogue. */
static bool any_voice_speaks(const struct voices *voices)
{
	for (size_t i = 0; i < voices_count(voices); ++i) {
		if (voices_at(voices, i)->status != VOICE_UNAVAILABLE)
			return true;
	}
	return false;
}

/* Why the server should get no traffic; NULL: it should. */
static const char *reason_to_wait(const struct server *server, char *reason, size_t size)
{
	const char *loading = pool_loading(server->pool);

	if (server->draining)
		return "the server is ending";
	if (server->store_wait.is_waiting)
		return "the store has not been reached yet";
	if (loading) {
		snprintf(reason, size, "the engine %s is loading", loading);
		return reason;
	}
	return any_voice_speaks(pool_voices(server->pool)) ? NULL : "there are no voices yet";
}

void health_ready(const struct route_call *call)
{
	size_t voices = voices_count(pool_voices(call->server->pool));
	char loading[64];
	const char *reason = reason_to_wait(call->server, loading, sizeof(loading));
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
