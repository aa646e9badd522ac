/*
 * timers.h: one-shot timers in a heap.
 *
 * A timer is a member of its owner and has the node of the heap in it, so setting one needs no
 * memory and cannot fail: turns and jobs depend on that, because a timeout that could not be set
 * would leave them waiting for ever.  A timer filled with zeros is one that is not set.
 *
 * The heap does not know where time comes from: the event loop drives it with the
 * monotonic clock, tests drive it with a clock of their own, so that a five
 * second timeout is tested in no time.
 */
#ifndef LOOP_TIMERS_H
#define LOOP_TIMERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/heap.h"

typedef void(timer_h)(void *arg);

struct timer {
	uint64_t due_us;
	timer_h *handler; /* NULL when the timer is not set */
	void *arg;
	struct heap_node node; /* in the heap while the timer is set */
};

struct timers {
	struct heap heap; /* those that are set, the one that is due first on top */
	uint64_t now_us;
	void (*changed)(void *arg); /* the earliest due time changed */
	void *changed_arg;
};

void timers_init(struct timers *timers, uint64_t now_us);
void timers_reset(struct timers *timers);

/* Sets a timer, which may be set already, to fire once, delay_us from timers->now_us. */
void timer_set(struct timers *timers, struct timer *timer, uint64_t delay_us, timer_h *handler,
	       void *arg);
void timer_clear(struct timers *timers, struct timer *timer);

static inline bool timer_is_set(const struct timer *timer)
{
	return timer->handler != NULL;
}

/* Moves the clock and fires all that is due, in order of time. */
void timers_advance(struct timers *timers, uint64_t now_us);

/* When the next one is due; UINT64_MAX when none is set. */
uint64_t timers_next_us(const struct timers *timers);

#endif
