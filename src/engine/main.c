/*
 * main.c: the main function of every engine in C.
 *
 *   syrinx-NAME [--fd N] [--cpu-seconds N] [--memory-mb N] [--test-hooks]
 *
 * The server starts the program with one end of a socket pair as descriptor 3.
 * The environment's SYRINX_VOICES is the folder where voices are installed.
 * Exit status: 0 when the server closed the socket, 1 when anything failed,
 * 2 for wrong arguments.
 */
#include <errno.h>
#include <getopt.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "engine/engine.h"
#include "engine/runner.h"
#include "workers/confine.h"

/* More than a sentence needs, less than a worker may have. */
#define MEMORY_KEPT (32 << 20)

/* Of malloc; half a gigabyte of address space. */
#define HEAPS_MAX 8

struct settings {
	int fd;
	unsigned cpu_seconds;
	struct confine_request request;
	struct engine_options options;
};

static int parse_number(unsigned *number, const char *word, unsigned long max)
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

static int parse_arguments(struct settings *settings, int argc, char **argv)
{
	static const struct option options[] = {
		{"fd", required_argument, NULL, 'f'},
		{"cpu-seconds", required_argument, NULL, 'c'},
		{"memory-mb", required_argument, NULL, 'm'},
		{"test-hooks", no_argument, NULL, 't'},
		{NULL, 0, NULL, 0},
	};
	unsigned fd = (unsigned)settings->fd;
	int option;
	int err = 0;

	while (!err && (option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (option == 'f')
			err = parse_number(&fd, optarg, 1023);
		else if (option == 'c')
			err = parse_number(&settings->cpu_seconds, optarg, 86400);
		else if (option == 'm')
			err = parse_number(&settings->request.memory_mb, optarg, 1u << 20);
		else if (option == 't')
			settings->options.test_hooks = true;
		else
			err = EINVAL;
	}
	if (!err && optind < argc)
		err = EINVAL;
	settings->fd = (int)fd;
	return err;
}

/* A launcher has confined this program before executing it; a program that was started by
 * hand confines itself.  After that, other processes of the same user cannot read its memory. */
static int main_confine(const struct settings *settings)
{
	int err = getenv(CONFINE_VARIABLE) ? 0 : confine_outer(&settings->request, NULL);

	return err ? err : confine_hide_memory();
}

static int serve(const struct settings *settings)
{
	struct runner *runner = NULL;
	void *state = NULL;
	int err = main_confine(settings);

	if (err)
		return err;
	err = engine_main->open(&state, &settings->options);
	if (err)
		return err;
	err = runner_alloc(&runner, engine_main, state, settings->fd, settings->cpu_seconds);
	if (!err)
		err = confine_engine(); /* after it no thread can be started */
	if (!err)
		err = runner_run(runner);
	mem_deref(runner);
	engine_main->close(state);
	return err;
}

/* An engine allocates megabytes for a sentence and frees them after it.  By
 * default they go back to the kernel, which then clears them for the next
 * sentence: one part in thirty of flite's time.
 *
 * Threads get heaps of their own, and each reserves 64 MB of the address space
 * that is limited: no more of them than can be in use at a time. */
static void keep_memory(void)
{
	long processors = sysconf(_SC_NPROCESSORS_ONLN);

	mallopt(M_TRIM_THRESHOLD, MEMORY_KEPT);
	mallopt(M_MMAP_THRESHOLD, MEMORY_KEPT);
	mallopt(M_ARENA_MAX,
		processors > 0 && processors < HEAPS_MAX ? (int)processors : HEAPS_MAX);
}

static const char *voices_dir(void)
{
	const char *directory = getenv("SYRINX_VOICES");

	return directory && directory[0] ? directory : NULL;
}

int main(int argc, char **argv)
{
	/* 20 s of CPU: a hundred times what the slowest engine here needs for the
	 * longest chunk.  3 GB: models and thirty streams of them; the server
	 * says less to engines that need less. */
	struct settings settings = {.fd = 3, .cpu_seconds = 20, .request = {.memory_mb = 3072}};
	int err = parse_arguments(&settings, argc, argv);

	if (err) {
		fprintf(stderr,
			"usage: %s [--fd N] [--cpu-seconds N] [--memory-mb N] [--test-hooks]\n",
			argv[0]);
		return 2;
	}
	settings.options.voices_dir = voices_dir();
	keep_memory();
	err = serve(&settings);
	if (err)
		log_error(engine_main->name, "%s", strerror(err));
	return err ? 1 : 0;
}
