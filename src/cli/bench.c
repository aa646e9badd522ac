/*
 * bench.c: `syrinx bench`: runs syrinx-bench, the benchmark, which is a program of its own so that
 * the server contains none of it.
 *
 * The description of the command is here because both programs print it and the shells' completions
 * are made from it; syrinx-bench links this file and puts its own function in place of `run`.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/sibling.h"

#define BENCH_PROGRAM "syrinx-bench"

static int bench_run(const struct command_call *call)
{
	char path[PATH_MAX] = BENCH_PROGRAM;
	size_t count = 0;
	char **argv;
	int err;

	while (call->arguments[count])
		++count;
	argv = calloc(count + 2, sizeof(*argv));
	err = argv ? sibling_path(path, sizeof(path), BENCH_PROGRAM) : ENOMEM;
	if (!err) {
		argv[0] = path;
		memcpy(argv + 1, call->arguments, count * sizeof(*argv));
		execv(path, argv);
		err = errno;
	}
	free(argv);
	if (err == ENOENT)
		fprintf(stderr,
			"syrinx bench: the benchmark is a program of its own and is not installed: "
			"there is no %s\n",
			path);
	else
		fprintf(stderr, "syrinx bench: %s: %s\n", path, strerror(err));
	return COMMAND_FAILED;
}

static const struct command_option bench_options[] = {
	{"rounds", 0, "N", "how often to repeat each measurement"},
	{"connections", 0, "N", "the number of idle connections (5000)"},
	{"cancels", 0, "N", "the number of barge-ins (20000)"},
	{"seconds", 0, "N", "streams: the length of each step (15)"},
	{"listeners", 0, "N", "streams: the number of listeners (as many as keep up)"},
	{"voices", 0, "DIR", "the folder of neural voices"},
	{"config", 0, "FILE", "read this configuration"},
	{0},
};

const struct command command_bench = {
	.name = "bench",
	.operands = "[start|latency|burst|throughput|cancel|idle|neural|streams|multi|text|encode|"
		    "calls|ledger|conversations]",
	.operands_max = 1,
	.summary = "Start a server for this command and measure it.",
	.options = bench_options,
	.run = bench_run,
	.examples = "  syrinx bench latency\n"
		    "  syrinx bench streams --listeners 10 --seconds 30\n",
};
