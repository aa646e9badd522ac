/*
 * config_agents.c: the agents of a configuration: what can be set, and whether it makes sense (see
 * config_agents.h).
 */
#include "server/config_agents.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "server/config_rows.h"

/* In the order of enum llm_dialect. */
static const char *const llm_dialects[] = {"openai", "responses", "anthropic", "echo", NULL};

/* In the order of enum turn_end_eagerness. */
static const char *const eagernesses[] = {"patient", "normal", "eager", NULL};

#define CONFIG_AGENTS_QUOTE(number) #number
#define CONFIG_AGENTS_TEXT(number) CONFIG_AGENTS_QUOTE(number)

#define FIELD(member) .offset = offsetof(struct config_agent, member)

/* The part after ? or # does not belong to the path that is compared. */
static const char *config_agents_check_path(const char *value)
{
	if (value[0] != '/')
		return "must begin with /";
	return strpbrk(value, "?# \t") ? "must have no blank, ? or #" : NULL;
}

static const char *config_agents_check_json(const char *value)
{
	if (value[0] == '\0' || value[0] == '{')
		return NULL;
	return "must be a JSON object";
}

const struct param config_agents_rows[] = {
	{"agent", "path", STRING(path, "/speech-engine/ws"), .check = config_agents_check_path,
	 .text = "The path at which the speech engine connects, as a WebSocket."},
	{"agent", "api_key", STRING(api_key, ""), .is_secret = true,
	 .text = "The key with which the speech engine signs its tokens; several keys, separated "
		 "by spaces, while it is being rotated. env:NAME uses the environment variable "
		 "NAME."},
	{"agent", "token_seconds", INT(token_seconds, "3600", 60, 31536000), .unit = "seconds",
	 .text = "The longest lifetime of a speech engine's token, from issue to expiry. A "
		 "stolen token can be used until it expires."},
	{"agent", "account_key", STRING(account_key, ""), .is_secret = true,
	 .text = "An API key of this server, whose account pays for the questions of speech "
		 "engines and whose limits apply to them. env:NAME uses the environment variable "
		 "NAME. Empty: the first api_key that is a key of this server; if there is none, "
		 "usage is recorded without an account and costs nothing. Clients at /ws/talk "
		 "pay with their own key."},
	{"agent", "llm", ENUM(llm, "openai", llm_dialects),
	 .text = "The API of the agent's language model: openai for chat completions (OpenAI, "
		 "vLLM, Ollama, llama.cpp and others), responses for OpenAI's responses, "
		 "anthropic for Anthropic's messages; or echo, which needs no model and repeats "
		 "what it heard."},
	{"agent", "llm_url", STRING(llm_url, ""),
	 .text = "The base URL of the language model's API, such as http://127.0.0.1:11434/v1. "
		 "Empty: OpenAI's, or Anthropic's."},
	{"agent", "llm_model", STRING(llm_model, ""), .text = "The name of the language model."},
	{"agent", "llm_key", STRING(llm_key, ""), .is_secret = true,
	 .text = "The key for the language model's API. env:NAME uses the environment variable "
		 "NAME. Empty: no key is sent."},
	{"agent", "llm_headers", STRING(llm_headers, ""), .is_secret = true,
	 .text = "Additional headers of requests to the language model, as \"Name: value | "
		 "Name: value\"."},
	{"agent", "llm_body", TEXT(llm_body), .check = config_agents_check_json,
	 .text = "A JSON object whose members are added to requests to the language model; null "
		 "removes a member."},
	{"agent", "prompt", TEXT(prompt), .text = "The system prompt."},
	{"agent", "prompt_file", STRING(prompt_file, ""),
	 .text = "A file that contains the system prompt, at most 64 KiB. Only one of prompt "
		 "and prompt_file can be set."},
	{"agent", "language", WORD(language, ""),
	 .text = "The language in which the model is asked to answer, such as de. Empty: it is "
		 "not asked."},
	{"agent", "temperature", DECIMAL(temperature, "", 2),
	 .text = "The model's temperature. Empty: the model's default."},
	{"agent", "max_tokens", INT(max_tokens, "0", 0, 1000000),
	 .text = "The longest answer, in tokens. 0: the model's default."},
	{"agent", "history_characters", INT(history_max, "32000", 100, 1000000),
	 .unit = "characters",
	 .text = "How much of the conversation is sent to the model; the oldest part is left "
		 "out."},
	{"agent", "connect_ms", MILLISECONDS(connect_ms, 60000),
	 .text = "The timeout for connecting to the model's server. 0: 1500."},
	{"agent", "first_token_ms", MILLISECONDS(first_token_ms, 600000),
	 .text = "The timeout of an attempt until the model's first word. 0: 3000."},
	{"agent", "begin_ms", MILLISECONDS(begin_ms, 600000),
	 .text = "The timeout of all attempts together until the first word; then fallback_text "
		 "is sent. Speech engines give up after about four seconds. 0: 3500."},
	{"agent", "between_ms", MILLISECONDS(between_ms, 600000),
	 .text = "The longest pause of the model within an answer. 0: 10000."},
	{"agent", "whole_ms", MILLISECONDS(whole_ms, 3600000),
	 .text = "The longest duration of an answer. 0: 120000."},
	{"agent", "retries", INT(retries, "1", 0, 10),
	 .text = "How often a request is repeated if it fails before the first word."},
	{"agent", "fallback_url", STRING(fallback_url, ""),
	 .text = "The base URL of the fallback model's API. Empty: the same as llm_url."},
	{"agent", "fallback_model", STRING(fallback_model, ""),
	 .text = "The model that is asked if the first one fails. Empty: none."},
	{"agent", "fallback_key", STRING(fallback_key, ""), .is_secret = true,
	 .text = "The key for the fallback model's API. Empty: llm_key, if it is on the same "
		 "server."},
	{"agent", "fallback_text", STRING(fallback_text, ""),
	 .text = "What is said if every model fails before the first word. Empty: a built-in "
		 "sentence in English."},
	{"agent", "voice", INT(voice_id, CONFIG_AGENTS_TEXT(CONFIG_AGENT_VOICE), 1, INT64_MAX),
	 .text = "The id of the voice with which the agent speaks to callers."},
	{"agent", "first_message", STRING(first_message, ""),
	 .text = "What the agent says when a call begins. Empty: the caller speaks first."},
	{"agent", "eagerness", ENUM(eagerness, "normal", eagernesses),
	 .text = "How soon the agent answers when the caller pauses: eager, normal or patient."},
	{"agent", "public", BOOL(is_public, "off"),
	 .text = "Whether callers need no API key; account_key then pays for their calls."},
	{"agent", "twilio_token", STRING(telephone_token, ""), .is_secret = true,
	 .text = "The auth token of a Twilio account, with which it signs its requests: telephone "
		 "calls then reach the agent at /twilio/NAME, and account_key pays for them. "
		 "env:NAME uses the environment variable NAME. Empty: no telephone calls."},
};

_Static_assert(COUNT(config_agents_rows) == CONFIG_AGENTS_ROWS,
	       "the header says how many there are");

/* Secrets need not be in the file: "env:NAME" means the value of that variable. */
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
	int err_telephone = config_agents_take_variable(agent->telephone_token, agent->name,
							"twilio_token", errors);

	return err || err_llm || err_fallback || err_account || err_telephone ? EINVAL : 0;
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
	if (agent->telephone_token[0] && !agent->account_key[0]) {
		(void)buf_printf(errors,
				 "[agent %s] has a twilio_token, so it wants an account_key, which "
				 "pays for the calls\n",
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
