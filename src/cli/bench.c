/*
 * bench.c: `syrinx bench`: runs syrinx-bench, the benchmark, which is a separate program so that
 * the server contains none of it.
 *
 * The description of the command is here because both programs print it and shell completions
 * are generated from it; syrinx-bench links this file and replaces `run` with its own function.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/program_path.h"

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
	err = argv ? program_path_find(path, sizeof(path), BENCH_PROGRAM) : ENOMEM;
	if (!err) {
		argv[0] = path;
		memcpy(argv + 1, call->arguments, count * sizeof(*argv));
		execv(path, argv);
		err = errno;
	}
	free(argv);
	if (err == ENOENT)
		fprintf(stderr,
			"syrinx bench: the benchmark is a separate program, and it is not "
			"installed: there is no %s\n",
			path);
	else
		fprintf(stderr, "syrinx bench: %s: %s\n", path, strerror(err));
	return COMMAND_FAILED;
}

static const struct command_option bench_options[] = {
	{"rounds", 0, "N", "how many times to repeat each measurement"},
	{"connections", 0, "N", "the number of idle connections (5000)"},
	{"cancels", 0, "N", "the number of barge-ins (20000)"},
	{"seconds", 0, "N", "streams, steps, hearing, calls: the length of each step (15)"},
	{"listeners", 0, "N",
	 "streams, hearing: the number of listeners or callers (the most that can be served)"},
	{"calls", 0, "N", "calls: only the load, with this number of calls"},
	{"faults", 0, "N", "calls: only this number of calls in which something dies"},
	{"json", 0, NULL, "calls: print each result as a JSON object"},
	{"voices", 0, "DIR", "the folder of neural voices"},
	{"models", 0, "DIR", "the folder of models that recognize speech"},
	{"config", 0, "FILE", "read this configuration"},
	{0},
};

const struct command command_bench = {
	.name = "bench",
	.operands = "[start|latency|burst|throughput|cancel|idle|neural|streams|multi|text|encode|"
		    "requests|ledger|conversations|steps|hearing|calls]",
	.operands_max = 1,
	.summary = "Start a separate server and measure its performance.",
	.options = bench_options,
	.run = bench_run,
	.examples = "  syrinx bench latency\n"
		    "  syrinx bench streams --listeners 10 --seconds 30\n",
};
