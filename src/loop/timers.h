/*
 * timers.h: one-shot timers in a heap.
 *
 * A timer is a member of its owner and contains its heap node, so setting one needs no memory and
 * cannot fail.  Turns and jobs depend on that, because a timeout that could not be set would leave
 * them waiting forever.  A zeroed timer is not set.
 *
 * The heap does not know where time comes from: the event loop drives it with the monotonic clock,
 * and tests with a clock of their own, so that a timeout of five seconds is tested at once.
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
	struct heap heap; /* the timers that are set; the first to be due is on top */
	uint64_t now_us;
	uint64_t until_us; /* where the clock was last moved to */
	/* Called when timer_set or timer_clear changes timers_next_us; may be NULL. */
	void (*changed)(void *arg);
	void *changed_arg;
};

void timers_init(struct timers *timers, uint64_t now_us);
/* Clears all timers without calling their handlers. */
void timers_reset(struct timers *timers);

/* Sets a timer, which may already be set, to fire once, delay_us after timers->now_us. */
void timer_set(struct timers *timers, struct timer *timer, uint64_t delay_us, timer_h *handler,
	       void *arg);
void timer_clear(struct timers *timers, struct timer *timer);

static inline bool timer_is_set(const struct timer *timer)
{
	return timer->handler != NULL;
}

/* Moves the clock and fires the timers that are due, in the order of their times.  While a handler
 * runs, now_us is the time at which its timer was due, or later if it already was.  A handler may
 * set and clear any timer, its own included, and free its owner. */
void timers_advance(struct timers *timers, uint64_t now_us);

/* The time that it really is, for measurements: a handler that runs late must not appear to be in time, which
 * it is by now_us. */
uint64_t timers_real_us(const struct timers *timers);

/* When the next timer is due; UINT64_MAX if none is set. */
uint64_t timers_next_us(const struct timers *timers);

#endif
