/*
 * mint_token.c: `syrinx mint-token`: makes a token such as a speech engine sends, for testing
 * with other tools.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "cli/agent_choice.h"
#include "cli/key_source.h"
#include "cli/settings.h"
#include "doors/doors_local.h"

#define SECONDS_MAX (INT64_C(366) * 24 * 60 * 60)

static int mint_token_print_token(const char *api_key, int64_t seconds, bool with_header)
{
	struct engine_token_keys keys;
	char token[ENGINE_TOKEN_SIZE];
	int64_t now_s = clock_wall_ms() / 1000;
	int err = engine_token_keys(&keys, doors_local_engine_tokens, api_key);

	if (!err)
		err = engine_token_make(token, &keys, now_s, now_s + seconds);
	if (err) {
		fprintf(stderr, "syrinx mint-token: %s\n",
			err == E2BIG ? "more than 8 keys" : "the key is empty");
		return COMMAND_FAILED;
	}
	printf("%s%s%s\n", with_header ? keys.rules->header : "", with_header ? ": " : "", token);
	return COMMAND_OK;
}

static int mint_token_run(const struct command_call *call)
{
	static struct config config;
	const struct config_agent *agent;
	char key[KEY_SOURCE_SIZE];
	bool has_key;
	bool with_header = command_value(call, "header") != NULL;
	int64_t seconds;
	int status;

	if (command_number(&seconds, call, "seconds", -SECONDS_MAX, SECONDS_MAX,
			   ENGINE_TOKEN_LIFE_S) != 0)
		return COMMAND_USAGE;
	status = key_source_read(key, &has_key, call);
	if (status != COMMAND_OK)
		return status;
	if (has_key && command_value(call, "agent"))
		return command_usage_error(call->command, "give a key or --agent, not both");
	if (has_key) {
		status = mint_token_print_token(key, seconds, with_header);
		explicit_bzero(key, sizeof(key));
		return status;
	}
	status = settings_load(&config, call);
	if (status != COMMAND_OK)
		return status;
	if (agent_choice_find(&agent, &config, call->command, command_value(call, "agent")) != 0)
		return COMMAND_FAILED;
	return mint_token_print_token(agent->api_key, seconds, with_header);
}

static const struct command_option options[] = {
	{"agent", 0, "NAME", "the configured agent to make a token for (the first)"},
	KEY_SOURCE_FILE_OPTION,
	{"key", 0, "KEY", "sign with this speech engine API key instead"},
	{"seconds", 0, "N", "lifetime in seconds (300); negative: already expired"},
	{"header", 0, NULL, "print the whole header line"},
	{"config", 0, "FILE", "read this configuration"},
	{"data", 0, "DIR", "the server's data directory, with the local key (data)"},
	{0},
};

const struct command command_mint_token = {
	.name = "mint-token",
	.summary = "Print a speech engine's token, to test an agent with.",
	.options = options,
	.uses_agents = true,
	.run = mint_token_run,
	.examples = "  syrinx mint-token --agent support --header\n"
		    "  syrinx mint-token --key-file engine.key --seconds 60\n",
};
