/*
 * config_agents.c: what is checked of agents (see config_agents.h).
 */
#include "server/config_agents.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Secrets need not be in the file: "env:NAME" is what the variable holds. */
static int config_agents_take_variable(char value[PARAM_STRING_SIZE], const char *agent,
				       const char *key, struct buf *errors)
{
	static const char mark[] = "env:";
	const char *found;

	if (strncmp(value, mark, strlen(mark)) != 0)
		return 0;
	found = getenv(value + strlen(mark));
	if (!found || strlen(found) >= PARAM_STRING_SIZE) {
		(void)buf_printf(errors, "[agent %s] %s: the variable %s is %s\n", agent, key,
				 value + strlen(mark), found ? "too long" : "not set");
		return EINVAL;
	}
	memcpy(value, found, strlen(found) + 1);
	return 0;
}

static int config_agents_take_variables(struct config_agent *agent, struct buf *errors)
{
	int err = config_agents_take_variable(agent->api_key, agent->name, "api_key", errors);
	int err_llm = config_agents_take_variable(agent->llm_key, agent->name, "llm_key", errors);
	int err_fallback = config_agents_take_variable(agent->fallback_key, agent->name,
						       "fallback_key", errors);
	int err_account =
		config_agents_take_variable(agent->account_key, agent->name, "account_key", errors);

	return err || err_llm || err_fallback || err_account ? EINVAL : 0;
}

static int config_agents_check_one(struct config_agent *agent, bool is_used, struct buf *errors)
{
	if (is_used && config_agents_take_variables(agent, errors) != 0)
		return EINVAL;
	if (agent->api_key[strspn(agent->api_key, " ")] == '\0') {
		(void)buf_printf(errors, "[agent %s] wants an api_key\n", agent->name);
		return EINVAL;
	}
	if (agent->prompt[0] && agent->prompt_file[0]) {
		(void)buf_printf(errors, "[agent %s] has both prompt and prompt_file\n",
				 agent->name);
		return EINVAL;
	}
	return 0;
}

int config_agents_check(struct config *config, bool are_used, struct buf *errors)
{
	int err = 0;

	for (size_t i = 0; i < config->agents_count; ++i) {
		struct config_agent *agent = &config->agents[i];

		if (config_agents_check_one(agent, are_used, errors) != 0)
			err = EINVAL;
		for (size_t j = 0; j < i; ++j) {
			if (strcmp(agent->path, config->agents[j].path) != 0)
				continue;
			(void)buf_printf(errors, "[agent %s] has the path of [agent %s]\n",
					 agent->name, config->agents[j].name);
			err = EINVAL;
		}
	}
	return err;
}
