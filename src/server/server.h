/*
 * server.h: runs the server process.
 */
#ifndef SERVER_SERVER_H
#define SERVER_SERVER_H

#include "server/config.h"
#include "server/door.h"
#include "store/store.h"

/* Events that the caller may handle; each may be NULL.  They are called on the loop's thread unless
 * they say otherwise. */
struct server_events {
	/* The store is open and nothing uses it yet.  An error aborts the start. */
	int (*store_opened)(struct store *store, void *arg);
	/* Called instead of store_opened if the store cannot be reached yet.  An error aborts the
	 * start. */
	int (*store_awaited)(void *arg);
	/* After store_awaited: the store has become reachable.  Does what store_opened would have
	 * done, on one of the store's threads.  After an error it is called again later; after
	 * success, store_in_use is called on the loop's thread. */
	int (*store_reached)(struct store *store, void *arg);
	void (*store_in_use)(void *arg);
	/* Reads the configuration again on SIGHUP.  Only agents and certificates are taken from
	 * it.  After an error, which is logged, the agents stay the same, and the certificate files
	 * of the running configuration are still read again. */
	int (*reload)(struct config *fresh, struct buf *errors, void *arg);
	/* The server accepts connections at HOST:PORT, where a configured port 0 has been replaced
	 * by the port that the kernel chose. */
	void (*listening)(const char *address, void *arg);
	/* Appends the command that would start this server on another address, for a message. */
	int (*command)(struct buf *command, const char *address, void *arg);
	void *arg;
};

/* Serves until a signal ends it.  `doors` are the vendors' APIs to serve, terminated by NULL.
 * Returns an errno, after logging the reason, if the start fails or the server cannot continue. */
int server_main(const struct config *config, const struct door *const *doors,
		const struct server_events *events);

#endif
