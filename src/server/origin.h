/*
 * origin.h: decides which web pages may use this server.
 *
 * A web page can send requests to any address, including one that only its user can reach.  Two
 * headers identify the page: Origin, and Host, which a page can control only if its own domain name
 * resolves to this server (DNS rebinding).  That attack needs a domain, so a Host that is an IP
 * address or a name without a dot is safe.  Programs other than browsers send no Origin and only
 * need their key.  Pure, for any thread.
 */
#ifndef SERVER_ORIGIN_H
#define SERVER_ORIGIN_H

#include <stdbool.h>
#include <stddef.h>

/* The operator's settings; see server.hosts and server.origins. */
struct origin_rules {
	const char *listen; /* HOST:PORT */
	const char *hosts; /* names separated by spaces; for "" see origin_knows_host */
	const char *origins; /* the same for origins, or "*" */
};

/* The headers of a request; NULL where one is missing. */
struct origin_claim {
	const char *host;
	const char *origin;
};

/* Whether the Host is acceptable: it is one of `hosts`, or the server listens only on this machine
 * and it is not a domain name.  A server that others can reach accepts every Host if `hosts` is
 * empty. */
bool origin_knows_host(const struct origin_rules *rules, const char *host);

/* Whether the Origin is acceptable: the page is ours, is one of `origins`, or comes from this
 * machine if the server only serves this machine.  A value that is not an origin (RFC 6454: scheme
 * "://" host [":" port]) is allowed only if it is listed literally, or if everything is allowed. */
bool origin_is_allowed(const struct origin_rules *rules, const struct origin_claim *claim);

/* Finds the first word of `origins` that no page can send, such as a URL with a path; false if
 * there is none. */
#define ORIGIN_SIZE 512 /* enough for a scheme, the longest host name and a port */
bool origin_find_mistake(char word[ORIGIN_SIZE], const char *origins);

#endif
