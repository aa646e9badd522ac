/*
 * listener.h: accepts connections on one address.
 *
 * When descriptors run out, accepting pauses for LISTENER_PAUSE_MS instead of
 * spinning; the clients wait in the kernel's queue.
 */
#ifndef NET_LISTENER_H
#define NET_LISTENER_H

#include <stddef.h>
#include <stdint.h>

#include "loop/loop.h"

enum { LISTENER_PAUSE_MS = 100 };

struct listener;

/* A connected, non-blocking, close-on-exec socket: the handler's to close. */
typedef void(listener_accept_h)(void *arg, int fd);

/* `address` is HOST:PORT, [IPV6]:PORT, or :PORT for every address.  Names are
 * looked up here, which blocks: for start-up only.  Port 0 lets the kernel
 * choose.  EINVAL for an address of no such form, EADDRNOTAVAIL for an unknown
 * host, else what bind or listen say. */
int listener_alloc(struct listener **listenerp, struct loop *loop, const char *address,
		   listener_accept_h *accept, void *arg);

/* An address of the same host that can be listened on now: one of the next LISTENER_FREE_MAX
 * ports.  Blocks like listener_alloc.  EINVAL, EADDRNOTAVAIL when all are taken. */
enum { LISTENER_FREE_MAX = 100 };
int listener_find_free(char *free_address, size_t size, const char *address);
/* Whether the address could be listened on, without listening: the errno of listener_alloc. */
int listener_try(const char *address);

/* With a socket that listens already, and may do so in another process too
 * (handover.h); it is the listener's, and closed if that fails. */
int listener_adopt(struct listener **listenerp, struct loop *loop, int fd,
		   listener_accept_h *accept, void *arg);

uint16_t listener_port(const struct listener *listener);

/* Lent. */
int listener_fd(const struct listener *listener);

/* Stops listening at once; the memory goes from the loop, later.  Who waits in the
 * kernel's queue is turned away, unless the socket is another process' too. */
void listener_close(struct listener *listener);

#endif
