/*
 * program.h: starts a program without blocking the loop.
 *
 * A fork and the wait for the exec after it take milliseconds, and on a busy machine a tenth of a
 * second, so they happen on a thread: one for each loop, made for the first program and ended with
 * the loop.  It must live that long, because a program that asks the kernel to be killed with its
 * parent (PR_SET_PDEATHSIG) is killed when the thread that started it ends.
 *
 * The loop's thread owns the object; the spawning thread works on it between program_start and
 * `done`.  This is the lower half of child.h, which is what the rest of the program uses.
 */
#ifndef LOOP_PROGRAM_H
#define LOOP_PROGRAM_H

#include <pthread.h>
#include <sys/types.h>

#include "loop/thread.h"

/* The highest descriptor that a program gets from us. */
#define PROGRAM_LAST_FD 3

struct program {
	struct task task; /* for `done` */
	char *path;
	char **argv;
	char **env;

	/* Both are -1 for a program that inherits our standard streams.  They are closed when the
	 * program has them, so that their other ends notice its exit.  They stay open if it could
	 * not be started, so that whoever reads them hears the error first. */
	int output_fd; /* becomes standard output and standard error */
	int socket_fd; /* becomes PROGRAM_LAST_FD */

	pthread_mutex_t lock; /* guards the fields below */
	int signal; /* that the program is to be sent as soon as it exists; 0 if none */
	pid_t pid; /* 0 until it has been started */
	int pidfd; /* -1 until it has been started; readable when it has ended */
	int err; /* why it could not be started */
};

/* Copies the path, the arguments and the environment.  The descriptors are the object's from here
 * on, whether or not the call succeeds. */
int program_init(struct program *program, const char *path, char *const argv[], char *const env[],
		 int output_fd, int socket_fd);

/* Frees what the object holds.  The process, if there is one, is not affected. */
void program_reset(struct program *program);

/* Has the program started.  `done` is called by the loop, never from inside this call.  After it,
 * either the pid and the pidfd are set, or the err, or neither if a signal came first. */
int program_start(struct program *program, struct loop *loop, task_done_h *done);

/* Sends a signal, at any time until the process is reaped.  A program that has not been started by
 * then never is. */
void program_kill(struct program *program, int signal);

/* 0 if it has not been started. */
pid_t program_pid(struct program *program);

#endif
