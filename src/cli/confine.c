/*
 * confine.c: `syrinx confine`: runs a program with a worker's limits.
 *
 * The server starts every engine through it, so that an engine in any language
 * is confined before its first instruction; an engine's author can use it to
 * see whether the engine lives within the limits.
 */
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "synth/confine.h"

static int run(const struct command_call *call)
{
	char *argv[COMMAND_OPERANDS_MAX + 1] = {0};
	struct confine_limits limits;
	int64_t memory_mb;
	int err;

	if (command_number(&memory_mb, call, "memory-mb", 0, 1 << 20, 0) != 0)
		return COMMAND_USAGE;
	assert(call->operand_count > 0); /* operands_min */
	limits.memory_mb = (uint32_t)memory_mb;
	for (size_t i = 0; i < call->operand_count; ++i)
		argv[i] = (char *)(uintptr_t)call->operands[i]; /* exec does not write to them */
	err = confine_outer(&limits);
	if (err) {
		fprintf(stderr, "syrinx confine: cannot confine: %s\n", strerror(err));
		return COMMAND_FAILED;
	}
	execv(argv[0], argv);
	fprintf(stderr, "syrinx confine: cannot run %s: %s\n", argv[0], strerror(errno));
	return COMMAND_FAILED;
}

static const struct command_option options[] = {
	{"memory-mb", 0, "N", "address space of the program in MiB (0: no limit)"},
	{0},
};

const struct command command_confine = {
	.name = "confine",
	.operands = "-- PROGRAM [ARGUMENT]...",
	.operands_min = 1,
	.operands_max = COMMAND_OPERANDS_MAX,
	.summary = "Run a program with the limits of an engine.",
	.options = options,
	.run = run,
};
