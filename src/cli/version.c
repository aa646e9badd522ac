/*
 * version.c: `syrinx version`.
 */
#include <stdio.h>

#include "cli/command.h"

static int version_run(const struct command_call *call)
{
	(void)call;
	printf("syrinx %s\n", SYRINX_VERSION);
	return COMMAND_OK;
}

static const struct command_option options[] = {{0}};

const struct command command_version = {
	.name = "version",
	.summary = "Print the version.",
	.options = options,
	.run = version_run,
	.examples = "  syrinx version\n"
		    "  syrinx --version\n",
};
