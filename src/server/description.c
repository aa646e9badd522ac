/*
 * description.c: GET /openapi.json and GET /asyncapi.json: the machine-readable descriptions of the
 * API.
 *
 * The documents are generated during the build from docs/api and the tables in C, and are part of
 * the binary.  Tests compare them with the running server, in both directions.
 */
#include "server/descriptions.h"
#include "server/server_private.h"

void description_openapi(const struct route_call *call)
{
	answer_json(call, 200, descriptions_openapi, descriptions_openapi_len);
}

void description_asyncapi(const struct route_call *call)
{
	answer_json(call, 200, descriptions_asyncapi, descriptions_asyncapi_len);
}
