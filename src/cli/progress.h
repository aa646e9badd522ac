/*
 * progress.h: how far a long command is.
 *
 * On a terminal one line that is redrawn; elsewhere (a log, a pipe) a line for
 * every step, and for every quarter of one that takes time.
 */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#define PROGRESS_STEP_MAX 256

struct progress {
	bool quiet;
	bool terminal; /* standard output is one */
	char step[PROGRESS_STEP_MAX];
	unsigned shown; /* per cent, as drawn last */
};

void progress_init(struct progress *progress, bool quiet);

/* A new step begins. */
void progress_step(struct progress *progress, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* So much of the step is done; more than there was to do is all of it. */
void progress_part(struct progress *progress, uint64_t done, uint64_t total);

/* The last step has ended, well or not. */
void progress_end(struct progress *progress);

#endif
