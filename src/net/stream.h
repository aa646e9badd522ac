/*
 * stream.h: bytes over a connected socket, with or without TLS, and with watermarks.
 *
 * A stream belongs to its loop's thread and owns its descriptor.  It exists from stream_alloc until
 * its `closed` handler has returned.  That handler is called exactly once, from the loop and never
 * from inside a stream_* call; there is no reference to release.
 *
 * Messages that are queued in one callback are written together when the callback has ended.  The
 * kernel is given at most STREAM_BUDGET bytes each time it reports that the socket is writable, so
 * that audio for a slow reader stays in our queue, where a barge-in can still drop it.
 */
#ifndef NET_STREAM_H
#define NET_STREAM_H

#include <stddef.h>
#include <stdint.h>

#include "loop/loop.h"
#include "net/keyless.h"
#include "net/outgoing.h"
#include "net/tls.h"

enum {
	STREAM_READ_MAX = 64 * 1024, /* bytes read at once from a client */
	STREAM_READ_BULK = 208 * 1024, /* from a peer that sends much: the size of a socket pair */
	STREAM_BUDGET = 32 * 1024, /* bytes handed to the kernel each time it is writable */
	STREAM_HIGH = 64 * 1024, /* queued bytes above which the owner should stop producing */
	STREAM_LOW = 32 * 1024, /* queued bytes at which `drained` is called */
	STREAM_REPLIES_MAX = 256 * 1024, /* memory of waiting replies: see `overrun` */
	STREAM_STALL_MS = 60000, /* ETIMEDOUT when nothing could be written for this time */
	STREAM_CLOSE_MS = 5000, /* for sending what is queued when the stream is closed */
};

struct stream;

struct stream_handlers {
	/* Only for stream_connect: the connection is established and, with TLS, the peer has
	 * proven its name.  May be NULL. */
	void (*opened)(void *arg);

	/* Bytes have arrived.  They are valid during the call, and the handler may change them.
	 * n is 0 once, when the peer has closed its end; the owner must still close the stream. */
	void (*read)(void *arg, char *bytes, size_t n);

	/* The queue has risen above STREAM_HIGH.  Called from inside stream_queue, so that an
	 * owner that produces messages in a loop can stop at once.  The handler should only take
	 * note, and must not end the stream.  May be NULL. */
	void (*filled)(void *arg);

	/* The queue was above STREAM_HIGH and is at STREAM_LOW or below.  May be NULL. */
	void (*drained)(void *arg);

	/* A reply (OUTGOING_REPLY) was queued when more than STREAM_REPLIES_MAX of them were
	 * already waiting and the kernel accepted no more: the peer sends requests but does
	 * not read.  The owner should close the stream.  May be NULL. */
	void (*overrun)(void *arg);

	/* The last message of this tag was handed to the kernel.  Called once for each
	 * stream_notify_when_sent.  May be NULL. */
	void (*sent)(void *arg, uint64_t tag);

	/* The stream has ended: err is 0 if either side closed it, otherwise an errno.  The stream
	 * is freed when this returns. */
	void (*closed)(void *arg, int err);
};

/* Takes the connected, non-blocking descriptor, and closes it if the call fails.  If `tls` is not
 * NULL, the stream is the server's end of TLS and takes a reference.  The handlers are not
 * copied. */
int stream_alloc(struct stream **streamp, struct loop *loop, int fd, struct tls *tls,
		 const struct stream_handlers *handlers, void *arg);

/* The same for a socket that may still be connecting.  With `tls` the stream is the client's end,
 * and `host` is the name that the server must prove; if it cannot, the stream ends with an errno of
 * tls_errno.  Messages are queued until `opened`. */
int stream_connect(struct stream **streamp, struct loop *loop, int fd, struct tls *tls,
		   const char *host, const struct stream_handlers *handlers, void *arg);

/* Makes another object the owner.  With NULL no handler is called any more, and bytes that arrive
 * are discarded. */
void stream_set_handlers(struct stream *stream, const struct stream_handlers *handlers, void *arg);

struct loop *stream_loop(const struct stream *stream);
int stream_fd(const struct stream *stream);

/* Sets another stall limit than STREAM_STALL_MS. */
void stream_set_stall_ms(struct stream *stream, uint32_t stall_ms);

/* Sets how much is read at once: at most STREAM_READ_BULK, and a multiple of 1024. */
void stream_set_read_max(struct stream *stream, size_t read_max);

/* Charges the memory of all queued messages to this member, which has just joined.  NULL ends that,
 * and must be set before the member leaves. */
void stream_set_keyless(struct stream *stream, struct keyless_member *member);

/* Bytes sent on this stream are not counted as sent to clients (METRIC_BYTES). */
void stream_set_uncounted(struct stream *stream);

/* Stops or resumes reading.  While reading is stopped, a peer that closes its end is not
 * noticed. */
void stream_pause(struct stream *stream, bool pause);

/* Takes the message.  After stream_close or stream_abort it is discarded. */
void stream_queue(struct stream *stream, struct outgoing *message);

/* Discards every queued message of this tag (not 0) of which no byte has been sent yet; returns the
 * sum of their weights.  A message that has begun is finished.  In the `closed` handler it returns
 * what was lost of this tag.  `sent` is not called for discarded messages. */
uint64_t stream_drop(struct stream *stream, uint64_t tag);

/* Requests a call of `sent`, from the loop, for the last message of this tag (not 0) that is queued
 * now.  Returns false if none is queued, because all of them have been sent. */
bool stream_notify_when_sent(struct stream *stream, uint64_t tag);

/* True from when the queue exceeds STREAM_HIGH until `drained`. */
bool stream_is_full(const struct stream *stream);

/* The memory of the queued messages of a kind. */
size_t stream_queued_memory(const struct stream *stream, enum outgoing_kind kind);

/* Whether the condition of `overrun` holds, for an owner that cannot wait until the handler is
 * called.  Writes to the kernel first, so that a peer that reads does not overrun. */
bool stream_is_overrun(struct stream *stream);

/* Discards every reply of which no byte has been sent yet. */
void stream_drop_replies(struct stream *stream);

/* Writes as much as the kernel accepts now, without waiting for the end of the callback. */
void stream_push(struct stream *stream);

/* Sends what is queued, for at most STREAM_CLOSE_MS, then closes our end and waits for the peer to
 * close its own, until it has sent nothing for 2 seconds, or for 20 seconds in total.  Bytes that
 * arrive meanwhile are discarded.  `closed` is called at the end.  During a TLS handshake the connection
 * is closed at once. */
void stream_close(struct stream *stream);

/* Closes the connection at once; `closed` is called with err. */
void stream_abort(struct stream *stream, int err);

/* The same, but frees everything that is queued now instead of after `closed` has returned: for an
 * owner that needs the memory and not the information about what was lost. */
void stream_evict(struct stream *stream, int err);

#endif
