/*
 * answer.c: HTTP answers in the product's shapes.
 */
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#include "base/clock.h"
#include "server/server_private.h"
#include "wire/error_shape.h"

void answer_make_request_id(char id[REQUEST_ID_LEN + 1])
{
	uint64_t value;

	if (getrandom(&value, sizeof(value), GRND_NONBLOCK) != (ssize_t)sizeof(value))
		value = clock_monotonic_us(); /* it only has to tell requests apart */
	snprintf(id, REQUEST_ID_LEN + 1, "req_%016llx", (unsigned long long)value);
}

void answer_json(const struct route_call *call, int status, const char *json, size_t len)
{
	http_reply_header(call->request, "x-request-id", call->request_id);
	http_reply(call->request, status, "application/json", json, len);
}

void answer_empty(const struct route_call *call)
{
	http_reply_header(call->request, "x-request-id", call->request_id);
	http_reply(call->request, 204, NULL, NULL, 0);
}

void answer_error(const struct route_call *call, enum wire_error_id id, const char *detail)
{
	const struct error_shape *shape = error_shape_of(call->request->path);
	struct buf *scratch = &call->server->scratch;
	const struct wire_notice notice = {
		.id = id, .detail = detail, .request_id = call->request_id};

	scratch->len = 0;
	if (shape->write(scratch, &notice) != 0)
		return; /* unanswered: the HTTP server says 500 */
	answer_json(call, shape->status(id), scratch->bytes, scratch->len);
}
