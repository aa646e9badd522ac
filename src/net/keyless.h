/*
 * keyless.h: connections that have not presented a valid key.
 *
 * Anyone can open them.  So they share an allowance of memory, and they are the first to go
 * when room is needed, the one that has been idle longest before all others: a client with a
 * key has presented it within milliseconds, and whoever holds connections open without one
 * loses them first.  All is O(1) for each connection that is closed.  One thread.
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
	struct list members; /* idle longest first */
	size_t bytes; /* that all of them hold now */
};

struct keyless_member;

/* Ends the connection, at once: what it held need not be counted any more. */
typedef void(keyless_evict_h)(struct keyless_member *member);

/* A part of what a connection is; all zeros: it is no member. */
struct keyless_member {
	struct link link;
	struct keyless *all; /* NULL: it has a key, or is gone */
	keyless_evict_h *evict;
	size_t bytes; /* that it holds, without what a stream counts for it */
};

void keyless_init(struct keyless *all);

void keyless_join(struct keyless *all, struct keyless_member *member, keyless_evict_h *evict);

/* It has presented a valid key, or it ends. */
void keyless_leave(struct keyless_member *member);

/* It is not idle: it is the last to be evicted. */
void keyless_touch(struct keyless_member *member);

/* It is not idle and holds this much now.  When that is too much for all, others are evicted,
 * idle longest first; one alone cannot hold so much.  No effect on one that has left. */
void keyless_count(struct keyless_member *member, size_t bytes);

/* Evicts the one that has been idle longest; false: there is none. */
bool keyless_evict_oldest(struct keyless *all);

/* Where a stream adds the memory of what it has queued for a member: see stream_set_meter. */
static inline size_t *keyless_meter(struct keyless *all)
{
	return &all->bytes;
}

#endif
