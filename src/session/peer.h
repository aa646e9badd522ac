/*
 * peer.h: the other end of a connection, as a session sees it.
 *
 * A WebSocket (server/ws_peer.c), the answer to an HTTP request, a buffer, or a test's own.  A
 * message is written into a buffer that the peer prepares and then takes:
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
	/* Sends what was written into a buffer of `begin`, and takes its memory.  Messages whose
	 * tag is not 0 can be dropped while they wait; `samples` is the audio in it. */
	void (*send)(void *peer, struct buf *message, uint64_t tag, uint32_t samples);
	/* Takes back what waits of a tag and says how many samples that were. */
	uint64_t (*drop)(void *peer, uint64_t tag);
	/* Asks to be told once when the last message of a tag was handed to the
	 * kernel.  False when none of it waits: then nobody is told. */
	bool (*tell_when_sent)(void *peer, uint64_t tag);
	/* After all that waits; nothing is heard of the peer after it. */
	void (*close)(void *peer, uint16_t code, const char *reason);
};

struct peer {
	const struct peer_ops *ops;
	void *peer;
	/* So much waits that nothing more should be made.  Its owner sets it, and tells the session
	 * when it changes: `filled`, which may come from inside `send` or `close`, and `drained`. */
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

/* Sends a message of peer_begin, unless nothing was written, or writing it failed (err).  Without
 * memory for it the connection closes: a client must not wait for a message that was lost. */
void peer_send(const struct peer *peer, struct buf *message, int err, uint64_t tag,
	       uint32_t samples);

#endif
