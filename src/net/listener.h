/*
 * listener.h: accepts connections on one address.
 *
 * When the process has no file descriptor left, accepting pauses for LISTENER_PAUSE_MS instead of
 * spinning; the clients wait in the kernel's queue.
 */
#ifndef NET_LISTENER_H
#define NET_LISTENER_H

#include <stddef.h>
#include <stdint.h>

#include "loop/loop.h"

enum { LISTENER_PAUSE_MS = 100 };

struct listener;

/* Receives a connected, non-blocking, close-on-exec socket, which it must close.  It may close the
 * listener. */
typedef void(listener_accept_h)(void *arg, int fd);

/* `address` is HOST:PORT, [IPV6]:PORT, or :PORT for every address.  Names are looked up here, which
 * blocks, so this is for start-up only.  With port 0 the kernel chooses one.  EINVAL for an address
 * of another form, EADDRNOTAVAIL for an unknown host, else the error of bind or listen. */
int listener_alloc(struct listener **listenerp, struct loop *loop, const char *address,
		   listener_accept_h *accept, void *arg);

/* Finds an address of the same host that can be listened on: one of the next LISTENER_FREE_MAX
 * ports.  Blocks like listener_alloc.  EINVAL for an address of another form, EADDRNOTAVAIL if all
 * ports are taken. */
enum { LISTENER_FREE_MAX = 100 };
int listener_find_free(char *free_address, size_t size, const char *address);

/* Returns 0 if the address could be listened on, else the errno of listener_alloc, without
 * listening. */
int listener_try(const char *address);

/* Uses a socket that already listens, and may do so in another process too (handover.h).  The
 * listener owns it; it is closed if the call fails. */
int listener_adopt(struct listener **listenerp, struct loop *loop, int fd,
		   listener_accept_h *accept, void *arg);

uint16_t listener_port(const struct listener *listener);

/* The listener keeps the descriptor. */
int listener_fd(const struct listener *listener);

/* Stops listening at once; the loop frees the memory later.  Clients that wait in the kernel's
 * queue are refused, unless another process has the socket too. */
void listener_close(struct listener *listener);

#endif
