/*
 * resident.h: the memory of a process.
 */
#ifndef BENCH_RESIDENT_H
#define BENCH_RESIDENT_H

#include <stddef.h>
#include <sys/types.h>

/* The resident memory in bytes; 0 if there is no such process. */
size_t resident_bytes(pid_t pid);

#endif
