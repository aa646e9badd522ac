/*
 * main.c: the program: a table of commands, each in cli/.
 */
#include "cli/command.h"

/* One command per line, so that a change shows what was added. */
/* clang-format off */
const struct command *const command_table[] = {
	&command_serve,
	&command_say,
	&command_hear,
	&command_talk,
	&command_call,
	&command_mint_token,
	&command_normalize,
	&command_voices,
	&command_models,
	&command_account,
	&command_project,
	&command_key,
	&command_token,
	&command_usage,
	&command_top,
	&command_ready,
	&command_backup,
	&command_restore,
	&command_migrate,
	&command_check,
	&command_bench,
	&command_confine,
	&command_completion,
	&command_version,
	&command_help,
	NULL,
};
/* clang-format on */

int main(int argc, char **argv)
{
	return command_main(argc, argv);
}
