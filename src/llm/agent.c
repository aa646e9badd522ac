/*
 * agent.c: the settings with which one agent asks its model, checked and copied (see llm.h).
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/count.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "llm/llm_private.h"

#define HEADERS_MAX (8u * 1024u) /* half of the smallest common limit of servers */

static void agent_free_target(struct llm_target *target)
{
	free(target->url_text);
	free(target->model);
	free(target->key);
	free(target->headers);
}

static void agent_destroy(void *object)
{
	struct llm_agent *agent = object;

	for (size_t i = 0; i < LLM_TARGETS_MAX; ++i)
		agent_free_target(&agent->targets[i]);
	free(agent->name);
	free(agent->prompt);
	free(agent->sentence);
	mem_deref(agent->extra);
}

static int agent_refuse(char *why, size_t why_size, const char *what, const char *reason)
{
	snprintf(why, why_size, "%s: %s", what, reason);
	return EINVAL;
}

static int agent_copy(char **copyp, const char *text)
{
	if (!text)
		return 0;
	*copyp = strdup(text);
	return *copyp ? 0 : ENOMEM;
}

/* True for characters that are allowed in a header's value. */
static bool agent_is_header_text(const char *text, size_t len)
{
	for (size_t i = 0; i < len; ++i)
		if ((unsigned char)text[i] < ' ' || (unsigned char)text[i] >= 0x7f)
			return false;
	return true;
}

/* Appends the configured headers, one per line.  A name must be a token, and must not be one that
 * this program or the HTTP client sets. */
static int agent_add_headers(struct buf *out, const char *lines, char *why, size_t why_size)
{
	static const char *const ours[] = {"Host", "Content-Length", "Content-Type", "Connection",
					   "Transfer-Encoding"};
	int err = 0;

	while (lines && *lines && !err) {
		size_t len = strcspn(lines, "\n");
		size_t trimmed = len > 0 && lines[len - 1] == '\r' ? len - 1 : len;
		const char *colon = memchr(lines, ':', trimmed);
		size_t name_len = colon ? (size_t)(colon - lines) : 0;
		bool is_good = name_len > 0 && agent_is_header_text(lines, trimmed);

		for (size_t i = 0; i < name_len; ++i)
			is_good &= isalnum((unsigned char)lines[i]) || strchr("-_.", lines[i]);
		if (trimmed > 0 && !is_good)
			return agent_refuse(why, why_size, "llm_headers",
					    "a line is not of the form \"Name: value\"");
		for (size_t i = 0; i < COUNT(ours); ++i)
			if (name_len == strlen(ours[i]) &&
			    strncasecmp(lines, ours[i], name_len) == 0)
				return agent_refuse(why, why_size, "llm_headers",
						    "it contains a header that Syrinx sets itself");
		if (trimmed > 0) {
			err = buf_append(out, lines, trimmed);
			if (!err)
				err = buf_append(out, "\r\n", 2);
		}
		lines += len + (lines[len] == '\n');
	}
	return err;
}

static int agent_make_headers(struct llm_target *target, enum llm_dialect dialect, const char *more,
			      char *why, size_t why_size)
{
	struct buf out;
	int err;

	buf_init(&out, HEADERS_MAX);
	err = buf_append_str(&out, "Content-Type: application/json\r\nAccept: text/event-stream\r\n"
				   "User-Agent: syrinx/" SYRINX_VERSION "\r\n");
	if (!err)
		err = llm_body_headers(&out, dialect, target->key);
	if (!err)
		err = agent_add_headers(&out, more, why, why_size);
	if (!err)
		err = buf_append(&out, "", 1);
	if (err) {
		buf_reset(&out);
		return err == ENOBUFS
			       ? agent_refuse(why, why_size, "llm_headers", "they are too long")
			       : err;
	}
	target->headers = out.bytes;
	return 0;
}

static int agent_make_target(struct llm_target *target, enum llm_dialect dialect, const char *url,
			     const char *model, const char *key, char *why, size_t why_size)
{
	const char *path = llm_body_path(dialect);
	size_t path_len = strlen(path);
	size_t len;
	int err = agent_copy(&target->url_text, url);

	if (!err)
		err = agent_copy(&target->model, model);
	if (!err)
		err = agent_copy(&target->key, key);
	if (err)
		return err;
	if (url_parse(&target->url, target->url_text) != 0)
		return agent_refuse(why, why_size, "url", "it is not an http or https URL");
	if (!model)
		return agent_refuse(why, why_size, "model", "it must be set");
	if (key && !agent_is_header_text(key, strlen(key)))
		return agent_refuse(why, why_size, "key",
				    "it has characters that a key cannot have");
	/* A base URL that already ends in the path is used unchanged. */
	len = strcspn(target->url.target, "?#");
	target->path = path;
	if (len >= path_len && strncmp(target->url.target + len - path_len, path, path_len) == 0)
		target->path = NULL;
	return 0;
}

static bool agent_is_same_origin(const struct url *a, const struct url *b)
{
	return a->is_tls == b->is_tls && strcmp(a->host, b->host) == 0 &&
	       strcmp(a->port, b->port) == 0;
}

/* A key is only sent to the origin that it was configured for. */
static int agent_make_fallback(struct llm_agent *agent, const struct llm_options *options,
			       char *why, size_t why_size)
{
	const struct llm_target *first = &agent->targets[0];
	const char *url = options->fallback_url ? options->fallback_url : first->url_text;
	struct url parsed;
	const char *key = options->fallback_key;

	if (!options->fallback_model)
		return options->fallback_url ? agent_refuse(why, why_size, "model",
							    "it must be set if fallback_url is")
					     : 0;
	if (!key && url_parse(&parsed, url) == 0 && agent_is_same_origin(&parsed, &first->url))
		key = first->key;
	agent->target_count = 2;
	return agent_make_target(&agent->targets[1], agent->dialect, url, options->fallback_model,
				 key, why, why_size);
}

/* Errors name the option as it is called in the configuration. */
static int agent_make_targets(struct llm_agent *agent, const struct llm_options *options, char *why,
			      size_t why_size)
{
	const char *url = options->url ? options->url : llm_body_url(options->dialect);
	size_t n = (size_t)snprintf(why, why_size, "llm_");
	int err = agent_make_target(&agent->targets[0], options->dialect, url, options->model,
				    options->key, why + n, why_size - n);

	agent->target_count = 1;
	if (!err) {
		n = (size_t)snprintf(why, why_size, "fallback_");
		err = agent_make_fallback(agent, options, why + n, why_size - n);
	}
	for (size_t i = 0; i < agent->target_count && !err; ++i)
		err = agent_make_headers(&agent->targets[i], options->dialect, options->headers,
					 why, why_size);
	return err;
}

static uint32_t agent_or_default(uint32_t value, uint32_t otherwise)
{
	return value ? value : otherwise;
}

static void agent_set_numbers(struct llm_agent *agent, const struct llm_options *options)
{
	agent->dialect = options->dialect;
	agent->temperature = options->temperature;
	agent->max_tokens = options->max_tokens;
	agent->connect_ms = agent_or_default(options->connect_ms, LLM_CONNECT_MS);
	agent->first_token_ms = agent_or_default(options->first_token_ms, LLM_FIRST_TOKEN_MS);
	agent->begin_ms = agent_or_default(options->begin_ms, LLM_BEGIN_MS);
	agent->between_ms = agent_or_default(options->between_ms, LLM_BETWEEN_MS);
	agent->whole_ms = agent_or_default(options->whole_ms, LLM_WHOLE_MS);
	agent->retries = options->retries < 0 ? LLM_RETRIES : (unsigned)options->retries;
	agent->history_max = options->history_max ? options->history_max : LLM_HISTORY_MAX;
}

static int agent_set_texts(struct llm_agent *agent, const struct llm_options *options, char *why,
			   size_t why_size)
{
	const char *reason;
	int err = agent_copy(&agent->name, options->name ? options->name : "");

	if (!err)
		err = agent_copy(&agent->prompt, options->prompt);
	if (!err)
		err = agent_copy(&agent->sentence,
				 options->sentence ? options->sentence : LLM_SORRY);
	if (err || !options->body)
		return err;
	err = llm_extra_parse(&agent->extra, options->body, &reason);
	return err == EINVAL ? agent_refuse(why, why_size, "llm_body", reason) : err;
}

/* Names of models are written to the ledger, and a database refuses invalid UTF-8. */
static int agent_check_names(const struct llm_options *options, char *why, size_t why_size)
{
	const char *const names[] = {options->model, options->fallback_model};

	for (size_t i = 0; i < COUNT(names); ++i) {
		struct utf8_state state = {0};

		if (names[i] &&
		    !(utf8_check(&state, names[i], strlen(names[i])) && utf8_is_complete(&state))) {
			snprintf(why, why_size, "the name of a model is not valid UTF-8");
			return EINVAL;
		}
	}
	return 0;
}

int llm_agent_alloc(struct llm_agent **agentp, const struct llm_options *options, char *why,
		    size_t why_size)
{
	struct llm_agent *agent = mem_zalloc(sizeof(*agent), agent_destroy);
	int err;

	snprintf(why, why_size, "out of memory");
	if (!agent)
		return ENOMEM;
	agent_set_numbers(agent, options);
	err = agent_check_names(options, why, why_size);
	if (!err)
		err = agent_set_texts(agent, options, why, why_size);
	if (!err && options->dialect != LLM_ECHO)
		err = agent_make_targets(agent, options, why, why_size);
	if (err == ENOMEM)
		snprintf(why, why_size, "out of memory");
	if (err)
		mem_deref(agent);
	else
		*agentp = agent;
	return err;
}

const char *llm_agent_sentence(const struct llm_agent *agent)
{
	return agent->sentence[0] ? agent->sentence : LLM_SORRY;
}

const char *llm_agent_model(const struct llm_agent *agent, bool is_other)
{
	if (agent->dialect == LLM_ECHO)
		return "echo";
	return agent->targets[is_other && agent->target_count > 1].model;
}

uint32_t llm_agent_max_tokens(const struct llm_agent *agent)
{
	return agent->max_tokens;
}

uint32_t llm_estimate(uint64_t characters)
{
	uint64_t tokens = (characters + LLM_TOKEN_CHARACTERS - 1) / LLM_TOKEN_CHARACTERS;

	return tokens < UINT32_MAX ? (uint32_t)tokens : UINT32_MAX;
}

uint32_t llm_agent_estimate(const struct llm_agent *agent, const struct llm_turn *history,
			    size_t count)
{
	uint64_t characters = agent->prompt ? utf8_count(agent->prompt, strlen(agent->prompt)) : 0;

	for (size_t i = llm_body_first_turn(history, count, agent->history_max); i < count; ++i)
		characters += utf8_count(history[i].text, history[i].len);
	return llm_estimate(characters);
}
