/*
 * loop.c: the event loop of one thread (see loop.h).
 *
 * Everything here runs on that thread.
 */
#include "loop/loop.h"

#include <assert.h>
#include <errno.h>

#include "base/clock.h"
#include "base/mem.h"

static void loop_on_tick(uv_timer_t *tick);

static void loop_set_tick(struct loop *loop)
{
	uint64_t next = timers_next_us(&loop->timers);
	uint64_t now = clock_monotonic_us();
	uint64_t delay_ms;

	if (next == UINT64_MAX) {
		uv_timer_stop(&loop->tick);
		return;
	}
	delay_ms = next > now ? (next - now + 999) / 1000 : 0;
	uv_update_time(&loop->uv); /* the delay counts from libuv's own clock */
	uv_timer_start(&loop->tick, loop_on_tick, delay_ms, 0);
}

static void loop_on_timers_changed(void *arg)
{
	struct loop *loop = arg;

	if (!loop->ticking)
		loop_set_tick(loop);
}

static void loop_advance(struct loop *loop)
{
	loop->ticking = true;
	timers_advance(&loop->timers, clock_monotonic_us());
	loop->ticking = false;
	loop_set_tick(loop);
}

static void loop_on_tick(uv_timer_t *tick)
{
	struct loop *loop = tick->data;

	loop_advance(loop);
	loop_leave(loop);
}

static void loop_destroy(void *object)
{
	struct loop *loop = object;
	int err;

	loop->spawner = mem_deref(loop->spawner);
	if (loop->tick.data) {
		timers_reset(&loop->timers);
		uv_close((uv_handle_t *)&loop->tick, NULL);
		while (uv_run(&loop->uv, UV_RUN_DEFAULT))
			; /* until all close callbacks have run, even if loop_stop was called */
	}
	err = uv_loop_close(&loop->uv);
	assert(err != UV_EBUSY); /* a handle on the loop was not closed */
}

int loop_alloc(struct loop **loopp)
{
	struct loop *loop = mem_zalloc(sizeof(*loop), NULL);

	if (!loop)
		return ENOMEM;
	if (uv_loop_init(&loop->uv) != 0) {
		mem_deref(loop);
		return ENOMEM;
	}
	uv_timer_init(&loop->uv, &loop->tick);
	loop->tick.data = loop;
	timers_init(&loop->timers, clock_monotonic_us());
	loop->timers.changed = loop_on_timers_changed;
	loop->timers.changed_arg = loop;
	list_init(&loop->deferred);
	mem_set_destructor(loop, loop_destroy);
	*loopp = loop;
	return 0;
}

void loop_run(struct loop *loop)
{
	loop_enter(loop);
	loop_leave(loop);
	uv_run(&loop->uv, UV_RUN_DEFAULT);
}

void loop_stop(struct loop *loop)
{
	uv_stop(&loop->uv);
}

void loop_defer(struct loop *loop, struct deferred *deferred, deferred_h *handler, void *arg)
{
	deferred->handler = handler;
	deferred->arg = arg;
	if (!link_is_on_list(&deferred->link))
		list_append(&loop->deferred, &deferred->link);
}

void loop_undefer(struct loop *loop, struct deferred *deferred)
{
	if (link_is_on_list(&deferred->link))
		list_remove(&loop->deferred, &deferred->link);
}

void loop_enter(struct loop *loop)
{
	uint64_t now = clock_monotonic_us();

	/* Only the clock moves: timers that are due fire from their own callback, never inside
	 * another one. */
	if (now > loop->timers.now_us)
		loop->timers.now_us = now;
}

void loop_leave(struct loop *loop)
{
	struct link *link;

	while ((link = list_first(&loop->deferred))) {
		struct deferred *deferred = LIST_OBJECT(link, struct deferred, link);

		list_remove(&loop->deferred, link);
		deferred->handler(deferred->arg);
	}
}

static void loop_on_poll(uv_poll_t *poll, int status, int events)
{
	struct watch *watch = poll->data;
	struct loop *loop = watch->loop;

	loop_enter(loop);
	if (status < 0) {
		/* An error such as a reset is reported as the events that are watched for, so
		 * that the owner's read or write fails with it.  libuv has stopped watching,
		 * but the handler may first find bytes that arrived before the error, so the
		 * error must be reported again. */
		events = watch->events;
		uv_poll_start(poll, events, loop_on_poll);
	}
	watch->handler(watch->arg, events);
	loop_leave(loop);
}

int watch_open(struct watch *watch, struct loop *loop, int fd, watch_h *handler, void *arg)
{
	int err = uv_poll_init(&loop->uv, &watch->poll, fd);

	if (err)
		return -err;
	watch->poll.data = watch;
	watch->loop = loop;
	watch->handler = handler;
	watch->arg = arg;
	watch->events = 0;
	return 0;
}

void watch_set(struct watch *watch, int events)
{
	if (events == watch->events)
		return;
	watch->events = events;
	if (events)
		uv_poll_start(&watch->poll, events, loop_on_poll);
	else
		uv_poll_stop(&watch->poll);
}

static void loop_on_watch_closed(uv_handle_t *handle)
{
	struct watch *watch = handle->data;
	struct loop *loop = watch->loop;

	loop_enter(loop);
	watch->closed(watch->arg);
	loop_leave(loop);
}

void watch_close(struct watch *watch, watch_closed_h *closed)
{
	watch->closed = closed;
	watch->events = 0;
	uv_close((uv_handle_t *)&watch->poll, loop_on_watch_closed);
}
