/*
 * late_key.h: a key that comes in the first message of a WebSocket.
 *
 * Some clients cannot set headers and do not want their key in an address.  What
 * they say is kept until their key is known, and then said again.  mem_deref
 * ends it at any time but inside its own handlers.
 */
#ifndef SERVER_LATE_KEY_H
#define SERVER_LATE_KEY_H

#include "server/server_private.h"

#define LATE_KEY_MS 10000 /* for the first message */
#define LATE_KEY_KEPT_MAX (1024 * 1024) /* bytes: one message as long as any may be */

struct late_key;

/* One of these is called, once. */
struct late_key_ops {
	void (*known)(void *arg, struct member *member); /* lent */
	void (*refused)(void *arg, enum wire_error_id id, const char *detail);
};

int late_key_alloc(struct late_key **latep, struct server *server, unsigned scopes,
		   const struct late_key_ops *ops, void *arg);

/* A message of the client. */
void late_key_message(struct late_key *late, const char *json, size_t len);

/* All messages that were kept, in their order; they are gone then. */
void late_key_replay(struct late_key *late, void (*say)(void *arg, char *json, size_t len),
		     void *arg);

#endif
