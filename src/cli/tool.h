/*
 * tool.h: another program, or a function of this one, run to its end in a process of
 * its own, without a shell.
 *
 * The process has a process group of its own, with nothing to read, and is ended
 * with all that it started when we are interrupted (cli/interrupt.h) or die.
 */
#ifndef CLI_TOOL_H
#define CLI_TOOL_H

struct tool {
	const char *const *argv; /* argv[0] is searched in PATH; NULL at the end */
	int (*run)(void *arg); /* where argv is NULL: what it does; returns the exit status */
	int dir_fd; /* where it runs */
	const char *output; /* its output goes into this file there, which is replaced */
	void (*tick)(void *arg); /* called a few times a second meanwhile; may be NULL */
	void *arg;
};

/* EINTR: we were interrupted.  ECHILD: it ended with another status than 0.
 * Otherwise what kept it from starting. */
int tool_run(const struct tool *tool);

#endif
