/*
 * progress.h: shows the progress of a long command.
 *
 * On a terminal, this is one line that is redrawn; otherwise (a log, a pipe) it is one line per
 * step, and per quarter of a step that takes long.
 */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#define PROGRESS_STEP_MAX 256

struct progress {
	bool quiet;
	bool terminal; /* standard output is a terminal */
	char step[PROGRESS_STEP_MAX];
	unsigned shown; /* the percentage that was drawn last */
};

void progress_init(struct progress *progress, bool quiet);

/* Begins a new step. */
void progress_step(struct progress *progress, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Reports how much of the step is done. If `done` is larger than `total`, the step is complete. */
void progress_update(struct progress *progress, uint64_t done, uint64_t total);

/* Ends the last step, whether it succeeded or failed. */
void progress_end(struct progress *progress);

#endif
