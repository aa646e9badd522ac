/*
 * llm_event.c: interprets the events of a language model's stream (see llm_event.h).
 */
#include "wire/llm_event.h"

#include <errno.h>
#include <string.h>

#include "base/count.h"
#include "base/json.h"

/* Longer than every path in the tables. */
#define PATH_MAX_LEN 48u

enum llm_event_field {
	NONE,
	TYPE,
	TEXT,
	FINISH,
	ERROR,
	CODE,
	TOKENS_IN,
	TOKENS_CACHED, /* read from a cache; not included in Anthropic's TOKENS_IN */
	TOKENS_KEPT, /* written to a cache; not included in Anthropic's TOKENS_IN either */
	TOKENS_OUT,
	FIELDS
};

/* Assigns a member of the event to a field.  Its path consists of the keys that lead to it, from the
 * outermost object inwards; the elements of a list have the path of the list. */
struct llm_event_row {
	const char *path;
	enum llm_event_field field;
};

/* What the type of an event means: it contains text, it ends the answer, the answer is incomplete
 * because it reached a limit, the answer has failed. */
enum { SAYS = 1, ENDS = 2, CUTS = 4, FAILS = 8 };

struct llm_event_type {
	const char *name;
	unsigned means;
};

struct llm_event_table {
	struct llm_event_row rows[12];
	struct llm_event_type types[8]; /* empty: every event may contain text */
};

static const struct llm_event_table tables[] = {
	[LLM_OPENAI] = {.rows = {{"choices.delta.content", TEXT},
				 {"choices.delta.refusal", TEXT},
				 {"choices.finish_reason", FINISH},
				 {"usage.prompt_tokens", TOKENS_IN},
				 {"usage.completion_tokens", TOKENS_OUT},
				 {"error", ERROR}, /* Ollama */
				 {"error.message", ERROR},
				 {"error.type", CODE},
				 {"error.code", CODE},
				 {"message", ERROR}, /* vLLM, some proxies */
				 {"detail", ERROR}}},
	[LLM_RESPONSES] = {.rows = {{"type", TYPE},
				    {"delta", TEXT},
				    {"response.usage.input_tokens", TOKENS_IN},
				    {"response.usage.output_tokens", TOKENS_OUT},
				    {"response.error.message", ERROR},
				    {"response.error.code", CODE},
				    {"error.message", ERROR},
				    {"error.code", CODE},
				    {"message", ERROR},
				    {"detail", ERROR}},
			   .types = {{"response.output_text.delta", SAYS},
				     {"response.refusal.delta", SAYS},
				     {"response.completed", ENDS},
				     {"response.incomplete", ENDS | CUTS},
				     {"response.failed", FAILS},
				     {"response.cancelled", FAILS},
				     {"error", FAILS}}},
	[LLM_ANTHROPIC] = {.rows = {{"type", TYPE},
				    {"delta.text", TEXT},
				    {"content_block.text", TEXT},
				    {"delta.stop_reason", FINISH},
				    {"message.usage.input_tokens", TOKENS_IN},
				    {"message.usage.cache_read_input_tokens", TOKENS_CACHED},
				    {"message.usage.cache_creation_input_tokens", TOKENS_KEPT},
				    {"usage.output_tokens", TOKENS_OUT},
				    {"error.message", ERROR},
				    {"error.type", CODE}},
			   .types = {{"content_block_start", SAYS},
				     {"content_block_delta", SAYS},
				     {"message_stop", ENDS},
				     {"error", FAILS}}},
};

struct llm_event_reader {
	struct json json;
	const struct llm_event_table *table;
	struct json_value fields[FIELDS];
	bool has[FIELDS];
	char path[PATH_MAX_LEN];
};

static bool llm_event_is(const struct json_value *value, const char *word)
{
	return value->len == strlen(word) && memcmp(value->text, word, value->len) == 0;
}

static enum llm_event_field llm_event_find_field(const struct llm_event_reader *reader,
						 size_t path_len)
{
	const struct llm_event_row *rows = reader->table->rows;

	for (size_t i = 0; i < COUNT(reader->table->rows) && rows[i].path; ++i)
		if (strlen(rows[i].path) == path_len &&
		    memcmp(rows[i].path, reader->path, path_len) == 0)
			return rows[i].field;
	return NONE;
}

/* An empty string has no information, and must not replace one that is not empty. */
static void llm_event_keep(struct llm_event_reader *reader, const struct json_value *value,
			   size_t path_len)
{
	enum llm_event_field field = llm_event_find_field(reader, path_len);
	bool is_number = field >= TOKENS_IN && field <= TOKENS_OUT;
	enum json_kind kind = is_number ? JSON_KIND_NUMBER : JSON_KIND_STRING;

	if (field == NONE || value->kind != kind || value->len == 0)
		return;
	reader->fields[field] = *value;
	reader->has[field] = true;
}

/* Appends ".key" to the path.  Returns its new length, or 0 if no row can match. */
static size_t llm_event_extend_path(struct llm_event_reader *reader, size_t path_len,
				    const struct json_value *key)
{
	size_t dot = path_len > 0;

	if (key->len == 0 || path_len + dot + key->len > sizeof(reader->path))
		return 0;
	if (dot)
		reader->path[path_len] = '.';
	memcpy(reader->path + path_len + dot, key->text, key->len);
	return path_len + dot + key->len;
}

/* The recursion is limited by the scanner to JSON_DEPTH_MAX. */
static void llm_event_walk(struct llm_event_reader *reader, size_t path_len)
{
	struct json *json = &reader->json;
	struct json_value value;
	struct json_value key;

	if (json_value(json, &value) != 0)
		return;
	if (value.kind == JSON_KIND_OBJECT) {
		while (json_member(json, &key)) {
			size_t longer = llm_event_extend_path(reader, path_len, &key);

			if (longer)
				llm_event_walk(reader, longer);
			else if (json_value(json, &value) == 0)
				json_skip(json, &value);
		}
	} else if (value.kind == JSON_KIND_ARRAY) {
		while (json_element(json))
			llm_event_walk(reader, path_len);
	} else {
		llm_event_keep(reader, &value, path_len);
	}
}

/* Returns the flags of the event's type; 0 for an unknown type. */
static unsigned llm_event_meaning(const struct llm_event_reader *reader)
{
	const struct llm_event_type *types = reader->table->types;

	if (!types[0].name)
		return SAYS;
	for (size_t i = 0; reader->has[TYPE] && i < COUNT(reader->table->types) && types[i].name;
	     ++i)
		if (llm_event_is(&reader->fields[TYPE], types[i].name))
			return types[i].means;
	return 0;
}

static uint32_t llm_event_count(const struct llm_event_reader *reader, enum llm_event_field field)
{
	int64_t n;

	if (!reader->has[field] || json_to_integer(&n, &reader->fields[field]) != 0 || n < 0 ||
	    n > UINT32_MAX)
		return 0;
	return (uint32_t)n;
}

static void llm_event_set_error(struct llm_event *event, const struct llm_event_reader *reader,
				unsigned means)
{
	static const char unknown[] = "no reason was given";
	enum llm_event_field field = reader->has[ERROR] ? ERROR : CODE;

	if (reader->has[field]) {
		event->error = reader->fields[field].text;
		event->error_len = reader->fields[field].len;
	} else if (means & FAILS) {
		event->error = unknown;
		event->error_len = sizeof(unknown) - 1;
	}
}

static void llm_event_interpret(struct llm_event *event, const struct llm_event_reader *reader)
{
	const struct json_value *finish = &reader->fields[FINISH];
	unsigned means = llm_event_meaning(reader);
	uint64_t tokens_in;

	if (reader->has[TEXT] && (means & SAYS)) {
		event->text = reader->fields[TEXT].text;
		event->len = reader->fields[TEXT].len;
	}
	event->is_cut = (means & CUTS) ||
			(reader->has[FINISH] &&
			 (llm_event_is(finish, "length") || llm_event_is(finish, "max_tokens")));
	event->is_end = means & ENDS;
	event->is_finished = event->is_end || reader->has[FINISH];
	tokens_in = (uint64_t)llm_event_count(reader, TOKENS_IN) +
		    llm_event_count(reader, TOKENS_CACHED) + llm_event_count(reader, TOKENS_KEPT);
	event->tokens_in = tokens_in < UINT32_MAX ? (uint32_t)tokens_in : UINT32_MAX;
	event->tokens_out = llm_event_count(reader, TOKENS_OUT);
	llm_event_set_error(event, reader, means);
}

int llm_event_read(struct llm_event *event, enum llm_dialect dialect, char *text, size_t len)
{
	static const char done[] = "[DONE]"; /* used by OpenAI and compatible servers */
	struct llm_event_reader reader = {.table = &tables[dialect]};
	int err;

	*event = (struct llm_event){0};
	if (len == sizeof(done) - 1 && memcmp(text, done, len) == 0) {
		event->is_end = event->is_finished = true;
		return 0;
	}
	json_open(&reader.json, text, len);
	llm_event_walk(&reader, 0);
	err = json_close(&reader.json);
	if (!err)
		llm_event_interpret(event, &reader);
	return err;
}
