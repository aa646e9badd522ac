/*
 * pump.h: drives a loop inside a test, without waiting for wall time.
 */
#ifndef TEST_NET_PUMP_H
#define TEST_NET_PUMP_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#include "loop/loop.h"

/* Runs the loop until nothing is ready.  A few iterations more than needed are made, because
 * closing a connection takes several. */
static inline void pump(struct loop *loop)
{
	for (int i = 0; i < 16; ++i) {
		loop_enter(loop);
		loop_leave(loop);
		uv_run(&loop->uv, UV_RUN_NOWAIT);
	}
}

/* Moves the loop's clock ahead of the real one, and fires the timers that become due. */
static inline void pump_ahead(struct loop *loop, uint64_t ms)
{
	timers_advance(&loop->timers, loop->timers.now_us + ms * 1000);
	pump(loop);
}

/* Runs until *flag, which something on the loop sets. */
static inline void pump_until(struct loop *loop, const bool *flag)
{
	while (!*flag) {
		loop_enter(loop);
		loop_leave(loop);
		if (!*flag) /* a deferred call may have set it, and then no event may follow */
			uv_run(&loop->uv, UV_RUN_ONCE);
	}
}

static inline void socket_pair(int fd[2])
{
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fd) != 0)
		fd[0] = fd[1] = -1;
}

#endif
