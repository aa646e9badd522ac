/*
 * launch.c: how a worker's process is started: its arguments and its environment
 * (see launch.h).
 */
#include "workers/launch.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/count.h"

#define LAUNCH_ARGUMENTS_MAX 32

/* Whether workers are given this variable of our environment.  They are given paths and the locale,
 * but nothing that might be secret, such as a password for the store. */
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
		"SYRINX_ENGINE_", /* workers may also read the paths in these (confine_files.c) */
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

void launch_free_words(char **words)
{
	for (char **word = words; word && *word; ++word)
		free(*word);
	free(words);
}

int launch_copy_words(char ***copyp, const char *const *words)
{
	size_t n = 0;
	char **copy;

	while (words && words[n])
		++n;
	copy = calloc(n + 1, sizeof(*copy));
	for (size_t i = 0; copy && i < n; ++i) {
		copy[i] = strdup(words[i]);
		if (!copy[i]) {
			launch_free_words(copy);
			return ENOMEM;
		}
	}
	*copyp = copy;
	return copy ? 0 : ENOMEM;
}

bool launch_is_listed(const char *names, const char *name)
{
	while (names && *names) {
		size_t len;

		names += strspn(names, " ,");
		len = strcspn(names, " ,");
		if (len > 0 && len == strlen(name) && strncmp(names, name, len) == 0)
			return true;
		names += len;
	}
	return false;
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
