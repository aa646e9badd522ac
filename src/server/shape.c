/*
 * shape.c: whose shapes a request wants (see shape.h).
 */
#include "server/shape.h"

#include <string.h>

bool shape_is_elevenlabs(const struct http_request *request)
{
	static const char root[] = "/11labs/";

	return strncmp(request->path, root, strlen(root)) == 0 ||
	       http_header(request, "xi-api-key");
}
