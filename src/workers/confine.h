/*
 * confine.h: what a worker process may do.
 *
 * An engine turns untrusted text into samples, with libraries that have crashed on such text
 * before.  The confinement assumes the worst: that an attacker controls the engine's code
 * from its first instruction.  All that such an engine can still reach is its socket to the
 * server and its own data.
 *
 *   layer           file              what it enforces
 *   limits          confine.c         address space, open files, threads, no core dumps, no
 *                                     bytes written to files, death with the server
 *   mounts          confine_mounts.c  a root directory that holds only what may be read: where
 *                                     Landlock is missing, and for every worker of root
 *   user            confine_user.c    another user for the workers of root, no capabilities
 *   Landlock        confine_files.c   reading and executing only what is listed, changing
 *                                     nothing, no TCP, no signals (as far as the kernel's
 *                                     version allows)
 *   outer filter    confine_calls.c   the system calls that computing, reading files, threads
 *                                     and the inherited socket need, in any language; no file
 *                                     is changed, no process started, nobody else signalled
 *   engine filter   confine_calls.c   for an engine in C once it is open: far fewer calls, and
 *                                     no memory that is or becomes executable
 *
 * All act on the calling process for good.
 */
#ifndef WORKERS_CONFINE_H
#define WORKERS_CONFINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Set for a program that its launcher has confined, so that it does not confine itself again. */
#define CONFINE_VARIABLE "SYRINX_ENGINE_CONFINED"

/* A Landlock version that limits the kernel's, for tests of older kernels. */
#define CONFINE_LANDLOCK_VARIABLE "SYRINX_ENGINE_LANDLOCK_MAX"

/* The folder of voices, which the server sets for every engine. */
#define CONFINE_VOICES_VARIABLE "SYRINX_VOICES"

struct confine_request {
	uint32_t memory_mb; /* of address space; 0 is no limit */
	const char *program; /* executed afterwards; NULL: none */
	const char *paths; /* readable in addition, separated by ':'; NULL: none */
	pid_t parent; /* the worker dies with this process; 0: with its current parent */
	bool switch_user; /* to the user below, if the caller is root */
	uid_t uid;
	gid_t gid;
	bool jit; /* the program generates code at run time */
};

/* What was enforced, to be reported to the operator. */
struct confine_report {
	unsigned landlock; /* its version; 0: none */
	int landlock_err; /* why it is not used */
	bool mounts; /* it has a root directory of its own */
	int mounts_err; /* why not; 0: it was not tried, because nothing needs it */
	bool switched; /* to another user */
	int switch_err;
	bool network_namespace;
};

/* Called before exec, or first in main, while the process has one thread.  The voices
 * folder, eSpeak's data, libraries and the paths in SYRINX_ENGINE_* are taken from the
 * environment.
 *
 * A positive errno when a limit or the filter could not be set: the caller must not
 * continue.  A kernel that has neither Landlock nor namespaces is not an error; the report
 * says so.  Descriptors above 3 are closed when a program is executed. */
int confine_outer(const struct confine_request *request, struct confine_report *report);

/* One sentence about everything that is enforced, and one for each thing that is
 * not.  Called as the confined process. */
typedef void(confine_explain_h)(bool enforced, const char *sentence, void *arg);
void confine_explain(const struct confine_report *report, confine_explain_h *handler, void *arg);

/* Whether an engine could read this file or directory, and which path of the system or of the
 * request allows it. */
bool confine_shows(char *where, size_t size, const struct confine_request *request,
		   const char *path);

/* Afterwards files can be opened for reading only and memory can no longer be
 * made executable: libraries must be loaded by then.  Under the sanitizers,
 * which need more than any engine, it does nothing and says so in the log. */
int confine_engine(void);

/* Whether the filters are as strict as in a release build: sanitizers start processes, trace
 * the process and send signals, so a build with one of them allows engines more. */
bool confine_has_engine_filter(void);

/* Prevents other processes of the same user from reading this one's memory and environment.
 * Does nothing in a build with a sanitizer, which traces the process itself. */
int confine_hide_memory(void);

#endif
