/*
 * children.h: the child processes of a test, and the folder that they run in.
 */
#ifndef TEST_CHILDREN_H
#define TEST_CHILDREN_H

#include <sys/types.h>

#define CHILDREN_MAX 64

/* The child processes of this one that are alive.  Returns their number. */
unsigned children_list(pid_t *pids, unsigned max);
void children_signal(int signal);

/* A new folder below TMPDIR. */
void children_make_dir(char *dir, size_t size);
/* A link to a program in that folder, under the name of an engine: syrinx-NAME. */
void children_add_program(const char *dir, const char *name, const char *program);
/* Removes the folder and the files in it. */
void children_remove_dir(const char *path);

#endif
