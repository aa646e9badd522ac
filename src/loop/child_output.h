/*
 * child_output.h: logs what a child process writes, line by line.
 *
 * The child writes to a pipe of its own.  If it had our standard error, it could do more
 * than write: move the position of a log file that is not opened for appending, change the
 * flags of the shared descriptor, or write lines that look like ours.
 */
#ifndef LOOP_CHILD_OUTPUT_H
#define LOOP_CHILD_OUTPUT_H

#include "loop/loop.h"

/* Further lines within a minute are dropped and counted, so that a child that writes without
 * end cannot fill the disk.  The longest sanitizer report has fewer lines. */
#define CHILD_OUTPUT_LINES_MAX 1000

/* Longer lines are cut: the log's own limit, less the prefix. */
#define CHILD_OUTPUT_LINE_MAX 800

struct child_output;

/* *fdp is the end for the child, close-on-exec; the caller closes it.  Lines are logged
 * under this name.  A line in the log's own format keeps its level. */
int child_output_open(struct child_output **outputp, int *fdp, struct loop *loop, const char *name);

/* Logs what is left in the pipe and closes it. */
void child_output_close(struct child_output *output);

#endif
