/*
 * health.c: is the process alive, should it get traffic.
 *
 * /health answers as long as the loop turns.  /ready is the gate of a load
 * balancer: 503 while there is no voice and from the first moment of a drain.
 * Before the engines have answered nobody can ask: the doors are closed, until
 * an engine that does not start has kept the others long enough.
 */
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
	static const char not_ready[] =
		"{\"status\":\"not_ready\",\"model_path\":\"\",\"multi_model\":true}";
	const struct server *server = call->server;
	bool is_ready = !server->draining && voices_count(pool_voices(server->pool)) > 0;
	const char *body = is_ready ? ready : not_ready;

	answer_probe(call, is_ready ? 200 : 503, body, strlen(body));
}
