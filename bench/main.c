/*
 * main.c: syrinx-bench, which `syrinx bench` runs: measures the figures of docs/benchmarks.md on
 * this machine.
 *
 * Most measurements start a server, the `syrinx` next to this program, and are its clients. Each
 * blocks until it is finished, so the program has one thread except where a measurement says
 * otherwise.
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/count.h"
#include "base/log.h"
#include "bench/bench.h"
#include "cli/command.h"
#include "cli/settings.h"

static const struct {
	const char *name;
	int (*run)(const struct bench_options *options);
} main_measurements[] = {
	{"start", bench_start},   {"latency", bench_latency},
	{"burst", bench_burst},   {"throughput", bench_throughput},
	{"cancel", bench_cancel}, {"idle", bench_idle},
	{"neural", bench_neural}, {"streams", bench_streams},
	{"multi", bench_multi},   {"text", bench_text},
	{"encode", bench_encode}, {"requests", bench_requests},
	{"ledger", bench_ledger}, {"conversations", bench_conversations},
	{"steps", bench_steps},   {"hearing", bench_hearing},
	{"calls", bench_calls},
};

/* `only` is the name of a single measurement to run, or NULL for all. */
static int main_measure(const char *only, const struct bench_options *options)
{
	bool known = false;
	int err = 0;

	for (size_t i = 0; !err && i < COUNT(main_measurements); ++i) {
		if (only && strcmp(only, main_measurements[i].name) != 0)
			continue;
		known = true;
		err = main_measurements[i].run(options);
		fflush(stdout);
		if (err)
			fprintf(stderr, "syrinx bench: %s: %s\n", main_measurements[i].name,
				strerror(err));
	}
	if (!known)
		fprintf(stderr,
			"syrinx bench: there is no measurement %s; see: syrinx help bench\n", only);
	return err || !known ? COMMAND_FAILED : COMMAND_OK;
}

static int main_run(const struct command_call *call)
{
	static struct config config;
	struct bench_options options = {0};
	int status = settings_load(&config, call);

	if (status != COMMAND_OK)
		return status;
	log_set_level(LOG_ERROR);
	options.engines_dir = config.engines_dir;
	options.voices_dir = config.voices_dir;
	options.models_dir = config.models_dir;
	if (command_number(&options.rounds, call, "rounds", 1, 1000000, 0) != 0 ||
	    command_number(&options.connections, call, "connections", 1, 8000, 5000) != 0 ||
	    command_number(&options.seconds, call, "seconds", 5, 3600, 15) != 0 ||
	    command_number(&options.listeners, call, "listeners", 1, 4000, 0) != 0 ||
	    command_number(&options.calls, call, "calls", 1, 4000, 0) != 0 ||
	    command_number(&options.faults, call, "faults", 1, 100000, 0) != 0 ||
	    command_number(&options.cancels, call, "cancels", 1, 10000000, 20000) != 0)
		return COMMAND_USAGE;
	options.is_json = command_value(call, "json");
	return main_measure(call->operand_count ? call->operands[0] : NULL, &options);
}

const struct command *const command_table[] = {&command_bench, NULL};

int main(int argc, char **argv)
{
	struct command command = command_bench;

	command.run = main_run;
	return command_run(&command, argc - 1, argv + 1);
}
