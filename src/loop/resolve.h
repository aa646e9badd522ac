/*
 * resolve.h: finds the addresses of a host without blocking the loop.
 *
 * Numeric addresses need no look-up.  Each name is looked up on its own detached thread, so a
 * look-up that hangs delays neither other names nor the end of the program.  Requests for a name
 * that is already being looked up share its thread, so there are no more threads than names.
 */
#ifndef LOOP_RESOLVE_H
#define LOOP_RESOLVE_H

#include <netdb.h>

#include "loop/loop.h"

/* The maximum of concurrent look-ups: two for each of sixteen agents, and as many again that may
 * hang since before the agents were changed. */
enum { RESOLVER_NAMES_MAX = 64 };

struct resolver;
struct resolve;

/* Call mem_deref only when all its requests have been cancelled or answered. */
int resolver_alloc(struct resolver **resolverp, struct loop *loop);

/* Receives the addresses in the order in which to try them, or NULL and the reason.  They are valid
 * until the request is dereferenced, which the handler may do. */
typedef void(resolve_h)(const struct addrinfo *found, const char *why, void *arg);

/* The handler is called once, from the loop, never from inside this call.  mem_deref cancels the
 * request, and its handler is not called.  EAGAIN if too many names are being looked up or no
 * thread can be started. */
int resolve_start(struct resolve **resolvep, struct resolver *resolver, const char *host,
		  const char *port, resolve_h *handler, void *arg);

#endif
