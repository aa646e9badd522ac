/*
 * loop.h: the event loop of one thread.
 *
 * A thin layer over libuv: file descriptors are watched with `struct watch`, time with timers.h,
 * and work that must wait until the current callback has ended (such as writing what was queued, or
 * freeing the caller) is deferred.  Only the thread that runs the loop may use it.
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
	uv_timer_t tick; /* fires when the earliest of the timers is due */
	struct timers timers;
	struct list deferred;
	struct thread *spawner; /* starts programs (program.c); NULL until there is one to start */
	bool ticking; /* timers are firing, and the tick is set once, after the last of them */
};

int loop_alloc(struct loop **loopp);

/* Runs until loop_stop.  Everything that was set up on the loop must be closed before the last
 * reference to the loop is released. */
void loop_run(struct loop *loop);
void loop_stop(struct loop *loop);

/* The monotonic time at which the current callback began; timers count from it.  In the handler of
 * a timer it is the time at which that timer was due, unless another callback has begun since. */
static inline uint64_t loop_now_us(const struct loop *loop)
{
	return loop->timers.now_us;
}

/* A call to be made once the running callback has ended and before the loop waits again.  A zeroed
 * struct is ready for use.  If it is deferred again before it has run, it runs only once, with the
 * new handler and argument. */
typedef void(deferred_h)(void *arg);

struct deferred {
	struct link link;
	deferred_h *handler;
	void *arg;
};

void loop_defer(struct loop *loop, struct deferred *deferred, deferred_h *handler, void *arg);
void loop_undefer(struct loop *loop, struct deferred *deferred);

/* Every callback from libuv begins with loop_enter, which moves the clock, and ends with
 * loop_leave, which makes the deferred calls. */
void loop_enter(struct loop *loop);
void loop_leave(struct loop *loop);

/* Watches a file descriptor for reading and writing, level-triggered.  An error on the descriptor
 * is reported as the events that are watched for, so that the read or write that follows fails with
 * it.  The handler may free the owner of the watch only through watch_close. */
enum { WATCH_READ = UV_READABLE, WATCH_WRITE = UV_WRITABLE };

typedef void(watch_h)(void *arg, int events);
typedef void(watch_closed_h)(void *arg);

struct watch {
	uv_poll_t poll;
	struct loop *loop;
	watch_h *handler;
	watch_closed_h *closed;
	void *arg;
	int events; /* the events that are being watched for */
};

/* Watches nothing until watch_set is called.  The caller keeps the descriptor, which can have only
 * one watch: EEXIST. */
int watch_open(struct watch *watch, struct loop *loop, int fd, watch_h *handler, void *arg);

/* Selects what to watch for: WATCH_READ, WATCH_WRITE, both or 0. */
void watch_set(struct watch *watch, int events);

/* Stops watching.  The descriptor may be closed after this call, but the memory of the watch must
 * remain valid until the loop has called `closed`. */
void watch_close(struct watch *watch, watch_closed_h *closed);

#endif
