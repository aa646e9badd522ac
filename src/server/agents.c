/*
 * agents.c: the agents, which answer speech engines (see agents.h).
 */
#include "server/agents.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/list.h"
#include "base/mem.h"
#include "server/routes.h"

#define PATTERN_SIZE 128 /* size of a route's pattern */

/* The number of agent names whose statistics are kept.  If an operator renames agents in so many
 * reloads that this is exceeded, agents with further new names are missing in /metrics, and their
 * statistics start again at every reload. */
#define TOTALS_MAX (4u * CONFIG_AGENTS_MAX)

struct agents {
	const struct door *const *doors; /* an agent's path must not be one of their routes */
	struct agent *rows[CONFIG_AGENTS_MAX];
	size_t count;
	struct agent_totals *totals[TOTALS_MAX];
	size_t totals_count;
};

static void agents_destroy_agent(void *object)
{
	struct agent *agent = object;

	mem_deref(agent->llm);
	mem_deref(agent->totals);
}

static void agents_destroy(void *object)
{
	struct agents *agents = object;

	for (size_t i = 0; i < agents->count; ++i)
		mem_deref(agents->rows[i]);
	for (size_t i = 0; i < agents->totals_count; ++i)
		mem_deref(agents->totals[i]);
}

/* The options of the language model */

static int agents_read_prompt_file(struct buf *prompt, const char *path)
{
	char part[4096];
	FILE *file = fopen(path, "re");
	size_t n;
	int err = 0;

	if (!file)
		return errno;
	while (!err && (n = fread(part, 1, sizeof(part), file)) > 0)
		err = buf_append(prompt, part, n);
	if (!err && ferror(file))
		err = EIO;
	fclose(file);
	return err;
}

static int agents_write_prompt(struct buf *prompt, const struct config_agent *config,
			       struct buf *errors)
{
	int err = config->prompt_file[0] ? agents_read_prompt_file(prompt, config->prompt_file)
					 : buf_append_str(prompt, config->prompt);

	if (err) {
		(void)buf_printf(errors, "[agent %s] prompt_file %s: %s\n", config->name,
				 config->prompt_file,
				 err == ENOBUFS ? "is longer than 64 KiB" : strerror(err));
		return err;
	}
	while (prompt->len > 0 && strchr("\r\n\t ", prompt->bytes[prompt->len - 1]))
		--prompt->len;
	/* The language is given by its code, which models understand. */
	if (config->language[0])
		err = buf_printf(prompt, "%sAnswer in the language with the code \"%s\".",
				 prompt->len ? "\n\n" : "", config->language);
	return err ? err : buf_append(prompt, "", 1);
}

/* Converts "A: b | C: d" to one header per line. */
static void agents_split_headers(char lines[PARAM_STRING_SIZE], const char *headers)
{
	static const char mark[] = " | ";
	size_t len = 0;

	while (*headers) {
		if (strncmp(headers, mark, strlen(mark)) == 0) {
			lines[len++] = '\n';
			headers += strlen(mark);
		} else {
			lines[len++] = *headers++;
		}
	}
	lines[len] = '\0';
}

static const char *agents_null_if_empty(const char *text)
{
	return text[0] ? text : NULL;
}

static int agents_make_llm(struct llm_agent **llmp, const struct config_agent *config,
			   const char *prompt, struct buf *errors)
{
	char headers[PARAM_STRING_SIZE];
	char why[256] = "";
	struct llm_options options = {
		.dialect = (enum llm_dialect)config->llm,
		.name = config->name,
		.url = agents_null_if_empty(config->llm_url),
		.model = agents_null_if_empty(config->llm_model),
		.key = agents_null_if_empty(config->llm_key),
		.prompt = agents_null_if_empty(prompt),
		.sentence = agents_null_if_empty(config->fallback_text),
		.fallback_url = agents_null_if_empty(config->fallback_url),
		.fallback_model = agents_null_if_empty(config->fallback_model),
		.fallback_key = agents_null_if_empty(config->fallback_key),
		.body = agents_null_if_empty(config->llm_body),
		.temperature = config->temperature == PARAM_NONE
				       ? -1
				       : (double)config->temperature / (double)PARAM_MILLION,
		.max_tokens = (uint32_t)config->max_tokens,
		.connect_ms = (uint32_t)config->connect_ms,
		.first_token_ms = (uint32_t)config->first_token_ms,
		.begin_ms = (uint32_t)config->begin_ms,
		.between_ms = (uint32_t)config->between_ms,
		.whole_ms = (uint32_t)config->whole_ms,
		.retries = (int)config->retries,
		.history_max = (size_t)config->history_max,
	};
	int err;

	agents_split_headers(headers, config->llm_headers);
	options.headers = agents_null_if_empty(headers);
	err = llm_agent_alloc(llmp, &options, why, sizeof(why));
	if (err)
		(void)buf_printf(errors, "[agent %s] %s\n", config->name,
				 why[0] ? why : strerror(err));
	return err;
}

static int agents_fill_llm(struct agent *agent, const struct config_agent *config,
			   struct buf *errors)
{
	struct buf prompt;
	int err;

	buf_init(&prompt, AGENTS_PROMPT_MAX + 256);
	err = agents_write_prompt(&prompt, config, errors);
	if (!err)
		err = agents_make_llm(&agent->llm, config, prompt.bytes, errors);
	buf_reset(&prompt);
	return err;
}

/* Returns the rules of the only door that has speech engines. */
static const struct engine_token_rules *agents_token_rules(const struct agents *agents)
{
	const struct door *const *door = agents->doors;

	while (*door && !(*door)->engine_tokens)
		++door;
	assert(*door);
	return (*door)->engine_tokens;
}

static int agents_fill_keys(struct agent *agent, const struct agents *agents,
			    const struct config_agent *config, struct buf *errors)
{
	int err = engine_token_keys(&agent->keys, agents_token_rules(agents), config->api_key);

	if (err)
		(void)buf_printf(errors, "[agent %s] api_key: %s\n", config->name,
				 err == E2BIG ? "more than 8 keys" : "no key");
	else
		agent->keys.life_max_s = config->token_seconds;
	return err;
}

/* Uses the configured account_key or, without one, the first token-signing key that has the form of
 * an API key of this server, which a speech engine's own keys do not have.  A region prefix is
 * removed. */
static int agents_fill_account_key(struct agent *agent, const struct config_agent *config,
				   struct buf *errors)
{
	const char *text = config->account_key[0] ? config->account_key : config->api_key;

	while (text[0]) {
		char key[PARAM_STRING_SIZE];
		size_t len = strcspn(text, " ");

		snprintf(key, sizeof(key), "%.*s", (int)len, text);
		if (api_key_is(key)) {
			memcpy(agent->account_key, key + len - API_KEY_LEN, API_KEY_LEN);
			return 0;
		}
		text += len;
		text += strspn(text, " ");
	}
	if (config->account_key[0] == '\0')
		return 0;
	(void)buf_printf(errors, "[agent %s] account_key does not look like a key of this server\n",
			 config->name);
	return EINVAL;
}

static struct agent_totals *agents_find_totals(const struct agents *agents, const char *name)
{
	for (size_t i = 0; i < agents->totals_count; ++i) {
		if (strcmp(agents->totals[i]->name, name) == 0)
			return agents->totals[i];
	}
	return NULL;
}

/* Reuses the statistics of an earlier agent of the same name. */
static int agents_fill_totals(struct agent *agent, const char *name, struct agents *agents)
{
	struct agent_totals *totals = agents_find_totals(agents, name);

	if (totals) {
		agent->totals = mem_ref(totals);
		return 0;
	}
	totals = mem_zalloc(sizeof(*totals), NULL);
	if (!totals)
		return ENOMEM;
	snprintf(totals->name, sizeof(totals->name), "%s", name);
	agent->totals = totals;
	if (agents->totals_count < TOTALS_MAX)
		agents->totals[agents->totals_count++] = mem_ref(totals);
	return 0;
}

/* Routes take precedence, so an agent with the path of a route could never be reached. */
static int agents_check_path(const struct agents *agents, const struct config_agent *config,
			     struct buf *errors)
{
	char pattern[PATTERN_SIZE];

	if (!routes_pattern(pattern, sizeof(pattern), agents->doors, config->path))
		return 0;
	(void)buf_printf(errors, "[agent %s] path %s: the server has %s there\n", config->name,
			 config->path, pattern);
	return EINVAL;
}

static void agents_fill_call(struct agent *agent, const struct config_agent *config)
{
	struct call_settings *call = &agent->call;

	*call = call_settings_default;
	call->voice_id = config->voice_id;
	call->turn_end.eagerness = (enum turn_end_eagerness)config->eagerness;
	call->allows_first_message =
		true; /* the operator's own agent, for the operator's callers */
	snprintf(call->agent, sizeof(call->agent), "%s", config->name);
	snprintf(call->language, sizeof(call->language), "%s", config->language);
	snprintf(call->first_message, sizeof(call->first_message), "%s", config->first_message);
	agent->is_public = config->is_public;
	snprintf(agent->telephone_token, sizeof(agent->telephone_token), "%s",
		 config->telephone_token);
}

static int agents_make_agent(struct agent **agentp, const struct config_agent *config,
			     struct agents *agents, struct buf *errors)
{
	struct agent *agent = mem_zalloc(sizeof(*agent), agents_destroy_agent);
	int err;

	if (!agent)
		return ENOMEM;
	snprintf(agent->path, sizeof(agent->path), "%s", config->path);
	snprintf(agent->language, sizeof(agent->language), "%s", config->language);
	agents_fill_call(agent, config);
	err = agents_check_path(agents, config, errors);
	if (!err)
		err = agents_fill_keys(agent, agents, config, errors);
	if (!err)
		err = agents_fill_account_key(agent, config, errors);
	if (!err)
		err = agents_fill_llm(agent, config, errors);
	if (!err)
		err = agents_fill_totals(agent, config->name, agents);
	if (err)
		mem_deref(agent);
	else
		*agentp = agent;
	return err;
}

/* All agents are checked, so that every mistake is reported at once. */
int agents_reload(struct agents *agents, const struct config *config, struct buf *errors)
{
	struct agent *fresh[CONFIG_AGENTS_MAX] = {NULL};
	int err = 0;

	for (size_t i = 0; i < config->agents_count; ++i) {
		int err_one = agents_make_agent(&fresh[i], &config->agents[i], agents, errors);

		err = err ? err : err_one;
	}
	for (size_t i = 0; i < CONFIG_AGENTS_MAX; ++i) {
		if (err) {
			mem_deref(fresh[i]);
		} else {
			mem_deref(agents->rows[i]);
			agents->rows[i] = fresh[i];
		}
	}
	if (!err)
		agents->count = config->agents_count;
	return err;
}

int agents_alloc(struct agents **agentsp, const struct config *config,
		 const struct door *const *doors, struct buf *errors)
{
	struct agents *agents = mem_zalloc(sizeof(*agents), agents_destroy);
	int err;

	if (!agents)
		return ENOMEM;
	agents->doors = doors;
	err = agents_reload(agents, config, errors);
	if (err)
		mem_deref(agents);
	else
		*agentsp = agents;
	return err;
}

struct agent *agents_find(const struct agents *agents, const char *path)
{
	for (size_t i = 0; i < agents->count; ++i) {
		if (strcmp(agents->rows[i]->path, path) == 0)
			return agents->rows[i];
	}
	return NULL;
}

struct agent *agents_find_name(const struct agents *agents, const char *name)
{
	for (size_t i = 0; i < agents->count; ++i) {
		if (strcmp(agents->rows[i]->totals->name, name) == 0)
			return agents->rows[i];
	}
	return NULL;
}

size_t agents_count(const struct agents *agents)
{
	return agents->count;
}

const struct agent *agents_at(const struct agents *agents, size_t index)
{
	return agents->rows[index];
}

const struct agent_totals *agents_totals(const struct agents *agents, size_t index)
{
	return index < agents->totals_count ? agents->totals[index] : NULL;
}
