/*
 * answer.c: HTTP answers in the product's shapes.
 */
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#include "base/clock.h"
#include "server/server_private.h"
#include "wire/reply.h"

void answer_make_request_id(char id[REQUEST_ID_LEN + 1])
{
	uint64_t value;

	if (getrandom(&value, sizeof(value), GRND_NONBLOCK) != (ssize_t)sizeof(value))
		value = clock_monotonic_us(); /* it only has to tell requests apart */
	snprintf(id, REQUEST_ID_LEN + 1, "req_%016llx", (unsigned long long)value);
}

void answer_json(struct http_request *request, int status, const char *json, size_t len)
{
	http_reply(request, status, "application/json", json, len);
}

void answer_error(struct server *server, struct http_request *request, enum wire_error_id id,
		  const char *request_id)
{
	server->scratch.len = 0;
	if (reply_error(&server->scratch, NULL, id, NULL, request_id) != 0)
		return; /* unanswered: the HTTP server says 500 */
	if (request_id)
		http_reply_header(request, "x-request-id", request_id);
	answer_json(request, wire_error_get(id)->number, server->scratch.bytes,
		    server->scratch.len);
}
