/*
 * listener.h: accepts connections on one address.
 *
 * The port is shared (SO_REUSEPORT), so that a new process of an upgrade
 * listens before the old one has stopped.  When descriptors run out, accepting
 * pauses for LISTENER_PAUSE_MS instead of spinning; the clients wait in the
 * kernel's queue.
 */
#ifndef NET_LISTENER_H
#define NET_LISTENER_H

#include <stdbool.h>
#include <stdint.h>

#include "loop/loop.h"

enum { LISTENER_PAUSE_MS = 100 };

struct listener;

/* A connected, non-blocking, close-on-exec socket: the handler's to close. */
typedef void(listener_accept_h)(void *arg, int fd);

/* `address` is HOST:PORT, [IPV6]:PORT, or :PORT for every address.  Names are
 * looked up here, which blocks: for start-up only.  Port 0 lets the kernel
 * choose.  With `share`, an address that another process of ours listens on is
 * taken as well.  EINVAL for an address of no such form, EADDRNOTAVAIL for an
 * unknown host, else what bind or listen say. */
int listener_alloc(struct listener **listenerp, struct loop *loop, const char *address, bool share,
		   listener_accept_h *accept, void *arg);

uint16_t listener_port(const struct listener *listener);

/* Lets in all who wait in the kernel's queue: before listener_close, which would
 * turn them away. */
void listener_accept_waiting(struct listener *listener);

/* Stops listening at once; the memory goes from the loop, later. */
void listener_close(struct listener *listener);

#endif
