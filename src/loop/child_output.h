/*
 * child_output.h: logs what a child process writes, line by line.
 *
 * The child writes to a pipe of its own.  If it had our standard error, it could do more than write
 * log lines: move the position of a log file that is not opened for appending, change the flags of
 * the shared descriptor, or write lines that look like ours.
 */
#ifndef LOOP_CHILD_OUTPUT_H
#define LOOP_CHILD_OUTPUT_H

#include "loop/loop.h"

/* Lines per minute; more are dropped and counted, so that a child that writes endlessly cannot fill
 * the disk.  The longest sanitizer report has fewer lines. */
#define CHILD_OUTPUT_LINES_MAX 1000

/* Longer lines are truncated.  This is the log's own limit, less the prefix. */
#define CHILD_OUTPUT_LINE_MAX 800

struct child_output;

/* *fdp is the child's end of the pipe, close-on-exec; the caller closes it.  Lines are logged under
 * `name`.  A line that is in the log's own format keeps its level. */
int child_output_open(struct child_output **outputp, int *fdp, struct loop *loop, const char *name);

/* Logs what is left in the pipe and closes it; the loop frees the memory later. */
void child_output_close(struct child_output *output);

#endif
