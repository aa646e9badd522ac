/*
 * handover.h: gives a listening socket to the process that takes over.
 *
 * A server offers its socket through a Unix socket in its directory, which only
 * its own user can reach.  Both processes then accept from one queue, so that
 * the old one can close its descriptor at any moment: nobody who waits there is
 * turned away.  With a socket each (SO_REUSEPORT) each would have a queue of its
 * own, and the kernel resets those who come to one between its last accept and
 * its close.
 *
 * Several servers of a directory may offer their sockets at the same time, each under the number of
 * its slot, which the caller hands out: so the others can still be asked when one ends or dies.  The
 * last one to offer is also found without a number, which is how the previous release asks.
 */
#ifndef NET_HANDOVER_H
#define NET_HANDOVER_H

#include <sys/types.h>

#include "loop/loop.h"

struct handover;

/* The socket was handed to a process.  The handler may close the offer. */
typedef void(handover_taken_h)(void *arg, pid_t pid);

enum { HANDOVER_ANY = -1 }; /* instead of a slot's number */

/* Offers `fd`, which the caller keeps, as the socket of `address`.  It replaces what other servers
 * have offered in this directory under the same number, or without one. */
int handover_offer(struct handover **handoverp, struct loop *loop, const char *dir, int slot,
		   const char *address, int fd, handover_taken_h *taken, void *arg);

/* Ends the offer; the loop frees the memory later. */
void handover_close(struct handover *handover);

/* Takes the socket that is offered there: a listening socket, close-on-exec, which the caller
 * closes.  Blocks until the other process answers, for at most HANDOVER_MS, so it is for start-up
 * only.  ENOENT if nobody offers a socket of this address, EAGAIN if the other process does not
 * answer. */
enum { HANDOVER_MS = 10000 };
int handover_take(int *fdp, const char *dir, int slot, const char *address);

/* Has the server of this slot answer those that ask without a number. */
int handover_point(const char *path, int slot);

#endif
