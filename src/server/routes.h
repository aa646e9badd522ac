/*
 * routes.h: what there is to know of the routes outside of the server.
 */
#ifndef SERVER_ROUTES_H
#define SERVER_ROUTES_H

#include <stdbool.h>
#include <stddef.h>

#include "server/door.h"

/* The routes that are no vendor's, as if they were a door. */
extern const struct door routes_own;

/* What a token for the path is bound to: a route to speak through, by its pattern without a door's
 * prefix.  NULL: nobody can speak there.  Static. */
const char *routes_token_path(const struct door *const *doors, const char *path);

/* Writes the pattern of the route that answers a GET of the path; false: there is none. */
bool routes_pattern(char *pattern, size_t size, const struct door *const *doors, const char *path);

#endif
