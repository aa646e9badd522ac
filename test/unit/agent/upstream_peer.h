/*
 * upstream_peer.h: a developer's server for tests, on the test's own loop.
 *
 * It does with each connection what the test has decided, keeps what it is sent, and says what the
 * test says.
 */
#ifndef TEST_AGENT_UPSTREAM_PEER_H
#define TEST_AGENT_UPSTREAM_PEER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "loop/loop.h"
#include "net/listener.h"
#include "net/ws.h"

enum { UPSTREAM_PEER_MAX = 32 };

enum upstream_peer_way {
	PEER_ACCEPTS,
	PEER_REFUSES, /* HTTP 401 */
	PEER_HANGS_UP, /* without a byte */
	PEER_IGNORES /* it never answers the request */
};

struct upstream_peer;

struct upstream_peer_conn {
	struct upstream_peer *peer;
	struct stream *stream; /* NULL: closed, or it has become a WebSocket */
	struct ws *ws; /* NULL: it is none, or it has ended */
	struct buf request; /* ends with a NUL */
	struct buf got; /* all messages, each with a newline, and a NUL */
	bool is_over;
	uint16_t code; /* with which it ended */
};

struct upstream_peer {
	struct loop *loop;
	struct listener *listener;
	enum upstream_peer_way ways[UPSTREAM_PEER_MAX]; /* of each connection */
	struct upstream_peer_conn conns[UPSTREAM_PEER_MAX];
	unsigned count; /* of connections so far */
	bool answers_pings;
};

/* Listens on 127.0.0.1; accepts all connections and answers pings, unless the test changes that. */
void upstream_peer_start(struct upstream_peer *peer, struct loop *loop);

/* The loop must be pumped once more afterwards. */
void upstream_peer_stop(struct upstream_peer *peer);

/* Runs the loop until a connection has been sent `text`. */
void upstream_peer_expect(struct upstream_peer *peer, unsigned conn, const char *text);

/* Runs the loop until there have been so many connections that are open. */
void upstream_peer_await(struct upstream_peer *peer, unsigned count);

/* Sends a message, and runs the loop. */
void upstream_peer_say(struct upstream_peer *peer, unsigned conn, const char *json);

/* Sends words of an answer, or with NULL the final. */
void upstream_peer_answer(struct upstream_peer *peer, unsigned conn, int64_t id, const char *words);

/* Runs the loop until the connection is over, and returns its code. */
uint16_t upstream_peer_end_of(struct upstream_peer *peer, unsigned conn);

#endif
