/*
 * program.h: starts a program without blocking the loop.
 *
 * A fork and the wait for the exec after it take milliseconds, and on a busy machine a tenth of a
 * second, so they happen on a thread.  Each loop has one such thread, created for its first program
 * and ended with the loop.  It must not end earlier, because a program that asks the kernel to be
 * killed with its parent (PR_SET_PDEATHSIG) is killed when the thread that started it ends.
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

	/* Both are -1 for a program that inherits our standard streams.  Our copies are closed when
	 * the program has them, so that their other ends notice its exit.  They stay open if it
	 * could not be started, so that the error is reported before the end of file. */
	int output_fd; /* becomes standard output and standard error */
	int socket_fd; /* becomes PROGRAM_LAST_FD */

	pthread_mutex_t lock; /* guards the fields below */
	int signal; /* to be sent to the program as soon as it exists; 0 if none */
	pid_t pid; /* 0 until it has been started */
	int pidfd; /* -1 until it has been started; readable when it has ended */
	int err; /* the reason why it could not be started; 0 if none */
};

/* Copies the path, the arguments and the environment.  Takes ownership of the descriptors, even if
 * the call fails. */
int program_init(struct program *program, const char *path, char *const argv[], char *const env[],
		 int output_fd, int socket_fd);

/* Frees what the object holds.  The process, if there is one, is not affected. */
void program_reset(struct program *program);

/* Starts the program.  The loop calls `done` later, never from inside this call.  By then either
 * pid and pidfd are set, or err, or neither if program_kill was called first. */
int program_start(struct program *program, struct loop *loop, task_done_h *done);

/* Sends a signal; allowed until the process has been reaped.  A program that has not been started
 * yet is not started any more. */
void program_kill(struct program *program, int signal);

/* Returns 0 if it has not been started. */
pid_t program_pid(struct program *program);

#endif
