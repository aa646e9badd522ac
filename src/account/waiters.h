/*
 * waiters.h: callers who wait for something to be read from the store.
 *
 * Several callers may wait for one reading.  A list of waiters holds struct waiter by its link; who is
 * told is taken off the list first, so that a caller can ask again from inside its handler.
 */
#ifndef ACCOUNT_WAITERS_H
#define ACCOUNT_WAITERS_H

#include "base/list.h"

typedef void(waiters_h)(int err, void *arg);

struct waiter {
	struct link link;
	waiters_h *ready; /* NULL: nobody wants to know */
	void *arg;
};

struct waiter *waiters_make(waiters_h *ready, void *arg); /* NULL: no memory */

/* Tells all that are on the list now, in their order, and frees them. */
void waiters_tell(struct list *waiters, int err);

#endif
