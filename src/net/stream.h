/*
 * stream.h: bytes over a connected socket, plain or TLS, with water marks.
 *
 * A stream belongs to its loop's thread and owns its descriptor.  It lives from
 * stream_alloc until its `closed` handler has returned, which is called exactly
 * once, from the loop, never inside a stream_* call: there is no reference to
 * give back.
 *
 * What is queued in one callback leaves together when the callback has ended.
 * The kernel is given at most STREAM_BUDGET bytes for each time it says it is
 * ready for more, so that a slow reader's audio stays here, where a barge-in
 * can still drop it.
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
	STREAM_READ_MAX = 64 * 1024, /* bytes read at once, from clients */
	STREAM_READ_BULK = 208 * 1024, /* from a peer that sends much: what a socket pair holds */
	STREAM_BUDGET = 32 * 1024, /* bytes handed to the kernel per "writable" */
	STREAM_HIGH = 64 * 1024, /* above this the owner should stop making more */
	STREAM_LOW = 32 * 1024, /* `drained` comes when it falls to this */
	STREAM_REPLIES_MAX = 256 * 1024, /* memory of waiting replies: see `overrun` */
	STREAM_STALL_MS = 60000, /* nothing could be written for so long: ETIMEDOUT */
	STREAM_CLOSE_MS = 5000, /* for what is queued when it is closed */
};

struct stream;

struct stream_handlers {
	/* Of stream_connect alone: the peer is there and, with TLS, has proven its
	 * name.  May be NULL. */
	void (*opened)(void *arg);

	/* Bytes came: the handler's to change, valid during the call.  n is 0
	 * once, when the peer has sent all it will; closing is the owner's. */
	void (*read)(void *arg, char *bytes, size_t n);

	/* The queue is above STREAM_HIGH, and was not before.  Called from inside stream_queue, so
	 * that an owner that makes more in a loop can stop at once: it should only take note, and
	 * make no call that ends the stream.  May be NULL. */
	void (*filled)(void *arg);

	/* The queue was above STREAM_HIGH and is at STREAM_LOW or below.  May be NULL. */
	void (*drained)(void *arg);

	/* A reply (OUTGOING_REPLY) was queued when more than STREAM_REPLIES_MAX of them were
	 * already waiting and the kernel accepted no more: the peer sends requests but does
	 * not read.  The owner should close the stream.  May be NULL. */
	void (*overrun)(void *arg);

	/* The last message of this tag is in the kernel's hands; comes once for
	 * each stream_tell_when_sent.  May be NULL. */
	void (*sent)(void *arg, uint64_t tag);

	/* The end: 0 when one of the two closed it, or an errno.  The stream is
	 * gone when this returns. */
	void (*closed)(void *arg, int err);
};

/* Takes the connected, non-blocking descriptor (also when it fails, then it
 * is closed).  With `tls` not NULL it is the server's end of TLS; `tls` is
 * referenced.  The handlers are not copied. */
int stream_alloc(struct stream **streamp, struct loop *loop, int fd, struct tls *tls,
		 const struct stream_handlers *handlers, void *arg);

/* The same for a socket that may still be connecting.  With `tls` it is the
 * client's end, and `host` whom the server must prove to be; the end is
 * an errno of tls_errno when it cannot.  What is queued waits for `opened`. */
int stream_connect(struct stream **streamp, struct loop *loop, int fd, struct tls *tls,
		   const char *host, const struct stream_handlers *handlers, void *arg);

/* Another owner takes over.  With NULL handlers nobody is notified any more, and bytes that arrive
 * are discarded. */
void stream_set_handlers(struct stream *stream, const struct stream_handlers *handlers, void *arg);

struct loop *stream_loop(const struct stream *stream);
int stream_fd(const struct stream *stream);

/* Sets another stall limit than STREAM_STALL_MS. */
void stream_set_stall_ms(struct stream *stream, uint32_t stall_ms);

/* Sets how much is read at once: at most STREAM_READ_BULK, and a multiple of 1024. */
void stream_set_read_max(struct stream *stream, size_t read_max);

/* Charges the memory of all queued messages to this member, which has just joined, or to nobody if
 * it is NULL.  Call it before the member leaves. */
void stream_set_keyless(struct stream *stream, struct keyless_member *member);

/* Bytes sent on this stream are not counted as sent to clients (METRIC_BYTES). */
void stream_set_uncounted(struct stream *stream);

/* Stops or resumes reading. */
void stream_pause(struct stream *stream, bool pause);

/* Takes the message.  After stream_close or stream_abort it is discarded. */
void stream_queue(struct stream *stream, struct outgoing *message);

/* Discards every queued message of this tag (not 0) of which no byte has been sent yet; returns the
 * sum of their weights.  A message that has begun is finished.  In the `closed` handler it returns
 * what was lost of this tag.  `sent` is not called for discarded messages. */
uint64_t stream_drop(struct stream *stream, uint64_t tag);

/* Requests `sent` for the last message of this tag (not 0) that waits now; the loop calls it.
 * Returns false if none waits, because all of them have been sent. */
bool stream_tell_when_sent(struct stream *stream, uint64_t tag);

/* True from when the queue exceeds STREAM_HIGH until `drained`. */
bool stream_is_full(const struct stream *stream);

/* The memory of the queued messages of a kind. */
size_t stream_queued_memory(const struct stream *stream, enum outgoing_kind kind);

/* Whether the condition of `overrun` holds, for an owner that does not want to wait for the
 * call.  Writes to the kernel first, so a peer that reads does not overrun. */
bool stream_is_overrun(struct stream *stream);

/* Discards every reply of which no byte has been sent yet. */
void stream_drop_replies(struct stream *stream);

/* Writes as much as the kernel accepts now, without waiting for the end of the callback. */
void stream_push(struct stream *stream);

/* Sends what is queued, for at most STREAM_CLOSE_MS, then closes the connection. */
void stream_close(struct stream *stream);

/* Closes the connection at once; `closed` is called with err. */
void stream_abort(struct stream *stream, int err);

/* The same, but frees everything that is queued now instead of after `closed` has returned: for an
 * owner that needs the memory and not the information about what was lost. */
void stream_evict(struct stream *stream, int err);

#endif
