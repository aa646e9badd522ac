/*
 * bench.c: `syrinx bench`: the figures of docs/benchmarks.md on this machine.
 */
#include "bench/bench.h"

#include <stdio.h>
#include <string.h>

#include "base/count.h"
#include "base/log.h"
#include "cli/command.h"
#include "cli/settings.h"

static const struct {
	const char *name;
	int (*run)(const struct bench_options *options);
} runs[] = {
	{"start", bench_start},   {"latency", bench_latency},
	{"burst", bench_burst},   {"throughput", bench_throughput},
	{"cancel", bench_cancel}, {"idle", bench_idle},
	{"neural", bench_neural}, {"streams", bench_streams},
	{"multi", bench_multi},   {"text", bench_text},
	{"encode", bench_encode}, {"calls", bench_calls},
	{"ledger", bench_ledger}, {"conversations", bench_conversations},
};

static int run_all(const char *only, const struct bench_options *options)
{
	bool known = false;
	int err = 0;

	for (size_t i = 0; !err && i < COUNT(runs); ++i) {
		if (only && strcmp(only, runs[i].name) != 0)
			continue;
		known = true;
		err = runs[i].run(options);
		fflush(stdout);
		if (err)
			fprintf(stderr, "syrinx bench: %s: %s\n", runs[i].name, strerror(err));
	}
	if (!known)
		fprintf(stderr,
			"syrinx bench: there is no measurement %s; see: syrinx help bench\n", only);
	return err || !known ? COMMAND_FAILED : COMMAND_OK;
}

static int run(const struct command_call *call)
{
	static struct config config;
	struct bench_options options = {0};
	int status = settings_load(&config, call);

	if (status != COMMAND_OK)
		return status;
	log_set_level(LOG_ERROR);
	options.engines_dir = config.engines_dir;
	options.voices_dir = config.voices_dir;
	if (command_number(&options.rounds, call, "rounds", 1, 1000000, 0) != 0 ||
	    command_number(&options.connections, call, "connections", 1, 8000, 5000) != 0 ||
	    command_number(&options.seconds, call, "seconds", 5, 3600, 15) != 0 ||
	    command_number(&options.listeners, call, "listeners", 1, 4000, 0) != 0 ||
	    command_number(&options.cancels, call, "cancels", 1, 10000000, 20000) != 0)
		return COMMAND_USAGE;
	return run_all(call->operand_count ? call->operands[0] : NULL, &options);
}

static const struct command_option options_table[] = {
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
	.options = options_table,
	.run = run,
	.examples = "  syrinx bench latency\n"
		    "  syrinx bench streams --listeners 10 --seconds 30\n",
};
