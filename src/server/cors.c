/*
 * cors.c: decides which web pages may send requests, and answers preflight requests (see origin.h).
 *
 * Runs on the loop's thread.
 */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "server/origin.h"
#include "server/server_private.h"

/* How long browsers may cache the answer to a preflight request. */
#define PREFLIGHT_SECONDS "7200"

static void cors_refuse(const struct route_call *call, const char *what, const char *name,
			const char *key)
{
	char detail[200];

	snprintf(detail, sizeof(detail), "%s %.80s is not one of %s in the configuration", what,
		 name, key);
	answer_error(call, WIRE_ERROR_FORBIDDEN, detail);
}

/* Lists the headers that pages may read: request ids, Retry-After, and those of the doors. */
static void cors_list_exposed(char *list, size_t size, const struct door *const *doors)
{
	size_t len = (size_t)snprintf(list, size, "x-request-id");

	for (; *doors; ++doors) {
		for (const char *const *name = (*doors)->exposed_headers; name && *name; ++name) {
			len += (size_t)snprintf(list + len, size - len, ", %s", *name);
			assert(len < size);
		}
	}
	snprintf(list + len, size - len, ", retry-after");
}

static void cors_allow(const struct route_call *call, const char *origin)
{
	char exposed[256];

	cors_list_exposed(exposed, sizeof(exposed), call->server->doors);
	http_reply_header(call->request, "Access-Control-Allow-Origin", origin);
	http_reply_header(call->request, "Access-Control-Expose-Headers", exposed);
	http_reply_header(call->request, "Vary", "Origin");
}

static void cors_answer_preflight(const struct route_call *call)
{
	const char *headers = http_header(call->request, "access-control-request-headers");

	http_reply_header(call->request, "Access-Control-Allow-Methods",
			  "GET, HEAD, POST, PUT, PATCH, DELETE");
	/* All requested headers are allowed, because a key may be in any of them. */
	if (headers)
		http_reply_header(call->request, "Access-Control-Allow-Headers", headers);
	http_reply_header(call->request, "Access-Control-Max-Age", PREFLIGHT_SECONDS);
	answer_empty(call);
}

bool cors_admit(const struct route_call *call)
{
	const struct config *config = call->server->config;
	const struct origin_rules rules = {
		.listen = config->listen,
		.hosts = config->hosts,
		.origins = config->origins,
	};
	const struct origin_claim claim = {
		.host = http_header(call->request, "host"),
		.origin = http_header(call->request, "origin"),
	};

	/* Browsers always send a Host; a request without one comes from another program. */
	if (claim.host && !origin_knows_host(&rules, claim.host)) {
		cors_refuse(call, "the host", claim.host, "server.hosts");
		return false;
	}
	if (!claim.origin)
		return true;
	if (!origin_is_allowed(&rules, &claim)) {
		cors_refuse(call, "the page", claim.origin, "server.origins");
		return false;
	}
	cors_allow(call, claim.origin);
	if (strcmp(call->request->method, "OPTIONS") != 0 ||
	    !http_header(call->request, "access-control-request-method"))
		return true;
	cors_answer_preflight(call);
	return false;
}
