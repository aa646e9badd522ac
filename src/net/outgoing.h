/*
 * outgoing.h: one message on its way out.
 *
 * A message is built once, where it will be sent from: the payload is written
 * behind a little room in which the WebSocket frame header is put later, so
 * that header and payload leave as one piece without another copy.  Whoever
 * holds the pointer owns it; queueing hands it over.
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

/* And behind the payload: the end of an HTTP chunk. */
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
	uint64_t tag; /* what stream_drop drops it by; 0: never dropped */
	uint32_t weight; /* what is lost with it when it is dropped, in the owner's unit */
	size_t len; /* bytes of payload: the builder's to set */
	size_t size; /* room for payload */
	uint8_t head; /* bytes of header, right before the payload */
	uint8_t kind; /* enum outgoing_kind */
	bool tells_sent; /* the stream's: see stream_tell_when_sent */
	char bytes[]; /* OUTGOING_ROOM, then the payload */
};

/* Room for a payload of `size` bytes, not zeroed; NULL when memory is out. */
struct outgoing *outgoing_alloc(size_t size);

/* A message with a copy of these bytes; NULL when memory is out. */
struct outgoing *outgoing_copy(const void *bytes, size_t len);

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

/* A buffer over the payload, to build it with: it is full at the message's
 * size and never moves or frees the bytes.  Its len must be copied back. */
static inline struct buf outgoing_buf(struct outgoing *message)
{
	return (struct buf){
		.bytes = outgoing_payload(message), .size = message->size, .max = message->size};
}

/* What is sent: the header, if any, and the payload. */
static inline const char *outgoing_start(const struct outgoing *message)
{
	return message->bytes + OUTGOING_ROOM - message->head;
}

static inline size_t outgoing_total(const struct outgoing *message)
{
	return message->head + message->len;
}

#endif
