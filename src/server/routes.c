/*
 * routes.c: path → handler, one row each.
 */
#include <string.h>

#include "base/count.h"
#include "server/server_private.h"

typedef void(route_h)(struct server *server, struct http_request *request);

struct route {
	const char *method;
	const char *path;
	route_h *open_handler; /* anyone may */
	auth_next_h *key_handler; /* who has a key may */
};

static const struct route routes[] = {
	{"GET", "/health", health_get, NULL},
	{"GET", "/ready", health_ready, NULL},
	{"GET", "/ws/tts/multi", NULL, tts_socket_open_multi},
	{"GET", "/ws/tts/stream", NULL, tts_socket_open_stream},
};

static bool method_fits(const struct route *route, const char *method)
{
	/* HEAD is GET whose body the HTTP server leaves out. */
	return strcmp(method, route->method) == 0 ||
	       (strcmp(method, "HEAD") == 0 && strcmp(route->method, "GET") == 0);
}

static void follow(struct server *server, struct http_request *request, const struct route *route)
{
	if (route->open_handler)
		route->open_handler(server, request);
	else
		auth_request(server, request, route->key_handler);
}

void routes_handle(struct http_request *request, void *arg)
{
	struct server *server = arg;
	enum wire_error_id error = WIRE_ERROR_NO_ROUTE;
	char request_id[REQUEST_ID_LEN + 1];

	for (size_t i = 0; i < COUNT(routes); ++i) {
		if (strcmp(request->path, routes[i].path) != 0)
			continue;
		if (method_fits(&routes[i], request->method)) {
			follow(server, request, &routes[i]);
			return;
		}
		error = WIRE_ERROR_METHOD;
	}
	answer_make_request_id(request_id);
	if (error == WIRE_ERROR_METHOD)
		http_reply_header(request, "allow", "GET, HEAD");
	answer_error(server, request, error, request_id);
}
