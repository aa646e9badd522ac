/*
 * runner.h: the server's side of an engine in C.
 *
 * Speaks the worker protocol (docs/worker-protocol.md) on one stream socket
 * and calls the engine's functions: HELLO is answered by voices, notes and
 * READY, then jobs run.  A cancel takes effect when the engine next calls its
 * sink, and an engine without credit waits there.
 *
 * An engine that speaks one text at a time is called on the caller's thread,
 * which reads messages whenever the sink is called.  One that speaks several is
 * called from as many threads, and the caller's reads messages all the time.
 */
#ifndef ENGINE_RUNNER_H
#define ENGINE_RUNNER_H

#include "engine/engine.h"

struct runner;

/* For an engine that is open; state and fd stay the caller's.  cpu_seconds is
 * the most that one job may use before SIGPROF ends the process, or with
 * several jobs all of them together without one calling its sink; 0 is no
 * limit.  Threads are started here, so it comes before confine_engine. */
int runner_alloc(struct runner **runnerp, const struct engine *engine, void *state, int fd,
		 unsigned cpu_seconds);

/* Serves until the server closes the socket (0), or until the socket or the
 * server is broken (errno; EPROTO for bytes that are no message).  When the
 * socket closes during a job there is nobody left to work for, and the process
 * ends on the spot. */
int runner_run(struct runner *runner);

#endif
