/*
 * upstream_socket.h: one connection to a developer's server over the upstream protocol, on the loop.
 *
 * It makes a token, connects, says `init`, pings, and passes on what the server answers.  What is
 * asked and when is decided by its owner (remote_answerer.c).  Everything runs on the loop's thread.
 */
#ifndef AGENT_UPSTREAM_SOCKET_H
#define AGENT_UPSTREAM_SOCKET_H

#include <stddef.h>
#include <stdint.h>

#include "account/engine_token.h"
#include "loop/loop.h"
#include "net/tls.h"
#include "wire/engine_answer.h"

/* Proxies in between close connections without traffic after 30 seconds or more. */
#define UPSTREAM_PING_MS 15000u
#define UPSTREAM_PONG_MS 20000u /* a server that sends nothing for so long after a ping is lost */
#define UPSTREAM_OPEN_MS 5000u /* some servers never answer if they do not know the path */
#define UPSTREAM_TOKEN_LIFE_S 120 /* it is needed only to connect */
#define UPSTREAM_HEADERS_MAX 64u
#define UPSTREAM_MESSAGE_MAX (1024u * 1024u) /* bytes of a message from the server */

struct upstream_sockets;
struct upstream_socket;

/* All connections of a process.  Takes a reference to tls; if that is NULL, connections with TLS
 * fail.  mem_deref cuts connections that are still being closed, which is done on the loop; there
 * must be no others. */
int upstream_sockets_alloc(struct upstream_sockets **socketsp, struct loop *loop, struct tls *tls);
struct loop *upstream_sockets_loop(const struct upstream_sockets *sockets);

/* Nothing in it is needed after the call, except for `sockets`. */
struct upstream_socket_options {
	struct upstream_sockets *sockets; /* must outlive the connection */
	const char *url; /* ws, wss, http or https */
	const struct engine_token_keys *keys; /* signs the token; NULL: none is sent */
	const char *const *headers; /* more headers, "Name: value" each, ends with NULL; or NULL */
	const char *conversation_id;
};

/* None of these is called from inside a function of this file.  Each may close the socket. */
struct upstream_socket_handlers {
	void (*opened)(void *arg);
	/* A message with words, or a final. */
	void (*answer)(void *arg, const struct engine_answer *answer);
	/* It could not be opened, or is lost, and must not be used any more; the last call. */
	void (*lost)(void *arg, const char *why);
};

/* The handlers are not copied.  EINVAL if the url or a header is not valid, E2BIG for more than
 * UPSTREAM_HEADERS_MAX headers, EPROTONOSUPPORT without TLS, ENOMEM and others. */
int upstream_socket_open(struct upstream_socket **socketp,
			 const struct upstream_socket_options *options,
			 const struct upstream_socket_handlers *handlers, void *arg);

/* Sends a message, of which a copy is made; it must be open.  ENOMEM. */
int upstream_socket_send(struct upstream_socket *socket, const char *bytes, size_t len,
			 uint64_t tag);

/* Discards messages of this tag that have not begun to be sent. */
void upstream_socket_drop(struct upstream_socket *socket, uint64_t tag);

/* Says `close`, closes the connection and releases the socket; no handler is called any more.  Some
 * servers continue to answer after `close`, so the connection is closed from this side.  NULL is
 * allowed. */
void upstream_socket_close(struct upstream_socket *socket);

#endif
