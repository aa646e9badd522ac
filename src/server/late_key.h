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

/* The first message has a key, settings and perhaps some text: vendors' clients send a few
 * hundred bytes.  Its sender is not authenticated yet. */
#define LATE_KEY_MESSAGE_MAX (64 * 1024)

/* What is kept while the key is looked up.  The connection is not read meanwhile, so this is
 * the first message and what arrived in the same read. */
#define LATE_KEY_KEPT_MAX (256 * 1024)

struct late_key;

/* One of these is called, once; `refused` may also follow `known`, if more is received than
 * can be kept until it is replayed. */
struct late_key_ops {
	void (*known)(void *arg, struct member *member); /* lent */
	void (*refused)(void *arg, enum wire_error_id id, const char *detail);
};

int late_key_alloc(struct late_key **latep, struct server *server, unsigned scopes,
		   const struct late_key_ops *ops, void *arg);

/* A message of the client. */
void late_key_message(struct late_key *late, const char *json, size_t len);

/* The connection must not continue: calls `refused`, unless it was called already. */
void late_key_refuse(struct late_key *late, enum wire_error_id id, const char *detail);

/* The memory of the kept input. */
size_t late_key_held_bytes(const struct late_key *late);

bool late_key_was_refused(const struct late_key *late);

/* All messages that were kept, in their order; they are gone then. */
void late_key_replay(struct late_key *late, void (*say)(void *arg, char *json, size_t len),
		     void *arg);

#endif
