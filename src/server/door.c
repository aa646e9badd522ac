/*
 * door.c: finds the API that a client uses (see door.h).
 */
#include "server/door.h"

#include <errno.h>
#include <string.h>

/* Returns the length of the longest string in the list that `path` begins with; 0: none. */
static size_t door_match(const char *const *paths, const char *path)
{
	size_t longest = 0;

	for (; paths && *paths; ++paths) {
		size_t len = strlen(*paths);

		if (len > longest && strncmp(path, *paths, len) == 0)
			longest = len;
	}
	return longest;
}

const struct door *door_client(const struct door *const *doors, const struct http_request *request)
{
	const struct door *client = NULL;

	for (; *doors; ++doors) {
		if ((*doors)->client_header && http_header(request, (*doors)->client_header))
			client = *doors;
	}
	return client;
}

const struct door *door_of(const struct door *const *doors, const struct door *own,
			   const char *path, const struct door *client)
{
	const struct door *found = own;
	size_t longest = door_match(own->paths, path);

	for (const struct door *const *door = doors; *door; ++door) {
		size_t len = door_match((*door)->paths, path);

		if (len > longest) {
			longest = len;
			found = *door;
		}
	}
	if (longest > 0)
		return found;
	if (client && door_match(client->client_paths, path) > 0)
		return client;
	for (const struct door *const *door = doors; *door; ++door) {
		if (door_match((*door)->shared_paths, path) > 0)
			return *door;
	}
	return own;
}

int door_check_config(const struct door *const *doors, const struct config *config,
		      struct buf *mistakes)
{
	int err = 0;

	for (; *doors; ++doors) {
		if ((*doors)->check_config && (*doors)->check_config(config, mistakes) != 0)
			err = EINVAL;
	}
	return err;
}
