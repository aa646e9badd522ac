/*
 * launch.c: how a worker's process is started: its arguments and what it sees of
 * our environment (see launch.h).
 */
#include "workers/launch.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/count.h"

#define LAUNCH_ARGUMENTS_MAX 32

/* What a worker sees of our environment: where things are, and what language its
 * user reads.  The rest, such as a password for the store, it must not see. */
static bool launch_passes_on(const char *variable)
{
	static const char *const names[] = {
		"PATH=",
		"HOME=",
		"TMPDIR=",
		"TZ=",
		"LANG=",
		"LANGUAGE=",
		"LC_",
		"LD_LIBRARY_PATH=",
		"ESPEAK_DATA_PATH=",
		"SYRINX_ENGINE_", /* paths in these are readable, too */
		/* sanitizers */
		"ASAN_OPTIONS=",
		"LSAN_OPTIONS=",
		"TSAN_OPTIONS=",
		"UBSAN_OPTIONS=",
	};

	for (size_t i = 0; i < COUNT(names); ++i) {
		if (strncmp(variable, names[i], strlen(names[i])) == 0)
			return true;
	}
	return false;
}

static void launch_select_environment(char *env[], size_t max, char *const *more)
{
	size_t n = 0;

	for (; more && *more && n + 1 < max; ++more)
		env[n++] = *more;
	for (char **variable = environ; variable && *variable && n + 1 < max; ++variable) {
		if (launch_passes_on(*variable))
			env[n++] = *variable;
	}
	env[n] = NULL;
}

int launch_worker(struct child **childp, int *fdp, struct loop *loop, const char *name,
		  char *program, const struct launch_options *options, bool is_first,
		  child_exit_h *handler, void *arg)
{
	static char memory_option[] = "--memory-mb";
	static char cpu_option[] = "--cpu-seconds";
	static char hooks_option[] = "--test-hooks";
	static char jit_option[] = "--jit";
	static char report_option[] = "--report";
	char memory[16];
	char cpu[16];
	char *argv[LAUNCH_ARGUMENTS_MAX];
	char *env[64];
	size_t n = 0;

	snprintf(memory, sizeof(memory), "%u", options->memory_mb);
	snprintf(cpu, sizeof(cpu), "%u", options->cpu_seconds);
	for (char *const *word = options->launcher; word && *word && n < LAUNCH_ARGUMENTS_MAX - 8;
	     ++word) {
		char *put = *word;

		if (strcmp(*word, LAUNCH_MEMORY_WORD) == 0)
			put = memory;
		else if (strcmp(*word, LAUNCH_JIT_WORD) == 0)
			put = options->jit ? jit_option : NULL;
		else if (strcmp(*word, LAUNCH_REPORT_WORD) == 0)
			put = options->report && is_first ? report_option : NULL;
		if (put)
			argv[n++] = put;
	}
	argv[n++] = program;
	argv[n++] = memory_option;
	argv[n++] = memory;
	argv[n++] = cpu_option;
	argv[n++] = cpu;
	if (options->test_hooks)
		argv[n++] = hooks_option;
	argv[n] = NULL;
	launch_select_environment(env, COUNT(env), options->environment);
	return child_spawn(childp, fdp, loop, argv, env, name, handler, arg);
}
