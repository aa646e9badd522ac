/*
 * stream_private.h: what the files of a stream share.
 *
 *   stream.c        the socket, its states, its timers, and when to read and write
 *   stream_queue.c  the messages that wait to be sent
 *   stream_tls.c    reading and writing through OpenSSL
 */
#ifndef NET_STREAM_PRIVATE_H
#define NET_STREAM_PRIVATE_H

#include <sys/types.h>
#include <sys/uio.h>

#include "net/stream.h"

#define STREAM_PIECES_MAX 64 /* messages in one write */

enum { STREAM_OPEN, STREAM_CLOSING, STREAM_LINGERING, STREAM_CLOSED };

/* Outcomes of a read or write that moved no bytes. */
enum { STREAM_BLOCKED = 0, STREAM_ENDED = -1, STREAM_FAILED = -2 };

struct stream {
	struct watch watch;
	SSL *ssl; /* NULL without TLS */
	const struct stream_handlers *handlers;
	void *arg;
	struct deferred wake;
	struct timer timer; /* the stall limit in STREAM_OPEN, else the limit of the state */
	struct list queue;
	struct list sent; /* messages that were handed to the kernel and whose `sent` is due */
	size_t queued; /* bytes in the queue that were not handed to the kernel yet */
	size_t begun; /* bytes of the first message that were handed to the kernel */
	size_t pinned; /* bytes at the front that SSL_write must be given again */
	size_t budget; /* bytes that the kernel may be given before it is asked again */
	uint64_t progress_us; /* when bytes were last written, or when the stream began to linger */
	struct keyless_member *keyless; /* is charged for the queue's memory; may be NULL */
	uint32_t memory[OUTGOING_KINDS]; /* of the messages of each kind in the queue */
	uint32_t stall_ms;
	int fd;
	int err; /* for `closed` */
	uint16_t read_kib; /* how much is read at once */
	uint8_t state;
	bool is_connecting;
	bool is_opening; /* `opened` has not been called yet */
	bool is_shaken; /* the TLS handshake is done */
	bool is_paused;
	bool is_ended; /* the peer has closed its end */
	bool is_blocked; /* the kernel accepts no more at present */
	bool is_full; /* the queue was above STREAM_HIGH and `drained` has not been called yet */
	bool is_overrun; /* a reply was queued beyond the limit, which has not been handled yet */
	bool wants_write; /* TLS must write before it can continue */
	bool is_uncounted;
};

/* Closes the socket; `closed` is called later, from the loop.  Does nothing the second time. */
void stream_finish(struct stream *stream, int err);

/* Schedules the queue to be written when the running callback has ended. */
void stream_wake(struct stream *stream);

/* The first message of the queue, or NULL. */
struct outgoing *stream_queue_first(const struct stream *stream);
void stream_queue_discard(struct stream *stream, struct outgoing *message);

/* Describes messages from the front of the queue, up to max bytes and STREAM_PIECES_MAX pieces;
 * returns the number of bytes. */
size_t stream_queue_gather(const struct stream *stream, struct iovec *pieces, int *count,
			   size_t max);

/* Removes n bytes from the front, which were handed to the kernel. */
void stream_queue_take_off(struct stream *stream, size_t n);

/* Takes the next message that was sent and whose owner is to be notified; NULL if there is none. */
struct outgoing *stream_queue_take_sent(struct stream *stream);

/* Writes one TLS record from the queue, or reads.  Both return a number of bytes or an outcome. */
ssize_t stream_tls_write(struct stream *stream);
ssize_t stream_tls_read(struct stream *stream, char *bytes, size_t max);

/* True when the handshake is done, or there is no TLS. */
bool stream_tls_handshake(struct stream *stream);

/* Whether TLS has read bytes from the socket that we have not read from TLS.  The loop's poll does
 * not report them, so we must read until there are none. */
bool stream_tls_holds_bytes(const struct stream *stream);

#endif
