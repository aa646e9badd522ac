/*
 * confine.h: what a worker process may do.
 *
 * An engine turns text that strangers wrote into samples with libraries that
 * have crashed on such text before.  So it runs with its own limits and behind
 * two system call filters, and whatever it does wrong ends with its process:
 *
 *   confine_outer   for a program in any language, called before exec or first
 *                   in main: resource limits, no privileges, no network, no
 *                   files written, death with the parent (with the thread that
 *                   started it, more exactly) and not by SIGINT or SIGTERM.
 *   confine_engine  for an engine in C once its library is open: only the
 *                   system calls that reading files, computing and talking on
 *                   the inherited socket need.  Anything else kills.
 *
 * Both act on the calling process for good and must be called while it has one
 * thread, or before it has more that matter.  A file as standard error counts
 * as a file written: give a worker a pipe or a terminal, or its log is lost.
 */
#ifndef SYNTH_CONFINE_H
#define SYNTH_CONFINE_H

#include <stdbool.h>
#include <stdint.h>

struct confine_limits {
	uint32_t memory_mb; /* of address space; 0 is no limit */
};

/* Positive errno when a limit or the filter could not be set: the caller must
 * not go on.  A network namespace of its own is taken where the kernel allows
 * it and not missed where not: the filter refuses sockets anyway (EACCES,
 * because libraries try harmless ones; calls nobody makes by accident, such
 * as ptrace or mount, kill). */
int confine_outer(const struct confine_limits *limits);

/* Afterwards files can be opened for reading only and memory can no longer be
 * made executable: libraries must be loaded by then.  Under the sanitizers,
 * which need more than any engine, it does nothing and says so in the log. */
int confine_engine(void);

/* Whether confine_engine does anything in this build. */
bool confine_has_engine_filter(void);

#endif
