/*
 * ws_dial.h: opens a WebSocket as a client, on the loop.
 *
 *   dialer.c: name ─> connection ─> TLS; then here: the opening handshake ─> a struct ws
 *
 * Offers neither an extension nor a subprotocol.  Redirects are not followed, and proxies are not
 * used.  Runs on the loop's thread.
 */
#ifndef NET_WS_DIAL_H
#define NET_WS_DIAL_H

#include <stddef.h>
#include <stdint.h>

#include "net/dialer.h"
#include "net/ws.h"

struct ws_dial;

struct ws_dial_options {
	struct dialer *dialer; /* a reference is taken */
	const char *url; /* ws, wss, http or https; copied */
	const char *const *headers; /* "Name: value" each, ends with NULL; copied; may be NULL */
	uint32_t timeout_ms; /* for everything until the server has accepted */
	size_t message_max; /* see ws_alloc */
	const struct ws_handlers *handlers; /* of the WebSocket; not copied */
};

/* The WebSocket is open (err is 0) and has its handlers, or there is none.  Then err is an errno and
 * `why` says for the log what is wrong: EPROTO if the server's status is not 101, and then `why`
 * begins with "HTTP " and the status, or if its 101 violates RFC 6455; ECONNRESET if it closed the
 * connection without an answer. */
typedef void(ws_dial_h)(struct ws *ws, int err, const char *why, void *arg);

/* `arg` is also that of the WebSocket's handlers.  `done` is called once, from the loop, never from
 * inside this call, and the caller must still dereference the dial.  mem_deref is allowed at any
 * time, including from `done`; before that it closes the connection, and `done` is not called.
 * EINVAL if the url or a header is not valid, ENOBUFS if they are too long, EPROTONOSUPPORT, EIO,
 * ENOMEM. */
int ws_dial_start(struct ws_dial **dialp, const struct ws_dial_options *options, ws_dial_h *done,
		  void *arg);

#endif
