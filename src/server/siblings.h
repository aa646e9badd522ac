/*
 * siblings.h: the servers that run with one data directory.
 *
 * A server that listens holds a slot of DIR/syrinx.servers: a lock on the slot's bytes, which say
 * its process id, its address, whether it is draining, and its URL.  The kernel releases the lock when the
 * process ends, however it ends, so that an entry never outlives its server.  The number of the
 * slot also names the socket through which it hands over its listener (net/handover.h), so that
 * the end of one server does not make the others unreachable.
 *
 * The previous release knows DIR/syrinx.pid, which names the server that started last, and
 * DIR/syrinx.lock, of which every server holds a shared lock.  Both are maintained for it, and read to
 * find it.
 *
 * Behind the slots is a byte for the store: every server holds a shared lock on it from before it opens
 * the store until it ends, and a command that replaces the store holds an exclusive one.  It is not
 * syrinx.lock, because that is taken later, and tried by others.
 */
#ifndef SERVER_SIBLINGS_H
#define SERVER_SIBLINGS_H

#include <stdbool.h>

enum { SIBLINGS_MAX = 64, SIBLINGS_URL_SIZE = 300 };

struct siblings {
	const char *data_dir; /* lent */
	const char *address; /* that this server listens on, as configured; lent */
	int servers_fd;
	int lock_fd; /* -1: no share is held */
	int slot; /* -1: none is held */
	char url[SIBLINGS_URL_SIZE]; /* where commands on this machine reach this server */
};

/* Another server of this data directory that listens on this address. */
struct sibling {
	long pid;
	int slot; /* -1: it is of the previous release */
	bool is_draining;
	char url[SIBLINGS_URL_SIZE]; /* "": it is not known */
	int next; /* where siblings_next continues */
};

/* Opens the list; nobody is on it yet.  After an error it is an empty list. */
int siblings_open(struct siblings *siblings, const char *data_dir, const char *address);
void siblings_close(struct siblings *siblings);

/* To be called before the store is opened.  As long as this server lives, nobody can replace the store
 * (siblings_exclude).  EBUSY: somebody is doing that. */
int siblings_use_store(struct siblings *siblings);

/* For a command that replaces the store: no server of the directory runs, and none can start until
 * siblings_close.  EBUSY: one runs or is starting.  Files that root makes for that belong to the
 * owner of the directory. */
int siblings_exclude(struct siblings *siblings);

/* Takes a slot, if none is held, and a share of the lock.  ENOSPC when SIBLINGS_MAX servers run. */
int siblings_join(struct siblings *siblings);

/* Says where this server is reached: the port is the one that is open, not the 0 that stands for
 * any. */
void siblings_set_url(struct siblings *siblings, bool has_tls, unsigned port);

/* Writes the entry of this server and, unless it is draining, its process id into syrinx.pid. */
int siblings_note(struct siblings *siblings, bool is_draining);

/* Gives up the slot: this server does not listen any more.  If syrinx.pid named it and
 * another one serves the address, syrinx.pid names that one, which is given; else false. */
bool siblings_leave(struct siblings *siblings, struct sibling *heir);

/* Whether the last server of this data directory had this address, alive or not. */
bool siblings_has_been(const struct siblings *siblings);

/* The next of them; begin with {0}.  Nobody is a sibling if the kernel chooses the port: then
 * each server has one of its own. */
bool siblings_next(struct sibling *sibling, const struct siblings *siblings);

/* One that is not draining: clients who connect are served by it. */
bool siblings_find_serving(struct sibling *sibling, const struct siblings *siblings);

#endif
