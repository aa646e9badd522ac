/*
 * program.h: what the main functions of all engines in C share: their arguments and how they
 * confine themselves.
 *
 *     syrinx-NAME [--fd N] [--cpu-seconds N] [--memory-mb N] [--test-hooks]
 *
 * The server starts the program with one end of a socket pair as descriptor 3. The environment
 * variables SYRINX_VOICES and SYRINX_MODELS are the folders of installed voices and models.
 */
#ifndef ENGINE_PROGRAM_H
#define ENGINE_PROGRAM_H

#include "engine/engine.h"
#include "workers/confine.h"

struct program {
	const char *name; /* of the engine, for the log */
	int fd;
	unsigned cpu_seconds; /* 0: no limit */
	struct confine_request request;
	struct engine_options options;
};

/* The arguments of main become settings; those that are not given keep the values that they have.
 * Prints the usage and returns EINVAL if they are wrong. Also configures the memory allocator, so
 * it must be called first. */
int program_init(struct program *program, int argc, char **argv);

/* Confines the process as a launcher would have done it, unless one has. Afterwards other processes
 * of the same user cannot read its memory. */
int program_confine(const struct program *program);

/* Limits the CPU time that the whole process may use from now on: then SIGPROF ends it. 0 means no
 * limit. Elapsed time would not do: an engine in an endless loop must be ended, but one that waits
 * for the server may wait as long as the server wants. */
int program_limit_cpu(unsigned seconds);

/* Ends the process at once, because the server is gone or nothing more can be done for it: a
 * destructor would wait for engines that still compute. */
_Noreturn void program_leave(const char *name, int err);

#endif
