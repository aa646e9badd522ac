/*
 * program_path.h: finds another program of this installation.
 *
 * The server, the benchmark and the engines are installed in one directory and built in one, so
 * a program finds the others next to its own executable, wherever that is.
 */
#ifndef CLI_PROGRAM_PATH_H
#define CLI_PROGRAM_PATH_H

#include <stddef.h>

/* Writes the path of the program `name`, which need not exist. */
int program_path_find(char *path, size_t size, const char *name);

#endif
