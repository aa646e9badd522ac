/*
 * origin.h: which web pages may use this server.
 *
 * A page can send requests to any address, also to one that only its user can
 * reach.  Two headers tell whose page it is: Host, which a page cannot choose
 * unless its own name leads here (DNS rebinding), and Origin.  Programs send no
 * Origin, and are asked for their key alone.  For such a name one must own a domain,
 * so an address, or a name without a dot, is nobody's trick.
 */
#ifndef SERVER_ORIGIN_H
#define SERVER_ORIGIN_H

#include <stdbool.h>
#include <stddef.h>

/* What an operator has said; see server.hosts and server.origins. */
struct origin_rules {
	const char *listen; /* HOST:PORT */
	const char *hosts; /* names with blanks between them; "": see below */
	const char *origins; /* the same, or "*" */
};

/* What a request says of itself; NULL where a header is not there. */
struct origin_claim {
	const char *host;
	const char *origin;
};

/* By its Host: one of `hosts`; where none are named, every name of a server that
 * listens for others, and all that is no domain where it listens for itself. */
bool origin_knows_host(const struct origin_rules *rules, const char *host);

/* By its Origin: the page is ours, one of `origins`, or of this machine like the
 * server.  A value that is not an origin (RFC 6454: scheme "://" host [":" port]) is allowed only
 * if it is listed literally, or everything is allowed. */
bool origin_is_welcome(const struct origin_rules *rules, const struct origin_claim *claim);

/* The first word of `origins` that no page sends, such as an address with a path; false if there
 * is none. */
#define ORIGIN_SIZE 512 /* scheme, the longest name and a port fit well */
bool origin_find_mistake(char word[ORIGIN_SIZE], const char *origins);

#endif
