/*
 * runner.h: connects an engine in C to the server.
 *
 * It speaks the worker protocol (docs/worker-protocol.md) on one stream socket and calls the
 * engine's functions: it answers HELLO with voices, notes and READY, then runs jobs. A cancel
 * takes effect when the engine next calls its sink, and an engine without credit waits there.
 *
 * An engine that speaks one text at a time is called on the caller's thread, which reads messages
 * whenever the engine calls its sink. An engine that speaks several texts is called from that
 * many threads, while the caller's thread reads messages.
 */
#ifndef ENGINE_RUNNER_H
#define ENGINE_RUNNER_H

#include "engine/engine.h"

struct runner;

/* The engine has been opened; state and fd remain the caller's. cpu_seconds limits the CPU time
 * after which SIGPROF ends the process: that of one job, or with several jobs that of all of them
 * together while none calls its sink; 0 means no limit. Starts the threads, so it must be called
 * before confine_engine. */
int runner_alloc(struct runner **runnerp, const struct engine *engine, void *state, int fd,
		 unsigned cpu_seconds);

/* Serves until the server closes the socket (returns 0), or until the socket fails or the server
 * violates the protocol (an errno; EPROTO for bytes that are not a message). When the socket is
 * closed during a job, the process exits at once, because its result is not needed. */
int runner_run(struct runner *runner);

#endif
