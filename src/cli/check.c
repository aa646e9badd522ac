/*
 * check.c: `syrinx check`: is this configuration right?
 *
 * It also prints the forms of the configuration's table that are kept in the
 * tree: conf/syrinx.conf and man/syrinx.conf.5.
 */
#include <stdio.h>

#include "base/mem.h"
#include "cli/command.h"
#include "cli/config_file.h"
#include "cli/settings.h"
#include "server/agents.h"

#define TEXT_MAX (1u << 20)

/* A line for each agent. */
#define ERRORS_MAX 65536u

static int print(int (*print_config)(struct buf *out))
{
	struct buf out;
	int err;

	buf_init(&out, TEXT_MAX);
	err = print_config(&out);
	if (!err)
		fwrite(out.bytes, 1, out.len, stdout);
	buf_reset(&out);
	return err ? COMMAND_FAILED : COMMAND_OK;
}

/* Mistakes that are found when an agent is made: a file with its prompt that is not
 * there, say. */
static int check_agents(const struct config *config)
{
	struct agents *agents = NULL;
	struct buf errors;
	int err;

	buf_init(&errors, ERRORS_MAX);
	err = agents_alloc(&agents, config, &errors);
	if (errors.len > 0)
		fwrite(errors.bytes, 1, errors.len, stderr);
	buf_reset(&errors);
	mem_deref(agents);
	return err ? COMMAND_FAILED : COMMAND_OK;
}

static int run(const struct command_call *call)
{
	struct config config;
	int status;

	if (command_value(call, "sample"))
		return print(config_print_sample);
	if (command_value(call, "manual"))
		return print(config_print_manual);
	status = settings_load_of_server(&config, call);
	if (status == COMMAND_OK)
		settings_warn_of_others(&config, config_file_find(call).path);
	if (status == COMMAND_OK)
		status = check_agents(&config);
	if (status == COMMAND_OK)
		printf("the configuration is good\n");
	return status;
}

static const struct command_option options[] = {
	{"config", 0, "FILE", "check this file as well as the environment"},
	{"sample", 0, NULL, "print a file with every key at its default"},
	{"manual", 0, NULL, "print the manual page of the file"},
	{0},
};

const struct command command_check = {
	.name = "check",
	.summary = "Find mistakes in a configuration without starting anything.",
	.options = options,
	.run = run,
	.examples = "  syrinx check --config /etc/syrinx/syrinx.conf\n"
		    "  syrinx check --sample > syrinx.conf\n",
};
