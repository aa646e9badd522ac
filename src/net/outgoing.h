/*
 * outgoing.h: one message to be sent.
 *
 * A message is never copied between being built and being sent.  Its payload is written into a
 * buffer with room around it (outgoing_init_buf), which outgoing_take turns into a message.  The
 * room in front holds the message's own fields and, later, the header of a WebSocket frame or of
 * an HTTP chunk, so that header and payload are sent as one piece.  The holder of the pointer owns
 * the message; queueing it passes the ownership on.
 */
#ifndef NET_OUTGOING_H
#define NET_OUTGOING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/list.h"

/* The longest frame header: 2 bytes, 8 of length, 4 of mask. */
enum { OUTGOING_ROOM = 14 };

/* Room after the payload, for the end of an HTTP chunk. */
enum { OUTGOING_TAIL = 2 };

/* What keeps messages of each kind from piling up while the peer does not read.  The stream
 * counts the memory of each kind. */
enum outgoing_kind {
	/* The producer stops while the stream is full (STREAM_HIGH): a turn holds its audio,
	 * and an HTTP connection answers no further request. */
	OUTGOING_PACED,
	/* Sent whenever the peer makes a request or something happens: everything on a
	 * WebSocket except audio.  Bounded by STREAM_REPLIES_MAX. */
	OUTGOING_REPLY,
	/* Pings, pongs and closes.  Bounded by WS_PONGS_MAX. */
	OUTGOING_CONTROL,
	OUTGOING_KINDS
};

struct outgoing {
	struct link link;
	uint64_t tag; /* identifies it to stream_drop; 0 if it is never dropped */
	uint32_t weight; /* what is lost if it is dropped, in a unit of its owner */
	size_t len; /* bytes of payload, set by the builder */
	size_t size; /* room for payload */
	uint8_t head; /* bytes of header, right before the payload */
	uint8_t kind; /* enum outgoing_kind */
	bool notifies_sent; /* used by the stream: see stream_notify_when_sent */
	char bytes[]; /* OUTGOING_ROOM, then the payload */
};

/* Returns a message with room for `size` bytes of payload, not zeroed; NULL if there is no
 * memory. */
struct outgoing *outgoing_alloc(size_t size);

/* Returns a message with a copy of these bytes; NULL if there is no memory. */
struct outgoing *outgoing_copy(const void *bytes, size_t len);

/* A buffer for the payload of a message of at most `max` bytes. */
void outgoing_init_buf(struct buf *payload, size_t max);

/* Returns the message with that payload, which must not be empty.  It takes over the memory of the
 * buffer, which is empty afterwards.  NULL if nothing was ever written to the buffer. */
struct outgoing *outgoing_take(struct buf *payload);

void outgoing_free(struct outgoing *message);

/* The memory of a message: what malloc uses for it, including its eight bytes of overhead. */
static inline uint32_t outgoing_memory(const struct outgoing *message)
{
	size_t size = sizeof(*message) + OUTGOING_ROOM + message->size + OUTGOING_TAIL + 8;

	return (uint32_t)((size + 15) & ~(size_t)15);
}

static inline char *outgoing_payload(struct outgoing *message)
{
	return message->bytes + OUTGOING_ROOM;
}

/* What is sent: the header, if any, and the payload. */
static inline char *outgoing_start(struct outgoing *message)
{
	return message->bytes + OUTGOING_ROOM - message->head;
}

static inline size_t outgoing_total(const struct outgoing *message)
{
	return message->head + message->len;
}

#endif
