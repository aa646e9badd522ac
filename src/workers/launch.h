/*
 * launch.h: how a worker's process is started.
 *
 * The argv of a worker is the launcher's words, the program, and options for the
 * program: the limits that it should set for itself, and whether it obeys test hooks.
 * The words of the launcher that are defined below are placeholders.
 */
#ifndef WORKERS_LAUNCH_H
#define WORKERS_LAUNCH_H

#include "loop/child.h"

/* Replaced by the memory that the worker may use, in MiB. */
#define LAUNCH_MEMORY_WORD "{memory_mb}"

/* Replaced by --report for the first worker of a fleet whose options say so, otherwise left out. */
#define LAUNCH_REPORT_WORD "{report}"

/* Replaced by --jit for a program that may generate code at run time, otherwise left out. */
#define LAUNCH_JIT_WORD "{jit}"

/* Must outlive the fleet. */
struct launch_options {
	char *const *launcher; /* argv that runs a program confined; NULL-terminated, may be NULL */
	char *const *environment; /* "NAME=value", in addition to the variables of our own that
				     workers are given; NULL-terminated, may be NULL */
	unsigned memory_mb; /* limit of one worker */
	unsigned cpu_seconds; /* limit of one piece of work */
	bool jit; /* the program generates code at run time */
	bool report; /* the first worker logs what its confinement enforces */
	bool test_hooks; /* words of the text may have a special meaning for tests */
};

/* Copies a list of words that ends with NULL; NULL is an empty list.  ENOMEM. */
int launch_copy_words(char ***copyp, const char *const *words);
void launch_free_words(char **words);

/* Whether a name is one of a list, which is separated by blanks or commas and may be NULL. */
bool launch_is_listed(const char *names, const char *name);

/* Starts the program.  *fdp is our end of its socket, which belongs to the caller. */
int launch_worker(struct child **childp, int *fdp, struct loop *loop, const char *name,
		  char *program, const struct launch_options *options, bool is_first,
		  child_exit_h *handler, void *arg);

#endif
