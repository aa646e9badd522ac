/*
 * timers.c: one-shot timers in a heap (see timers.h).
 */
#include "loop/timers.h"

static struct timer *timers_first(const struct timers *timers)
{
	struct heap_node *node = heap_first(&timers->heap);

	return node ? HEAP_OBJECT(node, struct timer, node) : NULL;
}

static bool timers_before(const struct heap_node *a, const struct heap_node *b)
{
	return HEAP_CONST_OBJECT(a, struct timer, node)->due_us <
	       HEAP_CONST_OBJECT(b, struct timer, node)->due_us;
}

void timers_init(struct timers *timers, uint64_t now_us)
{
	*timers = (struct timers){.now_us = now_us};
	heap_init(&timers->heap, timers_before);
}

static void timers_take_out(struct timers *timers, struct timer *timer)
{
	heap_remove(&timers->heap, &timer->node);
	*timer = (struct timer){.due_us = timer->due_us};
}

static void timers_tell_changed(struct timers *timers, uint64_t before)
{
	if (timers->changed && timers_next_us(timers) != before)
		timers->changed(timers->changed_arg);
}

void timers_reset(struct timers *timers)
{
	while (timers_first(timers))
		timers_take_out(timers, timers_first(timers));
}

void timer_set(struct timers *timers, struct timer *timer, uint64_t delay_us, timer_h *handler,
	       void *arg)
{
	uint64_t before = timers_next_us(timers);

	if (timer_is_set(timer))
		timers_take_out(timers, timer);
	*timer =
		(struct timer){.due_us = timers->now_us + delay_us, .handler = handler, .arg = arg};
	heap_add(&timers->heap, &timer->node);
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
	struct timer *timer;

	timers->until_us = now_us;
	while ((timer = timers_first(timers)) && timer->due_us <= now_us) {
		timer_h *handler = timer->handler;
		void *arg = timer->arg;

		/* During the call of a handler the clock shows the time at which its timer was due,
		 * so that a chain of timers in a test is exact however far the clock has jumped. */
		if (timer->due_us > timers->now_us)
			timers->now_us = timer->due_us;
		timers_take_out(timers, timer);
		handler(arg);
	}
	if (now_us > timers->now_us)
		timers->now_us = now_us;
}

uint64_t timers_real_us(const struct timers *timers)
{
	return timers->until_us > timers->now_us ? timers->until_us : timers->now_us;
}

uint64_t timers_next_us(const struct timers *timers)
{
	const struct timer *first = timers_first(timers);

	return first ? first->due_us : UINT64_MAX;
}
