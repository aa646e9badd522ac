/*
 * timers.h: one-shot timers in a heap.
 *
 * The timer sits inside its owner and costs nothing while it is not set.  The
 * heap does not know where time comes from: the event loop drives it with the
 * monotonic clock, tests drive it with a clock of their own, so that a five
 * second timeout is tested in no time.
 */
#ifndef LOOP_TIMERS_H
#define LOOP_TIMERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef void(timer_h)(void *arg);

struct timer {
	uint64_t due_us;
	size_t place; /* index in the heap plus one; 0: not set */
	timer_h *handler;
	void *arg;
};

struct timers {
	struct timer **heap;
	size_t count;
	size_t size;
	uint64_t now_us;
	void (*changed)(void *arg); /* the earliest due time changed */
	void *changed_arg;
};

void timers_init(struct timers *timers, uint64_t now_us);
void timers_reset(struct timers *timers);

/* (Re)sets a timer to fire once, delay_us from timers->now_us.  ENOMEM. */
int timer_set(struct timers *timers, struct timer *timer, uint64_t delay_us, timer_h *handler,
	      void *arg);
void timer_clear(struct timers *timers, struct timer *timer);

static inline bool timer_is_set(const struct timer *timer)
{
	return timer->place != 0;
}

/* Moves the clock and fires all that is due, in order of time. */
void timers_advance(struct timers *timers, uint64_t now_us);

/* When the next one is due; UINT64_MAX when none is set. */
uint64_t timers_next_us(const struct timers *timers);

#endif
