/*
 * routes.h: what there is to know of the routes outside of the server.
 */
#ifndef SERVER_ROUTES_H
#define SERVER_ROUTES_H

#include <stdbool.h>
#include <stddef.h>

/* The door that a path leads to, if it is one to speak through: its pattern, the same
 * with and without /11labs, and the same for both of ElevenLabs' sockets, whose
 * clients get one kind of token for them.  NULL: it is none.  Static. */
const char *routes_door(const char *path);

/* A row of the table, for tests that compare it with the descriptions of the API. */
struct routes_row {
	const char *method;
	const char *path;
	unsigned scopes; /* enum store_scope and AUTH_OPTIONAL */
};

/* The row at an index: false after the last one. */
bool routes_row(struct routes_row *row, size_t at);

/* The pattern of the route that a GET of the path comes to; NULL: there is none.  Static. */
const char *routes_pattern(const char *path);

#endif
