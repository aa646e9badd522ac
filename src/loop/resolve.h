/*
 * resolve.h: the addresses of a host, without blocking the loop.
 *
 * Names are looked up on libuv's threads; addresses that are written as numbers
 * need no look-up.
 */
#ifndef LOOP_RESOLVE_H
#define LOOP_RESOLVE_H

#include <netdb.h>

#include "loop/loop.h"

struct resolve;

/* What was found, in the order to try, or NULL and why not.  Valid until the
 * look-up is dereferenced, which is allowed here. */
typedef void(resolve_h)(const struct addrinfo *found, const char *why, void *arg);

/* The handler comes once, from the loop, never from inside this call.
 * mem_deref gives the look-up up: the handler hears nothing more. */
int resolve_start(struct resolve **resolvep, struct loop *loop, const char *host, const char *port,
		  resolve_h *handler, void *arg);

#endif
