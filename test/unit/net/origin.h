/*
 * origin.h: an HTTP server for tests of clients, on the test's own loop.
 *
 * It takes requests apart only as far as to know where they end, and answers with
 * the very bytes that the test wants, so that an answer can be as wrong as need
 * be.
 */
#ifndef TEST_NET_ORIGIN_H
#define TEST_NET_ORIGIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "loop/loop.h"
#include "net/listener.h"
#include "net/stream.h"

enum { ORIGIN_PEERS = 64 };

struct origin;

struct origin_peer {
	struct origin *origin;
	struct stream *stream; /* NULL: closed */
	struct buf request; /* with a NUL behind it, when it is whole */
	unsigned requests;
};

/* A whole request has come; answered now or later. */
typedef void(origin_h)(struct origin_peer *peer, const char *request, void *arg);

struct origin {
	struct loop *loop;
	struct listener *listener;
	struct tls *tls;
	origin_h *handler;
	void *arg;
	struct origin_peer peers[ORIGIN_PEERS];
	unsigned connections; /* ever */
	unsigned open;
	unsigned requests;
};

/* On 127.0.0.1; url is "http://127.0.0.1:PORT", or https with tls. */
void origin_start(struct origin *origin, struct loop *loop, struct tls *tls, origin_h *handler,
		  void *arg);
void origin_url(const struct origin *origin, char *url, size_t size);

/* The loop must be pumped once more. */
void origin_stop(struct origin *origin);

void origin_say(struct origin_peer *peer, const char *bytes, size_t len);
void origin_say_text(struct origin_peer *peer, const char *text);

/* Sends what was said, then ends the connection; or ends it at once. */
void origin_close(struct origin_peer *peer);
void origin_reset(struct origin_peer *peer);

#endif
