/*
 * subprocess.h: runs another program, or a function of this one, in a separate process without a
 * shell, and waits for it.
 *
 * The process has its own process group and an empty standard input. It is ended with everything
 * that it started if we are interrupted (cli/interrupt.h) or die.
 */
#ifndef CLI_SUBPROCESS_H
#define CLI_SUBPROCESS_H

struct subprocess {
	const char *const *argv; /* argv[0] is searched for in PATH; terminated by NULL */
	int (*run)(void *arg); /* called in the process if argv is NULL; returns the exit status */
	int dir_fd; /* its working directory */
	const char *output; /* the file there that receives its output, replacing an existing one */
	void (*tick)(void *arg); /* called a few times a second meanwhile; may be NULL */
	void *arg;
};

/* EINTR if we were interrupted, ECHILD if the process ended with another status than 0, otherwise
 * the reason why it could not be started. */
int subprocess_run(const struct subprocess *process);

#endif
