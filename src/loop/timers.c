/*
 * timers.c: one-shot timers in a binary heap (see timers.h).
 */
#include "loop/timers.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

void timers_init(struct timers *timers, uint64_t now_us)
{
	*timers = (struct timers){.now_us = now_us};
}

void timers_reset(struct timers *timers)
{
	for (size_t i = 0; i < timers->count; ++i)
		timers->heap[i]->place = 0;
	free(timers->heap);
	timers->heap = NULL;
	timers->count = timers->size = 0;
}

static void put(struct timers *timers, size_t i, struct timer *timer)
{
	timers->heap[i] = timer;
	timer->place = i + 1;
}

static void sift_up(struct timers *timers, size_t i)
{
	struct timer *timer = timers->heap[i];

	while (i > 0) {
		size_t parent = (i - 1) / 2;

		if (timers->heap[parent]->due_us <= timer->due_us)
			break;
		put(timers, i, timers->heap[parent]);
		i = parent;
	}
	put(timers, i, timer);
}

static void sift_down(struct timers *timers, size_t i)
{
	struct timer *timer = timers->heap[i];

	for (;;) {
		size_t child = 2 * i + 1;

		if (child >= timers->count)
			break;
		if (child + 1 < timers->count &&
		    timers->heap[child + 1]->due_us < timers->heap[child]->due_us)
			++child;
		if (timers->heap[child]->due_us >= timer->due_us)
			break;
		put(timers, i, timers->heap[child]);
		i = child;
	}
	put(timers, i, timer);
}

static void tell_changed(struct timers *timers, uint64_t before)
{
	if (timers->changed && timers_next_us(timers) != before)
		timers->changed(timers->changed_arg);
}

static void take_out(struct timers *timers, struct timer *timer)
{
	size_t i = timer->place - 1;
	struct timer *last = timers->heap[--timers->count];

	assert(timers->heap[i] == timer);
	timer->place = 0;
	if (last == timer)
		return;
	put(timers, i, last);
	sift_up(timers, i);
	sift_down(timers, last->place - 1);
}

static int make_room(struct timers *timers)
{
	size_t size = timers->size ? 2 * timers->size : 16;
	struct timer **heap;

	if (timers->count < timers->size)
		return 0;
	heap = realloc(timers->heap, size * sizeof(*heap));
	if (!heap)
		return ENOMEM;
	timers->heap = heap;
	timers->size = size;
	return 0;
}

int timer_set(struct timers *timers, struct timer *timer, uint64_t delay_us, timer_h *handler,
	      void *arg)
{
	uint64_t before = timers_next_us(timers);
	int err;

	if (timer_is_set(timer))
		take_out(timers, timer);
	err = make_room(timers);
	if (err)
		return err;
	timer->due_us = timers->now_us + delay_us;
	timer->handler = handler;
	timer->arg = arg;
	put(timers, timers->count++, timer);
	sift_up(timers, timers->count - 1);
	tell_changed(timers, before);
	return 0;
}

void timer_clear(struct timers *timers, struct timer *timer)
{
	uint64_t before = timers_next_us(timers);

	if (!timer_is_set(timer))
		return;
	take_out(timers, timer);
	tell_changed(timers, before);
}

void timers_advance(struct timers *timers, uint64_t now_us)
{
	while (timers->count > 0 && timers->heap[0]->due_us <= now_us) {
		struct timer *timer = timers->heap[0];

		/* A handler sees the time it was due at, so that a chain of
		 * timers in a test is exact however far the clock jumped. */
		if (timer->due_us > timers->now_us)
			timers->now_us = timer->due_us;
		take_out(timers, timer);
		timer->handler(timer->arg);
	}
	if (now_us > timers->now_us)
		timers->now_us = now_us;
}

uint64_t timers_next_us(const struct timers *timers)
{
	return timers->count > 0 ? timers->heap[0]->due_us : UINT64_MAX;
}
