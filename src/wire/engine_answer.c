/*
 * engine_answer.c: parses what this server sends to a speech engine (see engine_answer.h).
 */
#include "wire/engine_answer.h"

#include <errno.h>
#include <string.h>

#include "base/json.h"

static bool engine_answer_is_text(const struct json_value *value, const char *text)
{
	return value->kind == JSON_KIND_STRING && value->len == strlen(text) &&
	       memcmp(value->text, text, value->len) == 0;
}

static void engine_answer_read_type(struct engine_answer *answer, const struct json_value *value)
{
	answer->kind = engine_answer_is_text(value, "agent_response") ? ENGINE_ANSWER_WORDS
		       : engine_answer_is_text(value, "pong")         ? ENGINE_ANSWER_PONG
		       : engine_answer_is_text(value, "error")        ? ENGINE_ANSWER_ERROR
								      : ENGINE_ANSWER_OTHER;
}

static int engine_answer_read_member(struct engine_answer *answer, const struct json_value *key,
				     const struct json_value *value)
{
	if (engine_answer_is_text(key, "type")) {
		engine_answer_read_type(answer, value);
	} else if (engine_answer_is_text(key, "content") && value->kind == JSON_KIND_STRING) {
		answer->text = value->text;
		answer->len = value->len;
	} else if (engine_answer_is_text(key, "error") && value->kind == JSON_KIND_STRING) {
		answer->reason = value->text;
		answer->reason_len = value->len;
	} else if (engine_answer_is_text(key, "is_final")) {
		answer->is_final = value->kind == JSON_KIND_BOOL && value->truth;
	} else if (engine_answer_is_text(key, "event_id")) {
		return engine_event_read(&answer->event, value);
	}
	return 0;
}

int engine_answer_parse(struct engine_answer *answer, char *json, size_t len)
{
	struct json reader;
	struct json_value key;
	struct json_value value;
	int err = 0;

	*answer = (struct engine_answer){.text = "", .reason = ""};
	json_open(&reader, json, len);
	if (json_value(&reader, &value) != 0 || value.kind != JSON_KIND_OBJECT)
		return EINVAL;
	while (json_member(&reader, &key)) {
		if (json_value(&reader, &value) != 0)
			return EINVAL;
		if (engine_answer_read_member(answer, &key, &value) != 0)
			err = EINVAL;
		json_skip(&reader, &value);
	}
	return json_close(&reader) != 0 ? EINVAL : err;
}
