/*
 * listener_runner.h: connects an engine in C that listens to the server.
 *
 * It speaks the worker protocol (docs/worker-protocol.md) on one stream socket: it answers HELLO with
 * models, notes and READY, then serves many streams at once. The caller's thread reads the socket and
 * scores the frames of all streams; other threads recognize pieces.
 */
#ifndef ENGINE_LISTENER_RUNNER_H
#define ENGINE_LISTENER_RUNNER_H

#include "engine/listener.h"

struct listener_runner;

/* The engine has been opened; state and fd remain the caller's. cpu_seconds limits the CPU time after
 * which SIGPROF ends the process: so much for each processor, while no piece is finished; 0 means no
 * limit. Starts the threads, so it must be called before confine_engine. */
int listener_runner_alloc(struct listener_runner **runnerp, const struct listener *listener,
			  void *state, int fd, unsigned cpu_seconds);

/* Serves until the server closes the socket (returns 0), or until the socket fails or the server
 * violates the protocol (an errno; EPROTO for bytes that are not a message). When the socket is
 * closed while pieces are being recognized, the process exits at once. */
int listener_runner_run(struct listener_runner *runner);

#endif
