/*
 * help.c: `syrinx help [COMMAND]`.
 */
#include "cli/command.h"

static int help_run(const struct command_call *call)
{
	const struct command *command;

	if (call->operand_count == 0) {
		command_print_summary();
		return COMMAND_OK;
	}
	command = command_find(call->operands[0]);
	if (!command)
		return command_refuse_name(call->operands[0]);
	command_print_help(command);
	return COMMAND_OK;
}

static const struct command_option options[] = {{0}};

const struct command command_help = {
	.name = "help",
	.operands = "[COMMAND]",
	.operands_max = 1,
	.summary = "Explain the program or one of its commands.",
	.options = options,
	.run = help_run,
	.examples = "  syrinx help\n"
		    "  syrinx help say\n",
};
