/*
 * routes.c: path → handler.
 *
 * The routes that belong to no vendor are in the table below, those of vendors' APIs in the tables
 * of the doors.  {id} in a path matches one segment, which is a number or, for voices, a name.
 * Anything else is an id that does not exist, and the handler reports what was not found.  Runs on
 * the loop's thread.
 */
#include "server/routes.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "server/resource.h"
#include "server/server_private.h"
#include "server/speech_engine.h"

static const struct route routes_own_table[] = {
	{"GET", "/", 0, .handler = page_get},
	{"GET", "/web/{id}", 0, .handler = page_get},
	{"GET", "/metrics", 0, .handler = metrics_page_get},
	{"GET", "/health", 0, .handler = health_get},
	{"GET", "/ready", 0, .handler = health_ready},
	{"GET", "/openapi.json", 0, .handler = description_openapi},
	{"GET", "/asyncapi.json", 0, .handler = description_asyncapi},
	{"GET", "/v1/agents", STORE_SCOPE_SPEAK, .handler = agent_rest_list},
	{"GET", "/ws/talk/{id}", AUTH_SPEAK | AUTH_FORBIDS, .handler = agent_rest_talk},
	{"POST", "/v1/normalize", STORE_SCOPE_ADMIN, .handler = normalize_rest_text},
	{"GET", "/v1/usage", STORE_SCOPE_READ, .handler = usage_rest_sum},
	{"GET", "/v1/usage/turns", STORE_SCOPE_READ, .handler = usage_rest_turns},
	{"POST", "/v1/tokens", STORE_SCOPE_SPEAK, .handler = token_rest_add},
	{"GET", "/v1/admin/accounts", STORE_SCOPE_ADMIN, .handler = resource_list,
	 .resource = &account_rest_accounts},
	{"POST", "/v1/admin/accounts", STORE_SCOPE_ADMIN, .handler = resource_add,
	 .resource = &account_rest_accounts},
	{"GET", "/v1/admin/accounts/{id}", STORE_SCOPE_ADMIN, .handler = resource_get,
	 .resource = &account_rest_accounts},
	{"PATCH", "/v1/admin/accounts/{id}", STORE_SCOPE_ADMIN, .handler = resource_change,
	 .resource = &account_rest_accounts},
	{"GET", "/v1/admin/accounts/{id}/top-ups", STORE_SCOPE_ADMIN, .handler = resource_list,
	 .resource = &account_rest_top_ups},
	{"POST", "/v1/admin/accounts/{id}/top-ups", STORE_SCOPE_ADMIN, .handler = resource_add,
	 .resource = &account_rest_top_ups},
	{"GET", "/v1/admin/projects", STORE_SCOPE_ADMIN, .handler = resource_list,
	 .resource = &account_rest_projects},
	{"POST", "/v1/admin/projects", STORE_SCOPE_ADMIN, .handler = resource_add,
	 .resource = &account_rest_projects},
	{"GET", "/v1/admin/keys", STORE_SCOPE_ADMIN, .handler = resource_list,
	 .resource = &key_rest_keys},
	{"POST", "/v1/admin/keys", STORE_SCOPE_ADMIN, .handler = resource_add,
	 .resource = &key_rest_keys},
	{"GET", "/v1/admin/keys/{id}", STORE_SCOPE_ADMIN, .handler = resource_get,
	 .resource = &key_rest_keys},
	{"PATCH", "/v1/admin/keys/{id}", STORE_SCOPE_ADMIN, .handler = resource_change,
	 .resource = &key_rest_keys},
	{"DELETE", "/v1/admin/keys/{id}", STORE_SCOPE_ADMIN, .handler = resource_remove,
	 .resource = &key_rest_keys},
	{0},
};

static const char *const routes_own_paths[] = {
	"/ws/", "/v1/normalize", "/v1/agents", "/v1/usage", "/v1/tokens", "/v1/admin/", NULL,
};

const struct door routes_own = {
	.name = "own",
	.routes = routes_own_table,
	.errors = &error_shape_native,
	.paths = routes_own_paths,
};

/* The values of {id} in a path. */
struct route_ids {
	int64_t numbers[ROUTE_IDS_MAX];
	const char *texts[ROUTE_IDS_MAX];
};

/* Converts digits that fit in an int64_t; anything else is 0. */
static int64_t routes_to_id(const char *text, size_t len)
{
	int64_t id = 0;

	for (size_t i = 0; i < len; ++i) {
		if (text[i] < '0' || text[i] > '9' || __builtin_mul_overflow(id, 10, &id) ||
		    __builtin_add_overflow(id, text[i] - '0', &id))
			return 0;
	}
	return id;
}

static bool routes_pattern_fits(const char *pattern, const char *path, struct route_ids *ids)
{
	static const char mark[] = "{id}";
	size_t count = 0;

	while (*pattern) {
		if (strncmp(pattern, mark, strlen(mark)) == 0) {
			size_t len = strcspn(path, "/");

			if (len == 0)
				return false;
			ids->texts[count] = path;
			ids->numbers[count++] = routes_to_id(path, len);
			pattern += strlen(mark);
			path += len;
		} else if (*pattern++ != *path++) {
			return false;
		}
	}
	return *path == '\0';
}

/* Whether a route matches the path, with or without the door's prefix; `method` NULL matches any
 * method. */
static bool routes_fits(const struct route *route, const struct door *door, const char *method,
			const char *path, struct route_ids *ids)
{
	size_t len = door->prefix ? strlen(door->prefix) : 0;

	/* HEAD is a GET whose body the HTTP server leaves out. */
	if (method && strcmp(method, route->method) != 0 &&
	    (strcmp(method, "HEAD") != 0 || strcmp(route->method, "GET") != 0))
		return false;
	return routes_pattern_fits(route->path, path, ids) ||
	       (len > 0 && strncmp(path, door->prefix, len) == 0 &&
		routes_pattern_fits(route->path, path + len, ids));
}

static const struct route *routes_find_in(const struct door *door, const char *method,
					  const char *path, struct route_ids *ids)
{
	for (const struct route *route = door->routes; route->path; ++route) {
		if (routes_fits(route, door, method, path, ids))
			return route;
	}
	return NULL;
}

/* Finds a route.  The client's door (the result of door_client; NULL: not known) takes precedence,
 * then the server's own routes, then the other doors in the order of the list. */
static const struct route *routes_find(const struct door *const *doors, const struct door *client,
				       const char *method, const char *path, struct route_ids *ids)
{
	const struct route *route = client ? routes_find_in(client, method, path, ids) : NULL;

	if (!route)
		route = routes_find_in(&routes_own, method, path, ids);
	for (; *doors && !route; ++doors)
		route = routes_find_in(*doors, method, path, ids);
	return route;
}

size_t routes_body_max(const char *method, const char *path, void *arg)
{
	const struct server *server = arg;
	struct route_ids ids;
	const struct route *route = routes_find(server->doors, NULL, method, path, &ids);

	return route && route->body_max ? route->body_max : HTTP_BODY_MAX;
}

bool routes_pattern(char *pattern, size_t size, const struct door *const *doors, const char *path)
{
	struct route_ids ids;
	const struct route *route = routes_find(doors, NULL, "GET", path, &ids);
	const char *prefix = "";

	if (!route)
		return false;
	for (; *doors && !routes_pattern_fits(route->path, path, &ids); ++doors) {
		if ((*doors)->prefix && routes_find_in(*doors, "GET", path, &ids) == route)
			prefix = (*doors)->prefix;
	}
	snprintf(pattern, size, "%s%s", prefix, route->path);
	return true;
}

static const char *routes_token_path_in(const struct door *door, const char *path)
{
	struct route_ids ids;

	for (const struct route *route = door->routes; route->path; ++route) {
		if ((route->scopes & AUTH_SPEAK) == AUTH_SPEAK &&
		    routes_fits(route, door, NULL, path, &ids))
			return route->token_path ? route->token_path : route->path;
	}
	return NULL;
}

const char *routes_token_path(const struct door *const *doors, const char *path)
{
	const char *found = routes_token_path_in(&routes_own, path);

	for (; *doors && !found; ++doors)
		found = routes_token_path_in(*doors, path);
	return found;
}

/* Adds the methods that a door has for the path and that are not in the list yet. */
static void routes_list_methods(char *list, size_t size, const struct door *door, const char *path)
{
	struct route_ids ids;

	for (const struct route *route = door->routes; route->path; ++route) {
		const char *names = strcmp(route->method, "GET") == 0 ? "GET, HEAD" : route->method;
		size_t len = strlen(list);

		if (routes_fits(route, door, NULL, path, &ids) && !strstr(list, names))
			snprintf(list + len, size - len, "%s%s", len ? ", " : "", names);
	}
}

static void routes_refuse(const struct route_call *call)
{
	char methods[64] = "";

	routes_list_methods(methods, sizeof(methods), &routes_own, call->request->path);
	for (const struct door *const *door = call->server->doors; *door; ++door)
		routes_list_methods(methods, sizeof(methods), *door, call->request->path);
	if (methods[0] == '\0') {
		answer_error(call, WIRE_ERROR_NO_ROUTE, NULL);
		return;
	}
	http_reply_header(call->request, "allow", methods);
	answer_error(call, WIRE_ERROR_METHOD, NULL);
}

void routes_handle(struct http_request *request, void *arg)
{
	struct server *server = arg;
	const struct door *client = door_client(server->doors, request);
	struct route_ids ids = {0};
	const struct route *route =
		routes_find(server->doors, client, request->method, request->path, &ids);
	struct route_call call = {
		.server = server,
		.request = request,
		.route = route,
		.door = door_of(server->doors, &routes_own, request->path, client),
		.begun_us = clock_monotonic_us(),
	};

	memcpy(call.ids, ids.numbers, sizeof(call.ids));
	memcpy(call.id_texts, ids.texts, sizeof(call.id_texts));
	answer_make_request_id(call.request_id);
	if (request->path[0] == '\0') {
		answer_error(&call, WIRE_ERROR_INVALID_REQUEST, "a bad escape in the path");
		return;
	}
	/* Speech engines are not subject to cors_admit: they connect under any host name, also
	 * through tunnels, and no web page can send their token. */
	if (!route && speech_engine_open(&call))
		return;
	if (!cors_admit(&call))
		return;
	if (!route)
		routes_refuse(&call);
	else if (route->scopes)
		auth_request(&call, route->scopes, route->handler);
	else
		route->handler(&call);
}
