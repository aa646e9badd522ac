/*
 * child_output.h: what a child process says, line by line in our log.
 *
 * The child writes to a pipe of its own.  With our standard error in its hands
 * it could do more than write: move the position of a log file that is not
 * opened for appending, change the flags of the descriptor that we write to, or
 * write lines that look like ours.
 */
#ifndef LOOP_CHILD_OUTPUT_H
#define LOOP_CHILD_OUTPUT_H

#include "loop/loop.h"

/* More lines in a minute are left out and counted; the longest report of a
 * sanitizer has fewer.  A child that writes without end would fill the disk. */
#define CHILD_OUTPUT_LINES_MAX 1000

/* Longer lines are cut: the log's own limit, less what stands before them. */
#define CHILD_OUTPUT_LINE_MAX 800

struct child_output;

/* *fdp is the end for the child, closed on exec, the caller's to close.  Lines
 * are logged under this name, with the level that they begin with if they are
 * in the log's own form. */
int child_output_open(struct child_output **outputp, int *fdp, struct loop *loop, const char *name);

/* Logs what is still in the pipe and closes it. */
void child_output_close(struct child_output *output);

#endif
