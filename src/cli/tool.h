/*
 * tool.h: another program, run to its end without a shell.
 *
 * It runs in a process group of its own, with nothing to read, and is ended
 * with all that it started when we are interrupted (cli/interrupt.h) or die.
 */
#ifndef CLI_TOOL_H
#define CLI_TOOL_H

#include <stdbool.h>

struct tool {
	const char *const *argv; /* argv[0] is searched in PATH; NULL at the end */
	int dir_fd; /* where it runs */
	const char *output; /* what it says goes into this file there */
	void (*tick)(void *arg); /* called a few times a second meanwhile; may be NULL */
	void *arg;
};

/* EINTR: we were interrupted.  ECHILD: it ended with another status than 0.
 * Otherwise what kept it from starting. */
int tool_run(const struct tool *tool);

/* Whether PATH has this program. */
bool tool_exists(const char *name);

#endif
