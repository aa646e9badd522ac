/*
 * shape.c: whose shapes a request wants (see shape.h).
 */
#include "server/shape.h"

#include <string.h>

#include "wire/error_shape.h"

bool shape_is_elevenlabs(const struct http_request *request)
{
	static const char root[] = "/11labs/";

	return strncmp(request->path, root, strlen(root)) == 0 ||
	       http_header(request, "xi-api-key");
}

void shape_answer_error(const struct route_call *call, enum wire_error_id id, const char *detail)
{
	const struct error_shape *shape = &error_shape_elevenlabs;
	struct buf *scratch = &call->server->scratch;
	const struct wire_notice notice = {
		.id = id, .detail = detail, .request_id = call->request_id};

	if (!shape_is_elevenlabs(call->request)) {
		answer_error(call, id, detail);
		return;
	}
	scratch->len = 0;
	if (shape->write(scratch, &notice) == 0)
		answer_json(call, shape->status(id), scratch->bytes, scratch->len);
}
