/*
 * launch.c: how a worker's process is started: its arguments and what it sees
 * of our environment.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/count.h"
#include "speech/pool_private.h"

#define ARGUMENTS_MAX 32

/* What an engine sees of our environment: where things are and how to speak to
 * its user.  The rest (a password for the store, say) is none of its business. */
static bool is_for_engines(const char *variable)
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

static void select_environment(char *env[], size_t max, char *const *more)
{
	size_t n = 0;

	for (; more && *more && n + 1 < max; ++more)
		env[n++] = *more;
	for (char **variable = environ; variable && *variable && n + 1 < max; ++variable) {
		if (is_for_engines(*variable))
			env[n++] = *variable;
	}
	env[n] = NULL;
}

static unsigned memory_mb_of(const struct fleet *fleet)
{
	const struct pool_options *options = &fleet->pool->options;

	return options->large_engine && strcmp(fleet->name, options->large_engine) == 0
		       ? options->large_memory_mb
		       : options->memory_mb;
}

/* Whether the operator has listed the engine as one that generates code. */
static bool launch_is_jit(const struct fleet *fleet)
{
	const char *names = fleet->pool->options.jit_engines;

	while (names && *names) {
		size_t len;

		names += strspn(names, " ,");
		len = strcspn(names, " ,");
		if (len > 0 && len == strlen(fleet->name) && strncmp(names, fleet->name, len) == 0)
			return true;
		names += len;
	}
	return false;
}

/* argv of the confined engine: launcher…, program, its limits. */
int launch_worker(struct child **childp, int *fdp, struct fleet *fleet, child_exit_h *handler,
		  void *arg)
{
	static char memory_option[] = "--memory-mb";
	static char cpu_option[] = "--cpu-seconds";
	static char hooks_option[] = "--test-hooks";
	static char jit_option[] = "--jit";
	static char report_option[] = "--report";
	const struct pool *pool = fleet->pool;
	char memory[16];
	char cpu[16];
	char *argv[ARGUMENTS_MAX];
	char *env[64];
	size_t n = 0;

	snprintf(memory, sizeof(memory), "%u", memory_mb_of(fleet));
	snprintf(cpu, sizeof(cpu), "%u", pool->options.cpu_seconds);
	for (char **word = pool->launcher; word && *word && n < ARGUMENTS_MAX - 8; ++word) {
		char *put = *word;

		if (strcmp(*word, POOL_MEMORY_WORD) == 0)
			put = memory;
		else if (strcmp(*word, POOL_JIT_WORD) == 0)
			put = launch_is_jit(fleet) ? jit_option : NULL;
		else if (strcmp(*word, POOL_REPORT_WORD) == 0)
			put = pool->worker_serial == 1 ? report_option : NULL;
		if (put)
			argv[n++] = put;
	}
	argv[n++] = fleet->program;
	argv[n++] = memory_option;
	argv[n++] = memory;
	argv[n++] = cpu_option;
	argv[n++] = cpu;
	if (pool->options.test_hooks)
		argv[n++] = hooks_option;
	argv[n] = NULL;
	select_environment(env, COUNT(env), pool->environment);
	return child_spawn(childp, fdp, pool->loop, argv, env, fleet->name, handler, arg);
}
