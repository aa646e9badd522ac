/*
 * agent_choice.c: finds the agent that a command talks to (see agent_choice.h).
 */
#include "cli/agent_choice.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "account/engine_token.h"
#include "call/turn_end.h"
#include "cli/local_key.h"
#include "llm/llm.h"

#define ECHO_NAME "echo"
#define ECHO_PATH "/speech-engine/ws"

/* A prefix for the derived key, so that neither key can be mistaken for the other. */
#define ECHO_KEY_START "speech-engine-"

void agent_choice_add_echo(struct config *config, const char *local_key)
{
	struct config_agent *agent = &config->agents[0];

	if (config->agents_count > 0)
		return;
	*agent = (struct config_agent){.name = ECHO_NAME,
				       .path = ECHO_PATH,
				       .token_seconds = ENGINE_TOKEN_LIFE_MAX_S,
				       .llm = LLM_ECHO,
				       .temperature = PARAM_NONE,
				       .history_max = LLM_HISTORY_MAX,
				       .retries = LLM_RETRIES,
				       .voice_id = CONFIG_AGENT_VOICE,
				       .eagerness = TURN_END_NORMAL,
				       .first_message = "Hello! I repeat what you say."};
	snprintf(agent->api_key, sizeof(agent->api_key), ECHO_KEY_START "%s", local_key);
	config->agents_count = 1;
}

static int agent_choice_add_local_echo(struct config *config, const struct command *command)
{
	char key[API_KEY_LEN + 1];
	int err;

	if (config->agents_count > 0)
		return 0;
	err = local_key_read(key, config->data_dir);
	if (err)
		fprintf(stderr,
			"syrinx %s: no agent is configured, and %s, which has the key of the "
			"built-in echo agent, cannot be read: %s\n"
			"(name the server's data directory with --data, or its configuration "
			"with --config)\n",
			command->name, config->data_dir, strerror(err));
	else
		agent_choice_add_echo(config, key);
	explicit_bzero(key, sizeof(key));
	return err;
}

int agent_choice_find(const struct config_agent **agentp, struct config *config,
		      const struct command *command, const char *name)
{
	int err = agent_choice_add_local_echo(config, command);

	if (err)
		return err;
	for (size_t i = 0; i < config->agents_count; ++i) {
		if (!name || strcmp(config->agents[i].name, name) == 0) {
			*agentp = &config->agents[i];
			return 0;
		}
	}
	fprintf(stderr, "syrinx %s: there is no agent \"%s\"; the agents are:", command->name,
		name);
	for (size_t i = 0; i < config->agents_count; ++i)
		fprintf(stderr, "%s %s", i ? "," : "", config->agents[i].name);
	fprintf(stderr, "\n");
	return ENOENT;
}
