/*
 * launch.h: how a worker's process is started.
 *
 * The argv of a worker is the launcher's words, the program, and the limits that
 * the program should set for itself.  Some words of the launcher are replaced.
 */
#ifndef WORKERS_LAUNCH_H
#define WORKERS_LAUNCH_H

#include "loop/child.h"

/* Replaced by the memory that the worker may use. */
#define LAUNCH_MEMORY_WORD "{memory_mb}"

/* Replaced by --report for the first worker of a fleet that was asked to, otherwise left out. */
#define LAUNCH_REPORT_WORD "{report}"

/* Replaced by --jit for a program that may generate code at run time, otherwise left out. */
#define LAUNCH_JIT_WORD "{jit}"

/* Must outlive the fleet. */
struct launch_options {
	char *const *launcher; /* argv that runs a program confined; NULL-terminated, may be NULL */
	char *const *environment; /* "NAME=value", besides what workers see of ours;
				     NULL-terminated, may be NULL */
	unsigned memory_mb; /* of one worker */
	unsigned cpu_seconds; /* of one piece of work */
	bool jit;
	bool report;
	bool test_hooks; /* programs obey the words that tests use */
};

/* Starts the program and gives our end of its socket. */
int launch_worker(struct child **childp, int *fdp, struct loop *loop, const char *name,
		  char *program, const struct launch_options *options, bool is_first,
		  child_exit_h *handler, void *arg);

#endif
