/*
 * resolve.h: the addresses of a host, without blocking the loop.
 *
 * Addresses that are written as numbers need no look-up.  A name is looked up on a thread of its
 * own, which nobody waits for: one that hangs delays neither other names nor the end of the
 * program.  Questions about a name that is already being looked up share its thread, so there are
 * no more threads than names.
 */
#ifndef LOOP_RESOLVE_H
#define LOOP_RESOLVE_H

#include <netdb.h>

#include "loop/loop.h"

/* Names that are looked up at the same time: two for each of sixteen agents, and as many again
 * that have been hanging since before the agents were changed. */
enum { RESOLVER_NAMES_MAX = 64 };

struct resolver;
struct resolve;

/* Call mem_deref only when all its questions have been given up or answered. */
int resolver_alloc(struct resolver **resolverp, struct loop *loop);

/* Receives the addresses in the order in which to try them, or NULL and the reason.  They are valid
 * until the question is dereferenced, which the handler may do. */
typedef void(resolve_h)(const struct addrinfo *found, const char *why, void *arg);

/* The handler is called once, from the loop, never from inside this call.  mem_deref gives the
 * question up: the handler is not called any more.  Fails with EAGAIN if too many names are being
 * looked up or no thread can be started. */
int resolve_start(struct resolve **resolvep, struct resolver *resolver, const char *host,
		  const char *port, resolve_h *handler, void *arg);

#endif
