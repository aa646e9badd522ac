/*
 * health.c: is the process alive, should it get traffic.
 *
 * /health answers as long as the loop turns.  /ready is the gate of a load
 * balancer: 503 while there is no voice, while the store was never reached, and from the
 * first moment of a drain.
 * Before the engines have answered nobody can ask: the doors are closed, until
 * an engine that does not start has kept the others long enough.
 */
#include <stdio.h>
#include <string.h>

#include "server/server_private.h"

void health_get(const struct route_call *call)
{
	static const char body[] = "{\"status\":\"healthy\"}";

	answer_json(call, 200, body, strlen(body));
}

void health_ready(const struct route_call *call)
{
	static const char ready[] =
		"{\"status\":\"ready\",\"model_path\":\"\",\"multi_model\":true}";
	const struct server *server = call->server;
	const char *reason = NULL;
	char not_ready[160];

	if (server->draining)
		reason = "the server is ending";
	else if (server->store_wait.is_waiting)
		reason = "the store has not been reached yet";
	else if (voices_count(pool_voices(server->pool)) == 0)
		reason = "there are no voices yet";
	if (!reason) {
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
