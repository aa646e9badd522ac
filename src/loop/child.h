/*
 * child.h: a child process with one socket.
 *
 * The child gets a connected stream socket as file descriptor 3 and an empty standard input.  Its
 * standard output and standard error are either our standard error or a pipe whose lines are
 * logged (see child_output.h).
 *
 * Starting a program takes too long for the loop to wait for it, so it is started on another
 * thread (see program.h).  Until it has been started its pid is not known, but it can already be
 * killed, and what is written to its socket is buffered.
 */
#ifndef LOOP_CHILD_H
#define LOOP_CHILD_H

#include <signal.h>
#include <sys/types.h>

#include "loop/loop.h"

#define CHILD_SOCKET_FD 3

struct child;

/* Called when the program has been started.  May dereference the child. */
typedef void(child_started_h)(pid_t pid, void *arg);

/* Called last, when the process has ended with an exit status or because of a signal.  If err is
 * not 0, the program could not be started (ENOENT, EACCES, EAGAIN if there are too many
 * processes).  May dereference the child. */
typedef void(child_exit_h)(int err, int status, int signal, void *arg);

/* Starts argv[0] (a path; PATH is not searched) with this environment; both lists are copied.  Its
 * output is logged under `name`; NULL means that the program is trusted and inherits our standard
 * error.  *fdp is our end of the socket, non-blocking and close-on-exec; the caller closes it.  If
 * the program cannot be started, the socket reports the end of file only after the handler has been
 * called. */
int child_spawn(struct child **childp, int *fdp, struct loop *loop, char *const argv[],
		char *const env[], const char *name, child_exit_h *handler, void *arg);

/* Starts the program at `path` with our standard streams and without a socket.  It may outlive
 * us: mem_deref leaves it alone. */
int child_spawn_detached(struct child **childp, struct loop *loop, const char *path,
			 char *const argv[], char *const env[], child_started_h *started,
			 child_exit_h *handler, void *arg);

/* Returns -1 until the program has been started, and after its exit has been reported. */
pid_t child_pid(const struct child *child);

/* Sends a signal.  A program that has not been started yet is not started any more, and its exit is
 * reported with this signal. */
void child_kill(struct child *child, int signal);

/* The processor time of a child's current threads, in total. */
struct child_processors {
	uint64_t ran_us;
	uint64_t waited_us; /* ready to run but without a processor; excludes a wait in progress */
	bool is_ready; /* one of the threads is running or waiting for a processor right now */
};

/* All zero if the kernel does not provide the figures. */
struct child_processors child_processors(const struct child *child);

/* mem_deref kills the child if it still runs.  The loop reaps it, and the handler is not called. */

#endif
