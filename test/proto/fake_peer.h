/*
 * fake_peer.h: the client's end of a connection, in memory.
 *
 * What is sent waits until it is handed over ("to the kernel") and can then be
 * read.  A peer that is not blocked hands over at once; a blocked one lets
 * messages wait, where they can be dropped, and is full when enough waits.
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

/* Owners that may wait at once to be told: more than a session has turns. */
#define FAKE_PEER_SENT_MAX 64

struct fake_message {
	struct link link;
	char *json; /* NUL-terminated */
	size_t len;
	uint64_t tag;
	uint32_t samples;
	bool tells_sent;
};

struct fake_peer {
	struct peer peer;
	struct list waiting; /* struct fake_message, both */
	struct list handed_over;
	size_t waiting_bytes;
	bool is_blocked;
	size_t message_max; /* of one message; 0: PEER_MESSAGE_MAX */
	void (*filled)(void *arg); /* is told that it is full; or NULL */
	void *filled_arg;
	uint64_t sent[FAKE_PEER_SENT_MAX]; /* tags whose owners are to be told */
	size_t sent_count;
	uint16_t close_code; /* 0: open */
	bool sent_after_close;
	void (*tap)(void *arg, const char *json); /* sees each message as it is sent; or NULL */
	void *tap_arg;
};

void fake_peer_init(struct fake_peer *fake);
void fake_peer_reset(struct fake_peer *fake);

/* Hands n waiting messages over. */
void fake_peer_hand_over(struct fake_peer *fake, size_t n);

/* True once after it was full and is not any more: its session is to be told. */
bool fake_peer_drains(struct fake_peer *fake);

/* The next tag of which all was handed over, if its owner wants to know. */
bool fake_peer_take_sent(struct fake_peer *fake, uint64_t *tag);

/* The next message that was handed over (and has this in it, unless NULL), or
 * NULL; its reader's until fake_message_free. */
struct fake_message *fake_peer_read(struct fake_peer *fake, const char *having);
const struct fake_message *fake_peer_peek(const struct fake_peer *fake, const char *having);
void fake_message_free(struct fake_message *message);

#endif
