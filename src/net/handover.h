/*
 * handover.h: passes a listening socket to the process that replaces this one.
 *
 * A server offers its socket through a Unix socket in its directory, which only its own user can
 * reach.  Both processes then accept from one queue, so the old one can close its descriptor at any
 * time without losing a client that waits in the queue.  With separate sockets (SO_REUSEPORT) each
 * process would have its own queue, and the kernel would reset connections that arrive between a
 * process's last accept and its close.
 *
 * Several servers that share a directory may offer their sockets at the same time, each under the
 * number of its slot, which the caller assigns, so that the others can still be asked when one ends
 * or dies.  The server that offered last can also be found without a number, which is how the
 * previous release asks.
 */
#ifndef NET_HANDOVER_H
#define NET_HANDOVER_H

#include <sys/types.h>

#include "loop/loop.h"

struct handover;

/* Called when a process has received the socket.  The handler may close the offer. */
typedef void(handover_taken_h)(void *arg, pid_t pid);

enum { HANDOVER_ANY = -1 }; /* instead of a slot's number */

/* Offers `fd`, which the caller keeps, as the socket of `address`.  This replaces the offers of
 * other servers in this directory under the same slot number and under HANDOVER_ANY.  ENAMETOOLONG
 * for an address of 512 bytes or more. */
int handover_offer(struct handover **handoverp, struct loop *loop, const char *dir, int slot,
		   const char *address, int fd, handover_taken_h *taken, void *arg);

/* Ends the offer; the loop frees the memory later.  The name of the Unix socket stays in the
 * directory, where handover_take finds that nobody answers it (ENOENT). */
void handover_close(struct handover *handover);

/* Receives the listening socket that another process offers; it is close-on-exec, and the caller
 * must close it.  Blocks until the other process answers, for at most HANDOVER_MS, so it is for
 * start-up only.  ENOENT if no process offers a socket of this address, EAGAIN if the other process
 * does not answer. */
enum { HANDOVER_MS = 10000 };
int handover_take(int *fdp, const char *dir, int slot, const char *address);

/* Makes the server of this slot, in the directory `path`, the one that is found without a
 * number. */
int handover_point(const char *path, int slot);

#endif
