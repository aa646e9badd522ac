/*
 * dial.h: a blocking connection to an HTTP server, plain or TLS, through a proxy
 * where one is named.
 *
 * For a process that does nothing else meanwhile (see download.h).  A server
 * that is silent for DIAL_SILENCE_S is taken for dead.
 */
#ifndef CLI_DIAL_H
#define CLI_DIAL_H

#include <openssl/ssl.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "net/tls.h"
#include "net/url.h"

#define DIAL_SILENCE_S 60
#define DIAL_WHY_SIZE 512

/* How to reach servers; the strings are lent. */
struct dial_options {
	struct tls *tls; /* for https */
	const char *proxy; /* http://[user:password@]host[:port]; NULL or empty: none */
};

struct dial {
	int fd;
	SSL *ssl; /* NULL: plain */
	bool asks_proxy; /* requests are for a proxy, and name the whole address */
	char proxy_authorization[512]; /* a header for it, or empty */
};

/* After a failure `why` says what went wrong, and there is nothing to close. */
int dial_open(struct dial *dial, const struct url *url, const struct dial_options *options,
	      char why[DIAL_WHY_SIZE]);
void dial_close(struct dial *dial);

int dial_write(struct dial *dial, const char *bytes, size_t len);

/* *count is 0 at the end. */
int dial_read(struct dial *dial, size_t *count, char *bytes, size_t size);

#endif
