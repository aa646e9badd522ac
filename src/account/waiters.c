/*
 * waiters.c: callers who wait for something to be read from the store (see waiters.h).
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

void waiters_tell(struct list *waiters, int err)
{
	struct list told;
	struct link *link;

	list_init(&told);
	list_append_all(&told, waiters);
	while ((link = list_first(&told))) {
		struct waiter *waiter = LIST_OBJECT(link, struct waiter, link);

		list_remove(&told, link);
		if (waiter->ready)
			waiter->ready(err, waiter->arg);
		mem_deref(waiter);
	}
}
