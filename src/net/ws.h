/*
 * ws.h: a WebSocket connection over a stream.
 *
 * It answers pings, checks that a silent peer is still there, does the close handshake and delivers
 * complete messages to its owner.  Like its stream, it lives until its `closed` handler has
 * returned; handlers except `filled` are never called inside a ws_* call.
 */
#ifndef NET_WS_H
#define NET_WS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "net/outgoing.h"
#include "net/stream.h"
#include "net/ws_codec.h"

enum {
	WS_MESSAGE_MAX = 1024 * 1024, /* default maximum for a received message */
	/* After this time without bytes from the peer a ping is sent; after as long again the
	 * connection is closed. */
	WS_PING_MS = 20000,
	WS_CLOSE_MS = 5000, /* for the peer's answer to our close frame */
	WS_PONGS_MAX = 64 * 1024, /* memory of pongs that the peer has not read */
};

struct ws;

struct ws_handlers {
	/* A complete message, valid during the call; the handler may change it.  Text is valid
	 * UTF-8. */
	void (*message)(void *arg, char *bytes, size_t len, bool is_binary);

	/* Bytes were read, and the messages that they completed were delivered.  May be
	 * NULL. */
	void (*came)(void *arg);

	/* Nothing more should be sent: the queue is above STREAM_HIGH, or ws_close was called and
	 * messages are discarded from now on.  Called from inside ws_send_* or ws_close, so the
	 * handler should only take note.  May be NULL. */
	void (*filled)(void *arg);

	/* The queue has fallen from above STREAM_HIGH to STREAM_LOW.  Not called once a close has
	 * begun.  May be NULL. */
	void (*drained)(void *arg);

	/* More than STREAM_REPLIES_MAX of replies are waiting (`bytes` of memory) and another
	 * one was queued: the connection is being closed (WS_CLOSE_POLICY).  `ending`
	 * follows.  May be NULL. */
	void (*overrun)(void *arg, size_t bytes);

	/* The peer has closed the connection or violated the protocol.  Anything sent from
	 * now on is discarded, so the owner should produce no more; `closed` follows within
	 * half a minute (see stream_close).  May be NULL. */
	void (*ending)(void *arg);

	/* The last message of this tag was handed to the kernel; called once for each
	 * ws_notify_when_sent.  May be NULL. */
	void (*sent)(void *arg, uint64_t tag);

	/* The connection has ended; called exactly once.  The code is that of the first close
	 * frame of either side (WS_CLOSE_NO_CODE if it had none), or WS_CLOSE_ABNORMAL if the
	 * connection broke without one.  The ws is freed when this returns. */
	void (*closed)(void *arg, uint16_t code);
};

/* Takes over the stream, which remains the caller's if the call fails.  The handlers are not
 * copied.  message_max 0 means WS_MESSAGE_MAX.  For a server's connection see http_upgrade. */
int ws_alloc(struct ws **wsp, struct stream *stream, enum ws_role role, size_t message_max,
	     const struct ws_handlers *handlers, void *arg);

/* Sets the maximum length of messages that are received from now on. */
void ws_set_message_max(struct ws *ws, size_t message_max);

/* The memory held by a message that has only arrived in part. */
size_t ws_held_bytes(const struct ws *ws);

/* stream_pause, stream_set_read_max and stream_set_keyless for the underlying stream. */
void ws_pause(struct ws *ws, bool pause);
void ws_set_read_max(struct ws *ws, size_t read_max);
void ws_set_keyless(struct ws *ws, struct keyless_member *member);

/* Adds bytes that arrived together with the handshake; they are delivered later, from the loop. */
int ws_feed(struct ws *ws, const char *bytes, size_t n);

/* Takes the message (see outgoing.h; the caller has set its payload, len, tag and kind) and sends
 * it as one frame.  Once a close has begun it is discarded. */
void ws_send_text(struct ws *ws, struct outgoing *message);
void ws_send_binary(struct ws *ws, struct outgoing *message);

/* stream_drop and stream_notify_when_sent for the underlying stream. */
uint64_t ws_drop(struct ws *ws, uint64_t tag);
bool ws_notify_when_sent(struct ws *ws, uint64_t tag);

/* Whether either side has begun to close the connection. */
bool ws_is_closing(const struct ws *ws);

/* Sends what is queued and a close frame, and ends when the peer has answered or after WS_CLOSE_MS.
 * A reason longer than WS_REASON_MAX is truncated between two characters; NULL for none.  Messages
 * that arrive meanwhile are not delivered.  A second close is ignored. */
void ws_close(struct ws *ws, uint16_t code, const char *reason);

/* Closes at once, with a close frame if the kernel accepts it immediately, and frees all queued
 * memory; `closed` is called later, from the loop.  Must not be called from the connection's own
 * handlers. */
void ws_evict(struct ws *ws, uint16_t code, const char *reason);

/* Closes the connection without a close frame. */
void ws_abort(struct ws *ws);

#endif
