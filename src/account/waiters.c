/*
 * waiters.c: requests that wait for something to be read from the store (see waiters.h).
 */
#include "account/waiters.h"

#include "base/mem.h"

struct waiter *waiters_make(waiters_h *ready, void *arg)
{
	struct waiter *waiter = mem_zalloc(sizeof(*waiter), NULL);

	if (waiter) {
		waiter->ready = ready;
		waiter->arg = arg;
	}
	return waiter;
}

void waiters_notify(struct list *waiters, int err)
{
	struct list notified;
	struct link *link;

	list_init(&notified);
	list_append_all(&notified, waiters);
	while ((link = list_first(&notified))) {
		struct waiter *waiter = LIST_OBJECT(link, struct waiter, link);

		list_remove(&notified, link);
		if (waiter->ready)
			waiter->ready(err, waiter->arg);
		mem_deref(waiter);
	}
}
