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

enum error_client shape_client(const struct http_request *request)
{
	if (shape_is_elevenlabs(request))
		return ERROR_CLIENT_ELEVENLABS;
	return http_header(request, "x-api-key") ? ERROR_CLIENT_KUGELAUDIO : ERROR_CLIENT_ANY;
}
