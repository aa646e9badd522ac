/*
 * keyless.h: connections that have not presented a valid key.
 *
 * Anyone can open them, so they share a memory allowance and are closed first when room is
 * needed.  A client with a key presents it within milliseconds; a client that holds
 * connections open without one loses them first.  All operations take constant time,
 * eviction constant time for each evicted connection.  One thread.
 */
#ifndef NET_KEYLESS_H
#define NET_KEYLESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/list.h"

enum {
	/* What one connection may send before it has presented a key: the head of a request
	 * (HTTP_HEAD_MAX), or the bytes that follow one. */
	KEYLESS_READ_MAX = 16 * 1024,

	/* All of them together, including answers that they have not read: two thousand heads
	 * of maximum length, or five hundred first messages that carry a key.  A server with
	 * enough memory for 10,000 connections has enough for this. */
	KEYLESS_ALL_MAX = 32 * 1024 * 1024,
};

struct keyless {
	struct list holding; /* members that hold memory, longest idle first */
	struct list idle; /* all others, in the same order */
	size_t bytes; /* held by all members together */
	uint64_t touches;
};

struct keyless_member;

/* Closes the connection; it has already been removed from the set. */
typedef void(keyless_evict_h)(struct keyless_member *member);

/* Embedded in a connection.  A zeroed struct is not a member. */
struct keyless_member {
	struct link link;
	struct keyless *all; /* NULL if it has presented a key or is closed */
	keyless_evict_h *evict;
	uint64_t touched; /* a counter: a larger value is more recent */
	size_t read; /* memory of what it has sent */
	size_t queued; /* memory of what is queued for it */
};

void keyless_init(struct keyless *all);

void keyless_join(struct keyless *all, struct keyless_member *member, keyless_evict_h *evict);

/* The connection has presented a valid key, or is ending. */
void keyless_leave(struct keyless_member *member);

/* The connection has sent something, and what is kept of its input now has this size.  If
 * the total exceeds the allowance, other members that hold memory are evicted, longest idle
 * first; a single member cannot hold that much.  No effect on a connection that has left. */
void keyless_count(struct keyless_member *member, size_t read);

/* The memory queued for sending has changed by this much.  Called by the stream; evicts
 * nothing. */
void keyless_count_queued(struct keyless_member *member, ptrdiff_t change);

/* Evicts the member that has been idle longest; false if there is none. */
bool keyless_evict_oldest(struct keyless *all);

#endif
