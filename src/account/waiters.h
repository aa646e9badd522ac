/*
 * waiters.h: requests that wait for something to be read from the store.
 *
 * Several requests may wait for the same data.  A list of waiters contains struct waiter by its
 * link.  A waiter is removed before its handler is called, so that the handler may make a new
 * request.  Runs on the loop's thread.
 */
#ifndef ACCOUNT_WAITERS_H
#define ACCOUNT_WAITERS_H

#include "base/list.h"

typedef void(waiters_h)(int err, void *arg);

struct waiter {
	struct link link;
	waiters_h *ready; /* NULL: there is no handler */
	void *arg;
};

struct waiter *waiters_make(waiters_h *ready, void *arg); /* NULL: no memory */

/* Calls the handlers of all waiters that are on the list at the time of the call, in order, and
 * frees the waiters. */
void waiters_notify(struct list *waiters, int err);

#endif
