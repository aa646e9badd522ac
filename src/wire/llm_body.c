/*
 * llm_body.c: what is sent to a language model (see llm_body.h).
 */
#include "wire/llm_body.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "wire/json_write.h"

/* Inserted as a turn of the user if the first turn is the agent's, who has greeted the caller. */
#define CALL_BEGINS "(The call begins.)"

struct llm_body_shape {
	const char *url;
	const char *path;
	const char *key_header; /* the text of the header before the key */
	const char *headers; /* further headers */
	const char *turns; /* the member with the history */
	/* The member with the prompt; NULL: it is a turn with the role "system". */
	const char *prompt;
	const char *max_tokens; /* the member with the limit */
	uint32_t max_tokens_default; /* 0: the limit may be omitted */
	struct {
		const char *key, *value;
	} fixed[2];
};

static const struct llm_body_shape shapes[] = {
	[LLM_OPENAI] = {.url = "https://api.openai.com/v1",
			.path = "/chat/completions",
			.key_header = "Authorization: Bearer ",
			.headers = "",
			.turns = "messages",
			.max_tokens = "max_tokens",
			.fixed = {{"stream", "true"},
				  {"stream_options", "{\"include_usage\":true}"}}},
	/* Without "store" the vendor keeps every conversation for a month. */
	[LLM_RESPONSES] = {.url = "https://api.openai.com/v1",
			   .path = "/responses",
			   .key_header = "Authorization: Bearer ",
			   .headers = "",
			   .turns = "input",
			   .prompt = "instructions",
			   .max_tokens = "max_output_tokens",
			   .fixed = {{"stream", "true"}, {"store", "false"}}},
	/* max_tokens is mandatory; 1024 tokens are four minutes of speech. */
	[LLM_ANTHROPIC] = {.url = "https://api.anthropic.com/v1",
			   .path = "/messages",
			   .key_header = "x-api-key: ",
			   .headers = "anthropic-version: 2023-06-01\r\n",
			   .turns = "messages",
			   .prompt = "system",
			   .max_tokens = "max_tokens",
			   .max_tokens_default = 1024,
			   .fixed = {{"stream", "true"}}},
};

struct llm_extra_member {
	char *key;
	char *value; /* the JSON text as the operator wrote it */
	bool is_null;
};

struct llm_extra {
	struct llm_extra_member members[LLM_EXTRA_MAX];
	size_t count;
};

static void llm_body_destroy_extra(void *object)
{
	struct llm_extra *extra = object;

	for (size_t i = 0; i < extra->count; ++i) {
		free(extra->members[i].key);
		free(extra->members[i].value);
	}
}

static bool llm_body_is_plain_key(const struct json_value *key)
{
	for (size_t i = 0; i < key->len; ++i)
		if ((unsigned char)key->text[i] < ' ' || strchr("\"\\", key->text[i]))
			return false;
	return key->len > 0;
}

static const char *llm_body_refuse_key(const struct json_value *key)
{
	static const char *const ours[] = {"stream", "messages", "input"};

	if (!llm_body_is_plain_key(key))
		return "a key is empty or needs escapes";
	for (size_t i = 0; i < COUNT(ours); ++i)
		if (key->len == strlen(ours[i]) && memcmp(key->text, ours[i], key->len) == 0)
			return "\"stream\", \"messages\" and \"input\" are not to be changed";
	return NULL;
}

static int llm_body_add_member(struct llm_extra *extra, const struct json_value *key,
			       const char *value, size_t len, bool is_null)
{
	struct llm_extra_member *member = &extra->members[extra->count];

	member->key = strndup(key->text, key->len);
	member->value = strndup(value, len);
	member->is_null = is_null;
	++extra->count;
	return member->key && member->value ? 0 : ENOMEM;
}

/* Strings are decoded in place, so a copy is parsed, and the values are copied from the same
 * offsets of the original text. */
static int llm_body_read_members(struct llm_extra *extra, struct json *json, const char *text,
				 const char **why)
{
	struct json_value value;
	struct json_value key;

	if (json_value(json, &value) == 0 && value.kind != JSON_KIND_OBJECT) {
		*why = "it is not an object";
		return EINVAL;
	}
	while (json_member(json, &key)) {
		size_t from = (size_t)(json->at - json->start);
		int err;

		*why = extra->count == LLM_EXTRA_MAX ? "it has too many members"
						     : llm_body_refuse_key(&key);
		if (*why)
			return EINVAL;
		if (json_value(json, &value) != 0 || json_skip(json, &value) != 0)
			break;
		err = llm_body_add_member(extra, &key, text + from,
					  (size_t)(json->at - json->start) - from,
					  value.kind == JSON_KIND_NULL);
		if (err)
			return err;
	}
	*why = "it is not JSON";
	return json_close(json);
}

int llm_extra_parse(struct llm_extra **extrap, const char *text, const char **why)
{
	struct llm_extra *extra = mem_zalloc(sizeof(*extra), llm_body_destroy_extra);
	char *copy = strdup(text);
	struct json json;
	int err = ENOMEM;

	*why = "out of memory";
	if (extra && copy) {
		json_open(&json, copy, strlen(copy));
		err = llm_body_read_members(extra, &json, text, why);
	}
	free(copy);
	if (err)
		mem_deref(extra);
	else
		*extrap = extra;
	return err;
}

static bool llm_body_is_overridden(const struct llm_extra *extra, const char *key)
{
	for (size_t i = 0; extra && i < extra->count; ++i)
		if (strcmp(extra->members[i].key, key) == 0)
			return true;
	return false;
}

const char *llm_body_url(enum llm_dialect dialect)
{
	return shapes[dialect].url;
}

const char *llm_body_path(enum llm_dialect dialect)
{
	return shapes[dialect].path;
}

int llm_body_headers(struct buf *out, enum llm_dialect dialect, const char *key)
{
	const struct llm_body_shape *shape = &shapes[dialect];
	int err = buf_append_str(out, shape->headers);

	if (!err && key)
		err = buf_printf(out, "%s%s\r\n", shape->key_header, key);
	return err;
}

static bool llm_body_is_blank(const struct llm_turn *turn)
{
	for (size_t i = 0; i < turn->len; ++i)
		if (!strchr(" \t\r\n", turn->text[i]))
			return false;
	return true;
}

static void llm_body_write_turn(struct json_write *json, const char *role, const char *text,
				size_t len)
{
	json_write_object(json, NULL);
	json_write_string(json, "role", role, strlen(role));
	json_write_string(json, "content", text, len);
	json_write_object_end(json);
}

static const char *llm_body_role_name(enum llm_role role)
{
	return role == LLM_USER ? "user" : "assistant";
}

/* Joins the turns of one role from *at on into one text, and moves *at past them. */
static int llm_body_join_turns(struct buf *text, const struct llm_request *request, size_t *at)
{
	enum llm_role role = request->turns[*at].role;
	int err = 0;

	text->len = 0;
	for (; *at < request->count && !err; ++*at) {
		const struct llm_turn *turn = &request->turns[*at];

		if (llm_body_is_blank(turn))
			continue;
		if (turn->role != role)
			break;
		if (text->len > 0)
			err = buf_append(text, "\n", 1);
		if (!err)
			err = buf_append(text, turn->text, turn->len);
	}
	return err;
}

/* The longest text that llm_body_join_turns can produce, including the separators. */
static size_t llm_body_joined_max(const struct llm_request *request)
{
	size_t sum = request->count;

	for (size_t i = 0; i < request->count; ++i)
		sum += request->turns[i].len;
	return sum;
}

static void llm_body_write_turns(struct json_write *json, const struct llm_request *request)
{
	struct buf text;
	bool is_first = true;

	buf_init(&text, llm_body_joined_max(request));
	for (size_t at = 0; at < request->count && !json->err;) {
		enum llm_role role = request->turns[at].role;

		if (llm_body_is_blank(&request->turns[at])) {
			++at;
			continue;
		}
		if (is_first && role == LLM_AGENT)
			llm_body_write_turn(json, llm_body_role_name(LLM_USER), CALL_BEGINS,
					    strlen(CALL_BEGINS));
		is_first = false;
		json->err = llm_body_join_turns(&text, request, &at);
		llm_body_write_turn(json, llm_body_role_name(role), text.bytes, text.len);
	}
	buf_reset(&text);
}

static void llm_body_write_prompt(struct json_write *json, const struct llm_body_shape *shape,
				  const struct llm_request *request)
{
	bool is_said = request->prompt && request->prompt[0];

	if (is_said && shape->prompt && !llm_body_is_overridden(request->extra, shape->prompt))
		json_write_string(json, shape->prompt, request->prompt, strlen(request->prompt));
	json_write_list(json, shape->turns);
	if (is_said && !shape->prompt)
		llm_body_write_turn(json, "system", request->prompt, strlen(request->prompt));
}

static void llm_body_write_numbers(struct json_write *json, const struct llm_body_shape *shape,
				   const struct llm_request *request)
{
	uint32_t max = request->max_tokens ? request->max_tokens : shape->max_tokens_default;

	if (request->temperature >= 0 && !llm_body_is_overridden(request->extra, "temperature"))
		json_write_double(json, "temperature", request->temperature, 3);
	if (max > 0 && !llm_body_is_overridden(request->extra, shape->max_tokens))
		json_write_unsigned(json, shape->max_tokens, max);
}

int llm_body_write(struct buf *out, enum llm_dialect dialect, const struct llm_request *request)
{
	const struct llm_body_shape *shape = &shapes[dialect];
	const struct llm_extra *extra = request->extra;
	struct json_write json;

	json_write_open(&json, out);
	if (!llm_body_is_overridden(extra, "model"))
		json_write_string(&json, "model", request->model, strlen(request->model));
	llm_body_write_prompt(&json, shape, request);
	llm_body_write_turns(&json, request);
	json_write_list_end(&json);
	llm_body_write_numbers(&json, shape, request);
	for (size_t i = 0; i < COUNT(shape->fixed) && shape->fixed[i].key; ++i)
		if (!llm_body_is_overridden(extra, shape->fixed[i].key))
			json_write_raw(&json, shape->fixed[i].key, shape->fixed[i].value);
	for (size_t i = 0; extra && i < extra->count; ++i)
		if (!extra->members[i].is_null)
			json_write_raw(&json, extra->members[i].key, extra->members[i].value);
	return json_write_close(&json);
}

size_t llm_body_first_turn(const struct llm_turn *turns, size_t count, size_t max)
{
	bool has_user = false;
	size_t sum = 0;
	size_t first = count;

	while (first > 0) {
		const struct llm_turn *turn = &turns[first - 1];

		sum += utf8_count(turn->text, turn->len);
		if (has_user && sum > max)
			break;
		has_user |= turn->role == LLM_USER && !llm_body_is_blank(turn);
		--first;
	}
	return first;
}
