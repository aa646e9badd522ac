/*
 * resolve.h: the addresses of a host, without blocking the loop.
 *
 * Addresses that are written as numbers need no look-up.  A name is looked up on
 * a thread of its own, which nobody waits for: one that hangs delays neither
 * other names nor the end of the program.  Who asks for a name that is being
 * looked up waits for the same thread, so that there are as many as names.
 */
#ifndef LOOP_RESOLVE_H
#define LOOP_RESOLVE_H

#include <netdb.h>

#include "loop/loop.h"

/* Names that are being looked up: two for each of sixteen agents, and as many
 * that hang since before a change of them. */
enum { RESOLVER_NAMES_MAX = 64 };

struct resolver;
struct resolve;

/* mem_deref ends it, when those who asked are gone. */
int resolver_alloc(struct resolver **resolverp, struct loop *loop);

/* What was found, in the order to try, or NULL and why not.  Valid until the
 * question is dereferenced, which is allowed here. */
typedef void(resolve_h)(const struct addrinfo *found, const char *why, void *arg);

/* The handler comes once, from the loop, never from inside this call.
 * mem_deref gives the question up: the handler hears nothing more.  EAGAIN when
 * too many names are being looked up, or there is no thread to be had. */
int resolve_start(struct resolve **resolvep, struct resolver *resolver, const char *host,
		  const char *port, resolve_h *handler, void *arg);

#endif
