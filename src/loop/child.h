/*
 * child.h: a child process with one socket.
 *
 * The child gets a connected stream socket as file descriptor 3, nothing to
 * read on its standard input, and for what it has to say either our standard
 * error or a pipe whose lines are logged (see child_output.h).
 */
#ifndef LOOP_CHILD_H
#define LOOP_CHILD_H

#include <signal.h>
#include <sys/types.h>

#include "loop/loop.h"

#define CHILD_SOCKET_FD 3

struct child;

/* The process has ended; the last thing that is heard of it. */
typedef void(child_exit_h)(int status, int signal, void *arg);

/* Starts argv[0] (a path; PATH is not searched) with this environment.  Its output is logged
 * under `name`; NULL: the program is trusted and inherits our standard error.  *fdp is our
 * end of the socket, non-blocking; the caller closes it. */
int child_spawn(struct child **childp, int *fdp, struct loop *loop, char *const argv[],
		char *const env[], const char *name, child_exit_h *handler, void *arg);

pid_t child_pid(const struct child *child);
void child_kill(struct child *child, int signal);

/* How much processor time a child's current threads have received, in total. */
struct child_processors {
	uint64_t ran_us;
	uint64_t waited_us; /* ready to run, but without a processor; up to when it last got one */
	bool is_ready; /* one of the threads is running or waiting for a processor right now */
};

/* All zero if the kernel does not provide the figures. */
struct child_processors child_processors(const struct child *child);

/* mem_deref gives the child up: it is killed if it still runs, its exit is
 * awaited by the loop, and the handler hears nothing more. */

#endif
