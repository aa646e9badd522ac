/*
 * origin.h: an HTTP server for tests of clients, on the test's own loop.
 *
 * It parses requests only as far as needed to know where they end, and answers with exactly the
 * bytes that the test supplies, so that an answer can be invalid in any way.
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
	struct buf request; /* ends with a NUL when it is complete */
	unsigned requests;
};

/* Called with a complete request, which may be answered now or later. */
typedef void(origin_h)(struct origin_peer *peer, const char *request, void *arg);

struct origin {
	struct loop *loop;
	struct listener *listener;
	struct tls *tls;
	origin_h *handler;
	void *arg;
	struct origin_peer peers[ORIGIN_PEERS];
	unsigned connections; /* accepted so far, including closed ones */
	unsigned open;
	unsigned requests;
};

/* Listens on 127.0.0.1; the url is "http://127.0.0.1:PORT", or https if tls is not NULL. */
void origin_start(struct origin *origin, struct loop *loop, struct tls *tls, origin_h *handler,
		  void *arg);
void origin_url(const struct origin *origin, char *url, size_t size);

/* The loop must be pumped once more afterwards. */
void origin_stop(struct origin *origin);

void origin_say(struct origin_peer *peer, const char *bytes, size_t len);
void origin_say_text(struct origin_peer *peer, const char *text);

/* Closes the connection after sending what is queued, or at once. */
void origin_close(struct origin_peer *peer);
void origin_reset(struct origin_peer *peer);

#endif
