/*
 * resident.h: how much memory a process has.
 */
#ifndef BENCH_RESIDENT_H
#define BENCH_RESIDENT_H

#include <stddef.h>
#include <sys/types.h>

/* In bytes; 0 when there is no such process. */
size_t resident_bytes(pid_t pid);

#endif
