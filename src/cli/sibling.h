/*
 * sibling.h: another program of this installation.
 *
 * The server, the benchmark and the engines are installed in one directory and built in one, so a
 * program finds the others next to its own file, wherever that is.
 */
#ifndef CLI_SIBLING_H
#define CLI_SIBLING_H

#include <stddef.h>

/* Writes the path of the program `name`, which need not exist. */
int sibling_path(char *path, size_t size, const char *name);

#endif
