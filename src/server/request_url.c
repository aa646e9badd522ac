/*
 * request_url.c: the address of this server as a client knows it (see request_url.h).
 *
 * Runs on the loop's thread, or on a thread that holds a reference to the request.
 */
#include "server/request_url.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "server/server_private.h"

int request_url_socket(char url[REQUEST_URL_SIZE], const struct route_call *call)
{
	const char *host = http_header(call->request, "host");
	const char *proto = http_header(call->request, "x-forwarded-proto");
	bool is_tls = call->server->tls || (proto && strcasecmp(proto, "https") == 0);
	const char *public_url = call->server->config->public_url;
	int len;

	if (public_url[0]) { /* "http" and "https" become "ws" and "wss" */
		len = snprintf(url, REQUEST_URL_SIZE, "ws%s", public_url + strlen("http"));
		return len > 0 && len < REQUEST_URL_SIZE ? 0 : EINVAL;
	}
	if (!host || !host[0])
		return EINVAL;
	len = snprintf(url, REQUEST_URL_SIZE, "%s://%s", is_tls ? "wss" : "ws", host);
	return len > 0 && len < REQUEST_URL_SIZE ? 0 : EINVAL;
}
