/*
 * fake_peer.h: the client's end of a connection, in memory.
 *
 * Messages wait until they are handed over, as a socket does to the kernel, and can then be read.  A
 * peer that is not blocked hands messages over at once.  In a blocked peer they wait, where they can
 * be dropped, and the peer is full when FAKE_PEER_FULL bytes wait.
 */
#ifndef PROTO_FAKE_PEER_H
#define PROTO_FAKE_PEER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/list.h"
#include "session/peer.h"

/* Waiting bytes that make the peer full: some frames of 200 ms. */
#define FAKE_PEER_FULL (64 * 1024)

/* How many tags may have a pending notification: more than a session has turns. */
#define FAKE_PEER_SENT_MAX 64

struct fake_message {
	struct link link;
	char *json; /* NUL-terminated */
	size_t len;
	uint64_t tag;
	uint32_t samples;
	bool notifies_sent;
};

struct fake_peer {
	struct peer peer;
	struct list waiting; /* struct fake_message */
	struct list handed_over; /* struct fake_message */
	size_t waiting_bytes;
	bool is_blocked;
	size_t message_max; /* the longest message; 0: PEER_MESSAGE_MAX */
	void (*filled)(void *arg); /* called when it becomes full; may be NULL */
	void *filled_arg;
	uint64_t sent[FAKE_PEER_SENT_MAX]; /* tags for which `sent` is to be called */
	size_t sent_count;
	uint16_t close_code; /* 0: open */
	char close_reason[256];
	bool is_paused; /* the session does not want messages at the moment */
	bool sent_after_close;
	void (*tap)(void *arg, const char *json); /* called with each message; may be NULL */
	void *tap_arg;
};

void fake_peer_init(struct fake_peer *fake);
void fake_peer_reset(struct fake_peer *fake);

/* Hands over n waiting messages. */
void fake_peer_hand_over(struct fake_peer *fake, size_t n);

/* True once when it was full and is not full any more: the session's `drained` must be called. */
bool fake_peer_drains(struct fake_peer *fake);

/* Takes the next tag for which the session's `sent` must be called; false: there is none. */
bool fake_peer_take_sent(struct fake_peer *fake, uint64_t *tag);

/* The next message that was handed over and contains `having` (NULL: any message); NULL: there is
 * none.  Release it with fake_message_free, but not that of fake_peer_peek, which stays queued. */
struct fake_message *fake_peer_read(struct fake_peer *fake, const char *having);
const struct fake_message *fake_peer_peek(const struct fake_peer *fake, const char *having);
void fake_message_free(struct fake_message *message);

#endif
