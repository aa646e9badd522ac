/*
 * siblings.h: the servers that share one data directory.
 *
 * A server that listens holds a slot of DIR/syrinx.servers: a lock on the slot's bytes, which
 * contain its process id, its address, whether it is draining, and its URL.  The kernel releases
 * the lock when the process ends, however it ends, so that an entry never outlives its server.  The
 * number of the slot also names the socket through which the server hands over its listener
 * (net/handover.h), so that the end of one server does not make the others unreachable.
 *
 * The previous release knows DIR/syrinx.pid, which names the server that started last, and
 * DIR/syrinx.lock, on which every server holds a shared lock.  Both are maintained for it, and read
 * to find it.  Commands that look for a running server read syrinx.pid as well.
 *
 * After the slots is a byte for the store: every server holds a shared lock on it from before it
 * opens the store until it ends, and a command that replaces the store holds an exclusive one.
 * syrinx.lock is not used for this, because a server takes it later, and others try to take it.
 */
#ifndef SERVER_SIBLINGS_H
#define SERVER_SIBLINGS_H

#include <stdbool.h>

enum { SIBLINGS_MAX = 64, SIBLINGS_URL_SIZE = 300 };

struct siblings {
	const char *data_dir; /* borrowed */
	const char *address; /* the configured address of this server; borrowed */
	int servers_fd;
	int lock_fd; /* -1: the shared lock is not held */
	int slot; /* -1: no slot is held */
	char url[SIBLINGS_URL_SIZE]; /* where commands on this machine can reach this server */
};

/* Another server of this data directory that listens on this address. */
struct sibling {
	long pid;
	int slot; /* -1: it is a server of the previous release */
	bool is_draining;
	char url[SIBLINGS_URL_SIZE]; /* "": not known */
	int next; /* where siblings_next continues */
};

/* Opens the list without taking a slot.  After an error it is an empty list. */
int siblings_open(struct siblings *siblings, const char *data_dir, const char *address);
void siblings_close(struct siblings *siblings);

/* Must be called before the store is opened.  While this server runs, no command can replace the
 * store (siblings_exclude).  Returns EBUSY if one is doing so. */
int siblings_use_store(struct siblings *siblings);

/* For a command that replaces the store: makes sure that no server of the directory runs, and that
 * none can start until siblings_close.  Returns EBUSY if one runs or is starting.  Files that root
 * creates for this belong to the owner of the directory. */
int siblings_exclude(struct siblings *siblings);

/* Takes a slot, unless one is held, and the shared lock.  Returns ENOSPC if SIBLINGS_MAX servers
 * run. */
int siblings_join(struct siblings *siblings);

/* Sets the URL of this server.  `port` is the port that is open, even if 0 (any) is configured. */
void siblings_set_url(struct siblings *siblings, bool has_tls, unsigned port);

/* Writes the entry of this server and, unless it is draining, its process id into syrinx.pid. */
int siblings_note(struct siblings *siblings, bool is_draining);

/* Gives up the slot, because this server no longer listens.  If syrinx.pid named this server and
 * another one serves the address, syrinx.pid names that one afterwards, *heir is set to it and true
 * is returned. */
bool siblings_leave(struct siblings *siblings, struct sibling *heir);

/* Whether the last server of this data directory had this address, whether it still runs or not. */
bool siblings_had_address(const struct siblings *siblings);

/* Finds the next sibling; start with {0}.  If the kernel chooses the port there are no siblings,
 * because each server then has a port of its own. */
bool siblings_next(struct sibling *sibling, const struct siblings *siblings);

/* Finds a sibling that is not draining, so that it serves clients that connect. */
bool siblings_find_serving(struct sibling *sibling, const struct siblings *siblings);

#endif
