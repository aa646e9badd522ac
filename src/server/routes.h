/*
 * routes.h: the interface of the route tables to the rest of the program.
 */
#ifndef SERVER_ROUTES_H
#define SERVER_ROUTES_H

#include <stdbool.h>
#include <stddef.h>

#include "server/door.h"

/* The routes that belong to no vendor, in the form of a door. */
extern const struct door routes_own;

/* Returns the path that a token for `path` is bound to: the pattern of a route that can speak,
 * without a door's prefix.  NULL: no such route.  The string is static. */
const char *routes_token_path(const struct door *const *doors, const char *path);

/* Writes the pattern of the route that answers a GET of the path; false if there is none. */
bool routes_pattern(char *pattern, size_t size, const struct door *const *doors, const char *path);

#endif
