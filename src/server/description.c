/*
 * description.c: GET /openapi.json and GET /asyncapi.json: what this server speaks, for
 * programs to read.
 *
 * The documents are made from docs/api and the tables in C when the server is built, and are part
 * of the binary.  Tests compare them with the running server, in both directions.
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
