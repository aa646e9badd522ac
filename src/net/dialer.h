/*
 * dialer.h: connects to servers without blocking: looks up the name, tries its addresses one after
 * the other, and does the TLS handshake.
 *
 * For clients on the loop, which speak whatever protocol they want on the stream that they get.
 * Runs on the loop's thread.
 */
#ifndef NET_DIALER_H
#define NET_DIALER_H

#include <stdint.h>

#include "loop/loop.h"
#include "net/stream.h"
#include "net/tls.h"
#include "net/url.h"

struct dialer;
struct dialing;

/* What connections have in common.  Takes a reference to tls; if that is NULL, connections with TLS
 * fail.  Connections that are being opened hold a reference to their dialer. */
int dialer_alloc(struct dialer **dialerp, struct loop *loop, struct tls *tls);

struct loop *dialer_loop(const struct dialer *dialer);

/* The connection is open (err is 0), or it could not be opened; then err is an errno, and `why` says
 * for the log which server and what is wrong.  The handler takes over the stream and must set its
 * handlers at once. */
typedef void(dialer_h)(struct stream *stream, int err, const char *why, void *arg);

/* Connects to the host of this url, all of which is copied except for its target.  The handler is
 * called once, from the loop, never from inside this call, and the caller must still dereference the
 * dialing.  mem_deref is allowed at any time, including from the handler; before that it closes the
 * connection, and the handler is not called.  timeout_ms is for the name, all addresses and TLS
 * together.  EPROTONOSUPPORT if the url needs TLS and the dialer has none; ENOMEM. */
int dialer_dial(struct dialing **dialingp, struct dialer *dialer, const struct url *url,
		uint32_t timeout_ms, dialer_h *handler, void *arg);

#endif
