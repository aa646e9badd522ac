/*
 * runner.h: the server's side of an engine in C.
 *
 * Speaks the worker protocol (docs/worker-protocol.md) on one stream socket
 * and calls the engine's functions: HELLO is answered by the voices and READY,
 * jobs run one after another.  One thread; while the engine runs, messages are
 * read whenever it puts samples into its sink, so a cancel takes effect inside
 * a synthesis, and an engine without credit waits there.
 */
#ifndef ENGINE_RUNNER_H
#define ENGINE_RUNNER_H

#include "engine/engine.h"

struct runner;

/* For an engine that is open; state and fd stay the caller's.  cpu_seconds is
 * the most that one job may use before SIGPROF ends the process; 0 is no
 * limit. */
int runner_alloc(struct runner **runnerp, const struct engine *engine, void *state, int fd,
		 unsigned cpu_seconds);

/* Serves until the server closes the socket (0), or until the socket or the
 * server is broken (errno; EPROTO for bytes that are no message).  When the
 * socket closes during a job there is nobody left to work for, and the process
 * ends on the spot. */
int runner_run(struct runner *runner);

#endif
