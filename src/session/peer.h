/*
 * peer.h: the other end of a connection, as a session sees it.
 *
 * It is a WebSocket (server/ws_peer.c), the answer to an HTTP request, a buffer, or a test's own.
 * A message is written into a buffer that the peer prepares and then takes over:
 *
 *   struct buf message;
 *
 *   peer_send(peer, &message, write_something(peer_begin(peer, &message)), tag, samples);
 *
 * Everything runs on the loop's thread.
 */
#ifndef SESSION_PEER_H
#define SESSION_PEER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/* The longest message that is sent: the text of a chunk with every character escaped, or a report
 * with 64 KiB of text. */
#define PEER_MESSAGE_MAX (1024 * 1024)

struct peer_ops {
	/* Prepares a buffer for one message of at most PEER_MESSAGE_MAX bytes, which is written
	 * where it will be sent from.  NULL: an ordinary buffer will do. */
	void (*begin)(void *peer, struct buf *message);
	/* Sends what was written into a buffer of `begin`, and takes over its memory.  Messages
	 * whose tag is not 0 can be dropped while they wait; `samples` is the number of samples
	 * of audio in the message. */
	void (*send)(void *peer, struct buf *message, uint64_t tag, uint32_t samples);
	/* Drops the queued messages of a tag and returns how many samples they had. */
	uint64_t (*drop)(void *peer, uint64_t tag);
	/* Requests one `sent` event for when the last message of a tag has been handed to the
	 * kernel.  False when none is queued: then there is no event. */
	bool (*notify_when_sent)(void *peer, uint64_t tag);
	/* Stops reading messages, or continues.  Messages that have already arrived, 64 KiB at most
	 * and the end of one that was incomplete, are still delivered.  NULL: there are none. */
	void (*pause)(void *peer, bool pause);
	/* Closes the connection after sending everything that is queued; the peer reports nothing
	 * afterwards. */
	void (*close)(void *peer, uint16_t code, const char *reason);
};

struct peer {
	const struct peer_ops *ops;
	void *peer;
	/* So much is queued that no more audio should be produced.  The peer's owner sets it, and
	 * notifies the session when it changes: with `filled`, which may be called from inside
	 * `send` or `close`, and with `drained`. */
	bool is_full;
};

static inline struct buf *peer_begin(const struct peer *peer, struct buf *message)
{
	if (peer->ops->begin)
		peer->ops->begin(peer->peer, message);
	else
		buf_init(message, PEER_MESSAGE_MAX);
	return message;
}

/* Sends a message of peer_begin, unless nothing was written, or writing it failed (err).  If there
 * was no memory for it the connection is closed, because a client must not wait for a message that
 * was lost. */
void peer_send(const struct peer *peer, struct buf *message, int err, uint64_t tag,
	       uint32_t samples);

#endif
