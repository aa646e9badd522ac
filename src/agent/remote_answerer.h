/*
 * remote_answerer.h: an answerer (answerer.h) that asks a developer's server over the upstream
 * protocol of speech engines.
 *
 *   question ─> upstream_socket.c ─> the server ─> words, final
 *
 * The connection is opened at once, so that the first question finds it open.  Later it is opened
 * again when it is needed.  Servers differ in how they fail: some close the connection without a
 * byte, some never answer, some never end an answer.  Invariants, each with a test:
 *
 *   1. Only words with exactly the current event_id are delivered.
 *   2. A question is asked at most REMOTE_ANSWERER_ATTEMPTS times, each time on a new connection,
 *      because some servers ignore an event_id that is repeated on the same one.  It is asked again
 *      if its first words do not come within the cascade timeout, or if the connection is lost
 *      before them; a lost connection does not extend the timeout.
 *   3. A question never waits forever: it ends with `complete`, `failed`, the next question, a drop
 *      or a close.
 *   4. Words that were delivered are never delivered again: an answer that breaks off is not asked
 *      for a second time.
 *
 * `closed` is never called, since a connection can always be opened again.
 */
#ifndef AGENT_REMOTE_ANSWERER_H
#define AGENT_REMOTE_ANSWERER_H

#include <stddef.h>
#include <stdint.h>

#include "account/engine_token.h"
#include "agent/answerer.h"
#include "agent/upstream_socket.h"

#define REMOTE_ANSWERER_ATTEMPTS 3u
#define REMOTE_ANSWERER_STALL_MS 10000u /* between the words of an answer */

/* The range and the default of the cascade timeout. */
#define REMOTE_ANSWERER_CASCADE_MIN_MS 2000u
#define REMOTE_ANSWERER_CASCADE_MAX_MS 15000u
#define REMOTE_ANSWERER_CASCADE_MS 4000u

/* Everything is copied, except that a reference to `sockets` is taken. */
struct remote_answerer_options {
	struct upstream_sockets *sockets;
	const char *url; /* ws, wss, http or https */
	/* Signs a new token for each connection with the first digest; NULL: none is sent. */
	const struct engine_token_keys *keys;
	/* More headers of the request, "Name: value" each, ends with NULL; may be NULL. */
	const char *const *headers;
	const char *conversation_id;
	uint32_t cascade_timeout_ms; /* 0: the default; others are forced into the range */
};

/* The answerer is released by its `close`.  EINVAL if the url or a header is not valid, E2BIG for
 * more than UPSTREAM_HEADERS_MAX headers, EPROTONOSUPPORT if TLS is needed and `sockets` has none,
 * ENOMEM. */
int remote_answerer_alloc(struct answerer **answererp,
			  const struct remote_answerer_options *options,
			  const struct answerer_listener *listener, void *arg);

#endif
