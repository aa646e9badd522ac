/*
 * rest_world.h: sends HTTP requests to a route's handler over a socket pair.  There is no network;
 * the store is a SQLite file that exists only for the test.
 */
#ifndef TEST_SERVER_REST_WORLD_H
#define TEST_SERVER_REST_WORLD_H

#include "server/server_private.h"

struct rest_world {
	struct server server;
	struct store_key key; /* the caller's key; initially a master key of the default project */
	struct store
		*store; /* another handle of the server's store, like that of another process */
	/* Its handler gets every request.  The path's {id} is what follows the last '/'. */
	struct route route;

	/* The last answer */
	int status;
	char head[1024], body[65536];
};
extern struct rest_world rest_world;

int rest_world_open(void **state);
int rest_world_close(void **state); /* fails if an object has not been released */

/* Sends a request and waits for its answer.  In the body (NULL: none), ' is replaced by ". */
void rest_world_ask(const char *method, const char *path, const char *body);

/* The same; fails the test unless the answer is this one, in which ' is replaced by ". */
void rest_world_expect(const char *method, const char *path, const char *body, int status,
		       const char *answer);

#endif
