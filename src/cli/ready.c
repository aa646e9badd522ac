/*
 * ready.c: `syrinx ready`: whether a server should get traffic, as an exit status.
 *
 * For health checks of containers and load balancers, and for scripts that wait.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "cli/asking.h"
#include "cli/command.h"
#include "cli/place.h"
#include "cli/settings.h"

struct question {
	const char *base;
	struct loop *loop;
	int status; /* of this process */
};

static void on_answer(const struct asking_answer *answer, void *arg)
{
	struct question *question = arg;

	if (answer->why)
		fprintf(stderr, "syrinx ready: %s\n", answer->why);
	else if (answer->status == 503)
		fprintf(stderr, "syrinx ready: %s is not ready: it starts, or it ends\n",
			question->base);
	else if (answer->status != 200)
		fprintf(stderr, "syrinx ready: %s answered %u: is it Syrinx?\n", question->base,
			answer->status);
	else
		question->status = COMMAND_OK;
	loop_stop(question->loop);
}

static int ask(struct question *question, const struct command_call *call)
{
	const struct asking_place place = {.base = question->base,
					   .ca_file = command_value(call, "ca")};
	struct asking *asking = NULL;
	char why[300] = "out of memory";
	int err = loop_alloc(&question->loop);

	if (!err)
		err = asking_alloc(&asking, question->loop, &place, why, sizeof(why));
	if (!err)
		err = asking_get(asking, "/ready", on_answer, question);
	if (!err)
		loop_run(question->loop);
	else
		fprintf(stderr, "syrinx ready: %s: %s\n", question->base, why);
	mem_deref(asking);
	mem_deref(question->loop);
	return question->status;
}

static int run(const struct command_call *call)
{
	static struct config config;
	char base[1024];
	struct question question = {.base = base, .status = COMMAND_FAILED};
	int status = settings_load(&config, call);

	if (status != COMMAND_OK)
		return status;
	if (place_check_server(call) != COMMAND_OK)
		return COMMAND_USAGE;
	if (place_find(base, sizeof(base), call, &config) != 0)
		return command_usage_error(call->command, "the address is too long");
	log_set_level(LOG_ERROR);
	return ask(&question, call);
}

static const struct command_option options[] = {
	{"server", 0, "URL", "which server (the address of the configuration)"},
	{"ca", 0, "FILE", "authorities that may vouch for it (the system's)"},
	{"config", 0, "FILE", "read this configuration"},
	{0},
};

const struct command command_ready = {
	.name = "ready",
	.summary = "Tell whether a server is ready for traffic: status 0, or 1 and why.",
	.options = options,
	.run = run,
};
