/*
 * program.c: what the main functions of all engines in C share (see program.h).
 */
#include "engine/program.h"

#include <errno.h>
#include <getopt.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/log.h"

/* More than a sentence needs and less than the limit of a worker. */
#define MEMORY_KEPT (32 << 20)

/* The number of malloc arenas: half a gigabyte of address space. */
#define HEAPS_MAX 8

static int program_parse_number(unsigned *number, const char *word, unsigned long max)
{
	char *end;
	unsigned long value;

	errno = 0;
	value = strtoul(word, &end, 10);
	if (errno || end == word || *end || word[0] == '-' || value > max)
		return EINVAL;
	*number = (unsigned)value;
	return 0;
}

static int program_parse(struct program *program, int argc, char **argv)
{
	static const struct option options[] = {
		{"fd", required_argument, NULL, 'f'},
		{"cpu-seconds", required_argument, NULL, 'c'},
		{"memory-mb", required_argument, NULL, 'm'},
		{"test-hooks", no_argument, NULL, 't'},
		{NULL, 0, NULL, 0},
	};
	unsigned fd = (unsigned)program->fd;
	int option;
	int err = 0;

	while (!err && (option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (option == 'f')
			err = program_parse_number(&fd, optarg, 1023);
		else if (option == 'c')
			err = program_parse_number(&program->cpu_seconds, optarg, 86400);
		else if (option == 'm')
			err = program_parse_number(&program->request.memory_mb, optarg, 1u << 20);
		else if (option == 't')
			program->options.test_hooks = true;
		else
			err = EINVAL;
	}
	if (!err && optind < argc)
		err = EINVAL;
	program->fd = (int)fd;
	return err;
}

/* An engine allocates megabytes for a sentence and frees them afterwards. By default they are
 * returned to the kernel, which clears them for the next sentence: a thirtieth of flite's
 * time.
 *
 * Threads get their own arenas, each of which reserves 64 MB of the limited address space, so
 * their number is limited as well. */
static void program_keep_memory(void)
{
	long processors = sysconf(_SC_NPROCESSORS_ONLN);

	mallopt(M_TRIM_THRESHOLD, MEMORY_KEPT);
	mallopt(M_MMAP_THRESHOLD, MEMORY_KEPT);
	mallopt(M_ARENA_MAX,
		processors > 0 && processors < HEAPS_MAX ? (int)processors : HEAPS_MAX);
}

static const char *program_folder(const char *variable)
{
	const char *folder = getenv(variable);

	return folder && folder[0] ? folder : NULL;
}

int program_init(struct program *program, int argc, char **argv)
{
	int err = program_parse(program, argc, argv);

	if (err) {
		fprintf(stderr,
			"usage: %s [--fd N] [--cpu-seconds N] [--memory-mb N] [--test-hooks]\n",
			argv[0]);
		return err;
	}
	program->options.voices_dir = program_folder(CONFINE_VOICES_VARIABLE);
	program->options.models_dir = program_folder(CONFINE_MODELS_VARIABLE);
	program_keep_memory();
	return 0;
}

int program_confine(const struct program *program)
{
	int err = getenv(CONFINE_VARIABLE) ? 0 : confine_outer(&program->request, NULL);

	return err ? err : confine_hide_memory();
}

int program_limit_cpu(unsigned seconds)
{
	const struct itimerval timer = {.it_value = {.tv_sec = (time_t)seconds}};

	return setitimer(ITIMER_PROF, &timer, NULL) ? errno : 0;
}

void program_leave(const char *name, int err)
{
	if (err && err != EPIPE && err != ECONNRESET)
		log_error(name, "%s", strerror(err));
	_exit(err ? 1 : 0);
}
