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
 *                                     and the inherited socket need, in any language; it
 *                                     cannot change files, start or signal other processes
 *   engine filter   confine_calls.c   for an engine in C once it is open: far fewer calls, and
 *                                     no memory that is or becomes executable
 *
 * All of these restrict the calling process, and cannot be undone.
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

/* The folders of voices and of models, which the server sets for every engine. */
#define CONFINE_VOICES_VARIABLE "SYRINX_VOICES"
#define CONFINE_MODELS_VARIABLE "SYRINX_MODELS"

struct confine_request {
	uint32_t memory_mb; /* limit of the address space; 0: none */
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
	unsigned landlock; /* the version of Landlock; 0: it is not used */
	int landlock_err; /* why it is not used */
	bool mounts; /* it has a root directory of its own */
	int mounts_err; /* why not; 0: it was not tried, because nothing needs it */
	bool switched; /* it runs as another user */
	int switch_err; /* why not; 0: it was not tried */
	bool network_namespace;
};

/* Confines the calling process.  Must be called before exec, or first in main, while the process has
 * one thread.  The paths of the folders of voices and models, of eSpeak's data and of libraries, and
 * those in SYRINX_ENGINE_*, are taken from the environment.
 *
 * After an error (a limit or the filter could not be set) the process must not continue.  A kernel that
 * has neither Landlock nor namespaces is not an error; the report says so.  Descriptors above 3
 * are closed when a program is executed. */
int confine_outer(const struct confine_request *request, struct confine_report *report);

/* Calls the handler with one sentence about everything that is enforced, and with one for each thing
 * that is not.  Must be called in the confined process. */
typedef void(confine_explain_h)(bool enforced, const char *sentence, void *arg);
void confine_explain(const struct confine_report *report, confine_explain_h *handler, void *arg);

/* Whether an engine could read this file or directory.  If it could, `where` is the path of the system
 * or of the request that allows it. */
bool confine_shows(char *where, size_t size, const struct confine_request *request,
		   const char *path);

/* Applies the engine filter.  Afterwards files can be opened for reading only and memory can no longer
 * be made executable, so libraries must have been loaded.  In a build with a sanitizer, which needs
 * more system calls than any engine, it does nothing and says so in the log. */
int confine_engine(void);

/* Whether the filters are as strict as in a release build.  A build with a sanitizer allows engines
 * more, because sanitizers start processes, trace the process and send signals. */
bool confine_has_engine_filter(void);

/* Prevents other processes of the same user from reading this one's memory and environment.
 * Does nothing in a build with a sanitizer, which traces the process itself. */
int confine_hide_memory(void);

#endif
