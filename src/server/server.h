/*
 * server.h: the server process, whole.
 */
#ifndef SERVER_SERVER_H
#define SERVER_SERVER_H

#include "server/config.h"
#include "server/door.h"
#include "store/store.h"

/* Events that the caller may handle; each may be NULL. */
struct server_events {
	/* The store is open and nobody uses it yet; an error ends the start. */
	int (*store_opened)(struct store *store, void *arg);
	/* Or it cannot be reached yet; an error ends the start. */
	int (*store_awaited)(void *arg);
	/* Then, when it can be: what store_opened would have done, on a thread of the store;
	 * after an error it is called again.  When it was not, the next one on the loop. */
	int (*store_came)(struct store *store, void *arg);
	void (*store_in_use)(void *arg);
	/* SIGHUP: reads the configuration again, of which the agents are taken; an
	 * error (told) leaves all as it is. */
	int (*reload)(struct config *fresh, struct buf *errors, void *arg);
	/* Callers can come: HOST:PORT, with the port that the kernel chose for 0. */
	void (*listening)(const char *address, void *arg);
	/* Appends the command that would start this server on another address, for a message. */
	int (*command)(struct buf *command, const char *address, void *arg);
	void *arg;
};

/* Serves until a signal ends it.  `doors` are the vendors' APIs that are served, up to a NULL.  What
 * went wrong before that was logged. */
int server_main(const struct config *config, const struct door *const *doors,
		const struct server_events *events);

#endif
