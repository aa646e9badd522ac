/*
 * loop.h: the event loop of one thread.
 *
 * A thin layer over libuv: file descriptors are watched with `struct watch`,
 * time with timers.h, and work that must wait until the current callback has
 * ended (writing what was queued, freeing what called us) is deferred.
 */
#ifndef LOOP_LOOP_H
#define LOOP_LOOP_H

#include <stdbool.h>
#include <uv.h>

#include "base/list.h"
#include "loop/timers.h"

struct thread;

struct loop {
	uv_loop_t uv;
	uv_timer_t tick; /* fires when the earliest of timers is due */
	struct timers timers;
	struct list deferred;
	struct thread *spawner; /* starts programs (program.c); NULL until there is one to start */
	bool ticking; /* inside timers_advance: the tick is set once, after it */
};

int loop_alloc(struct loop **loopp);

/* Runs until loop_stop; then everything set on it must be taken off before
 * the last reference goes. */
void loop_run(struct loop *loop);
void loop_stop(struct loop *loop);

/* The clock of this turn of the loop; timers count from it. */
static inline uint64_t loop_now_us(const struct loop *loop)
{
	return loop->timers.now_us;
}

/* Something to do once, when the callback that is running has ended and
 * before the loop waits again.  A zeroed struct is ready for use; deferring
 * twice before it ran is once. */
typedef void(deferred_h)(void *arg);

struct deferred {
	struct link link;
	deferred_h *handler;
	void *arg;
};

void loop_defer(struct loop *loop, struct deferred *deferred, deferred_h *handler, void *arg);
void loop_undefer(struct loop *loop, struct deferred *deferred);

/* Every callback that libuv makes into our code begins with loop_enter (the
 * clock moves) and ends with loop_leave (what was deferred runs). */
void loop_enter(struct loop *loop);
void loop_leave(struct loop *loop);

/* Watches a file descriptor for reading and writing, level-triggered.  The
 * handler may free the watch's owner only through watch_close. */
enum { WATCH_READ = UV_READABLE, WATCH_WRITE = UV_WRITABLE };

typedef void(watch_h)(void *arg, int events);
typedef void(watch_closed_h)(void *arg);

struct watch {
	uv_poll_t poll;
	struct loop *loop;
	watch_h *handler;
	watch_closed_h *closed;
	void *arg;
	int events; /* watched for at present */
};

/* The descriptor stays the owner's. */
int watch_open(struct watch *watch, struct loop *loop, int fd, watch_h *handler, void *arg);

/* Which of WATCH_READ and WATCH_WRITE to watch for; 0 for none. */
void watch_set(struct watch *watch, int events);

/* Ends it; `closed` comes from the loop later, and only then may the memory
 * of the watch go and, for TLS' and libuv's sake, the descriptor be closed
 * any time after this call. */
void watch_close(struct watch *watch, watch_closed_h *closed);

#endif
