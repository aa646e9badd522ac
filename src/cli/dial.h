/*
 * dial.h: a blocking connection to an HTTP server, plain or TLS, optionally through a proxy.
 *
 * For a process that does nothing else meanwhile (see download.h). A server that sends nothing
 * for DIAL_SILENCE_S, or for the time of dial_set_silence, is considered dead: ETIMEDOUT.
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

/* How to reach servers. The strings are not copied. */
struct dial_options {
	struct tls *tls; /* for https */
	const char *proxy; /* http://[user:password@]host[:port]; NULL or "" for none */
};

struct dial {
	int fd;
	SSL *ssl; /* NULL for a plain connection */
	bool asks_proxy; /* requests are sent to a proxy and must contain the full URL */
	char proxy_authorization[512]; /* the header line for the proxy, or "" */
};

/* Connects to the server. On failure, `why` has the reason, and there is nothing to close. */
int dial_open(struct dial *dial, const struct url *url, const struct dial_options *options,
	      char why[DIAL_WHY_SIZE]);
void dial_close(struct dial *dial);

void dial_set_silence(struct dial *dial, int seconds);

/* Writes all bytes; returns 0 or an errno. */
int dial_write(struct dial *dial, const char *bytes, size_t len);

/* Waits until some bytes have arrived and reads them, at most `size`; *count is 0 at the end of the
 * stream. Returns 0 or an errno. */
int dial_read(struct dial *dial, size_t *count, char *bytes, size_t size);

#endif
