/*
 * timers.c: one-shot timers in a pairing heap (see timers.h).
 *
 * Every timer is a node of a tree in which no child is due before its parent.
 * A node's children are a doubly linked list; `prev` of the first child is its
 * parent, so that any node can be cut out without a search.
 *
 * Setting takes constant time; clearing and firing take logarithmic time,
 * amortized.
 */
#include "loop/timers.h"

void timers_init(struct timers *timers, uint64_t now_us)
{
	*timers = (struct timers){.now_us = now_us};
}

/* Both are roots, or NULL; the one that is due later becomes the first child of the other.  Of two
 * that are due at the same time `first` stays on top. */
static struct timer *timers_meld(struct timer *first, struct timer *second)
{
	struct timer *top = first;
	struct timer *below = second;

	if (!first)
		return second;
	if (!second)
		return first;
	if (second->due_us < first->due_us) {
		top = second;
		below = first;
	}
	below->prev = top;
	below->next = top->child;
	if (top->child)
		top->child->prev = below;
	top->child = below;
	return top;
}

/* Makes one tree of a list of siblings: neighbours are melded in pairs, then the pairs from the
 * last to the first, which is what keeps later removals cheap. */
static struct timer *timers_meld_siblings(struct timer *sibling)
{
	struct timer *pairs = NULL; /* the melded pairs, last one first, linked by `next` */
	struct timer *root = NULL;

	while (sibling) {
		struct timer *first = sibling;
		struct timer *second = first->next;
		struct timer *pair;

		sibling = second ? second->next : NULL;
		first->next = first->prev = NULL;
		if (second)
			second->next = second->prev = NULL;
		pair = timers_meld(first, second);
		pair->next = pairs;
		pairs = pair;
	}
	while (pairs) {
		struct timer *pair = pairs;

		pairs = pair->next;
		pair->next = NULL;
		root = timers_meld(pair, root);
	}
	return root;
}

static void timers_take_out(struct timers *timers, struct timer *timer)
{
	struct timer *below = timers_meld_siblings(timer->child);

	if (timer == timers->root) {
		timers->root = below;
	} else {
		if (timer->prev->child == timer)
			timer->prev->child = timer->next;
		else
			timer->prev->next = timer->next;
		if (timer->next)
			timer->next->prev = timer->prev;
		timers->root = timers_meld(timers->root, below);
	}
	*timer = (struct timer){.due_us = timer->due_us};
	--timers->count;
}

static void timers_tell_changed(struct timers *timers, uint64_t before)
{
	if (timers->changed && timers_next_us(timers) != before)
		timers->changed(timers->changed_arg);
}

void timers_reset(struct timers *timers)
{
	while (timers->root)
		timers_take_out(timers, timers->root);
}

void timer_set(struct timers *timers, struct timer *timer, uint64_t delay_us, timer_h *handler,
	       void *arg)
{
	uint64_t before = timers_next_us(timers);

	if (timer_is_set(timer))
		timers_take_out(timers, timer);
	*timer =
		(struct timer){.due_us = timers->now_us + delay_us, .handler = handler, .arg = arg};
	timers->root = timers_meld(timers->root, timer);
	++timers->count;
	timers_tell_changed(timers, before);
}

void timer_clear(struct timers *timers, struct timer *timer)
{
	uint64_t before = timers_next_us(timers);

	if (!timer_is_set(timer))
		return;
	timers_take_out(timers, timer);
	timers_tell_changed(timers, before);
}

void timers_advance(struct timers *timers, uint64_t now_us)
{
	while (timers->root && timers->root->due_us <= now_us) {
		struct timer *timer = timers->root;
		timer_h *handler = timer->handler;
		void *arg = timer->arg;

		/* A handler sees the time it was due at, so that a chain of
		 * timers in a test is exact however far the clock jumped. */
		if (timer->due_us > timers->now_us)
			timers->now_us = timer->due_us;
		timers_take_out(timers, timer);
		handler(arg);
	}
	if (now_us > timers->now_us)
		timers->now_us = now_us;
}

uint64_t timers_next_us(const struct timers *timers)
{
	return timers->root ? timers->root->due_us : UINT64_MAX;
}
