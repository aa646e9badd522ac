/*
 * keyless.h: connections that have not presented a valid key.
 *
 * Anyone can open them.  So they share an allowance of memory, and they are the first to go
 * when room is needed: a client with a key presents it within milliseconds, and whoever holds
 * connections open without one loses them first.  Everything here takes constant time, and
 * evicting takes that for each connection.  One thread.
 */
#ifndef NET_KEYLESS_H
#define NET_KEYLESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/list.h"

enum {
	/* What one connection may send before it has presented a key: a head of a request
	 * (HTTP_HEAD_MAX), or what waits behind one. */
	KEYLESS_READ_MAX = 16 * 1024,

	/* And all together, with the answers that they do not read: two thousand heads as long
	 * as they may be, or five hundred first messages that carry a key.  A server that has
	 * room for 10,000 connections has room for this. */
	KEYLESS_ALL_MAX = 32 * 1024 * 1024,
};

struct keyless {
	struct list holding; /* members that hold memory, idle longest first */
	struct list idle; /* the others, in the same order */
	size_t bytes; /* that all of them hold now */
	uint64_t touches;
};

struct keyless_member;

/* Ends the connection.  It has left already. */
typedef void(keyless_evict_h)(struct keyless_member *member);

/* A part of what a connection is; all zeros: it is no member. */
struct keyless_member {
	struct link link;
	struct keyless *all; /* NULL: it has a key, or is gone */
	keyless_evict_h *evict;
	uint64_t touched; /* the larger, the later */
	size_t read; /* memory of what it has sent … */
	size_t queued; /* … and of what is sent to it */
};

void keyless_init(struct keyless *all);

void keyless_join(struct keyless *all, struct keyless_member *member, keyless_evict_h *evict);

/* It has presented a valid key, or it ends. */
void keyless_leave(struct keyless_member *member);

/* It has sent something, and what was kept of all that it sent has this size now.  When that
 * is too much for all, other members that hold something are evicted, idle longest first; one
 * alone cannot hold so much.  No effect on one that has left. */
void keyless_count(struct keyless_member *member, size_t read);

/* What waits to be sent to it has changed by so much.  Called by its stream: it evicts
 * nobody. */
void keyless_count_queued(struct keyless_member *member, ptrdiff_t change);

/* Evicts the one that has been idle longest; false: there is none. */
bool keyless_evict_oldest(struct keyless *all);

#endif
