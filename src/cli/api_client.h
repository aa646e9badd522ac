/*
 * api_client.h: sends GET requests to a server over HTTP, one after the other, for commands.
 *
 * Runs on an event loop. A request that gets no answer is reported as well.
 */
#ifndef CLI_API_CLIENT_H
#define CLI_API_CLIENT_H

#include <stddef.h>

#include "loop/loop.h"

/* The time limit for a complete answer. A busy server answers within a few milliseconds. */
#define API_CLIENT_TIMEOUT_MS 5000

/* The maximum size of an answer including its headers. /metrics has about 15 KiB. */
#define API_CLIENT_ANSWER_MAX (1024u * 1024u)

struct api_client;

struct api_client_options {
	const char *base; /* http://HOST:PORT */
	const char *key; /* may be NULL */
	const char *ca_file; /* NULL: the system's certificate authorities */
};

struct api_client_answer {
	const char *why; /* why there is no answer; NULL if the answer is complete */
	unsigned status;
	char *body; /* NUL-terminated; may be modified */
	size_t len;
};

/* Called with the answer. The handler may call api_client_get again, but must not dereference the
 * client. */
typedef void(api_client_h)(const struct api_client_answer *answer, void *arg);

/* Does not take a reference to the loop. On failure, `why` has the reason in words. */
int api_client_alloc(struct api_client **clientp, struct loop *loop,
		     const struct api_client_options *options, char *why, size_t why_size);

/* Starts a request; there can be only one at a time. The handler is called exactly once, later,
 * and never after the client was released. */
int api_client_get(struct api_client *client, const char *path, api_client_h *handler, void *arg);

#endif
