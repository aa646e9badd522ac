/*
 * engine_message.c: what a speech engine may say in a conversation (see
 * engine_message.h).
 */
#include "wire/engine_message.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/count.h"
#include "base/json.h"
#include "wire/json_write.h"

#define TURNS_FIRST 16u

static bool is_text(const struct json_value *value, const char *text)
{
	return value->kind == JSON_KIND_STRING && value->len == strlen(text) &&
	       memcmp(value->text, text, value->len) == 0;
}

struct reading {
	struct engine_message *message;
	struct json json;
	const char *why; /* of the first fault that is not JSON's */
	bool has_turns; /* user_transcript was a list */
	size_t turns_size;
	size_t turns_first; /* the oldest, once they go in circles */
};

static int fault(struct reading *reading, const char *why)
{
	if (!reading->why)
		reading->why = why;
	return EINVAL;
}

/* FNV-1a, with an end for each text so that no two lists of texts run together:
 * the sender is known, so this need not withstand anyone. */
static void add_print(uint64_t *print, enum llm_role role, const char *text, size_t len)
{
	static const uint64_t prime = UINT64_C(0x100000001b3);
	uint64_t h = *print;

	for (size_t i = 0; i < len; ++i)
		h = (h ^ (uint8_t)text[i]) * prime;
	*print = (h ^ (role == LLM_USER ? 0x1fe : 0x1ff)) * prime;
}

/* History */

static int make_room(struct reading *reading)
{
	struct engine_message *message = reading->message;
	size_t size = reading->turns_size ? 2 * reading->turns_size : TURNS_FIRST;
	struct llm_turn *turns = realloc(message->turns, size * sizeof(*turns));

	if (!turns)
		return ENOMEM;
	message->turns = turns;
	reading->turns_size = size;
	return 0;
}

static int add_turn(struct reading *reading, enum llm_role role, const struct json_value *content)
{
	struct engine_message *message = reading->message;
	const struct llm_turn turn = {role, content->text, content->len};

	add_print(&message->print, role, content->text, content->len);
	if (message->turns_len == ENGINE_TURNS_MAX) {
		message->turns[reading->turns_first] = turn;
		reading->turns_first = (reading->turns_first + 1) % ENGINE_TURNS_MAX;
		return 0;
	}
	message->turns[message->turns_len++] = turn;
	return message->turns_len == reading->turns_size ? make_room(reading) : 0;
}

static void reverse(struct llm_turn *turns, size_t n)
{
	for (size_t i = 0; i < n / 2; ++i) {
		struct llm_turn turn = turns[i];

		turns[i] = turns[n - 1 - i];
		turns[n - 1 - i] = turn;
	}
}

/* Puts the oldest first again, in place. */
static void unwind(struct reading *reading)
{
	struct engine_message *message = reading->message;

	if (reading->turns_first == 0)
		return;
	reverse(message->turns, reading->turns_first);
	reverse(message->turns + reading->turns_first, message->turns_len - reading->turns_first);
	reverse(message->turns, message->turns_len);
}

static bool role_of(enum llm_role *role, const struct json_value *value)
{
	if (is_text(value, "user"))
		*role = LLM_USER;
	else if (is_text(value, "agent") || is_text(value, "assistant"))
		*role = LLM_AGENT;
	else
		return false;
	return true;
}

/* Who says neither, or nothing that is text, is passed over: there may be other
 * roles one day, and what was said around them still counts. */
static int read_turn(struct reading *reading)
{
	struct json *json = &reading->json;
	struct json_value key;
	struct json_value value;
	struct json_value content = {0};
	enum llm_role role;
	bool has_role = false;

	if (json_value(json, &value) != 0)
		return EINVAL;
	if (value.kind != JSON_KIND_OBJECT)
		return json_skip(json, &value);
	while (json_member(json, &key)) {
		if (json_value(json, &value) != 0)
			return EINVAL;
		if (is_text(&key, "role"))
			has_role = role_of(&role, &value);
		else if (is_text(&key, "content"))
			content = value;
		json_skip(json, &value);
	}
	if (json->reason || !has_role || content.kind != JSON_KIND_STRING)
		return 0;
	return add_turn(reading, role, &content);
}

static int read_history(struct reading *reading, const struct json_value *value)
{
	struct engine_message *message = reading->message;

	if (value->kind != JSON_KIND_ARRAY) {
		json_skip(&reading->json, value);
		return fault(reading, "user_transcript is no list");
	}
	reading->has_turns = true;
	reading->turns_first = message->turns_len = 0; /* the last of two counts */
	message->print = UINT64_C(0xcbf29ce484222325);
	if (!message->turns && make_room(reading) != 0)
		return ENOMEM;
	while (json_element(&reading->json)) {
		int err = read_turn(reading);

		if (err)
			return err;
	}
	unwind(reading);
	return 0;
}

/* Members */

static int keep_event_string(struct engine_event *event, const struct json_value *value)
{
	/* A string of one member, without the object and the key around it. */
	static const char before[] = "{\"e\":";
	char text[sizeof(before) + ENGINE_EVENT_MAX];
	struct buf out = {.bytes = text, .size = sizeof(text), .max = sizeof(text)};
	struct json_write json;
	size_t len;

	json_write_open(&json, &out);
	json_write_string(&json, "e", value->text, value->len);
	if (json_write_close(&json) != 0)
		return EINVAL;
	len = out.len - strlen(before) - 1;
	if (len >= ENGINE_EVENT_MAX)
		return EINVAL;
	memcpy(event->text, text + strlen(before), len);
	event->text[len] = '\0';
	return 0;
}

static int keep_event_number(struct engine_event *event, const struct json_value *value)
{
	if (value->len >= ENGINE_EVENT_MAX)
		return EINVAL;
	memcpy(event->text, value->text, value->len);
	event->text[value->len] = '\0';
	event->is_number = json_to_integer(&event->number, value) == 0;
	return 0;
}

int engine_event_read(struct engine_event *event, const struct json_value *value)
{
	*event = (struct engine_event){0};
	if (value->kind == JSON_KIND_STRING)
		return keep_event_string(event, value);
	if (value->kind == JSON_KIND_NUMBER)
		return keep_event_number(event, value);
	return 0;
}

static int read_event(struct reading *reading, const struct json_value *value)
{
	int err = engine_event_read(&reading->message->event, value);

	json_skip(&reading->json, value);
	return err ? fault(reading, "event_id is too long") : 0;
}

static int read_type(struct reading *reading, const struct json_value *value)
{
	static const struct {
		const char *name;
		enum engine_message_kind kind;
	} types[] = {{"user_transcript", ENGINE_TRANSCRIPT},
		     {"ping", ENGINE_PING},
		     {"init", ENGINE_INIT},
		     {"close", ENGINE_CLOSE},
		     {"error", ENGINE_ERROR}};

	reading->message->kind = ENGINE_OTHER;
	for (size_t i = 0; i < COUNT(types); ++i) {
		if (is_text(value, types[i].name))
			reading->message->kind = types[i].kind;
	}
	return json_skip(&reading->json, value);
}

static int read_conversation_id(struct reading *reading, const struct json_value *value)
{
	if (value->kind == JSON_KIND_STRING) {
		reading->message->conversation_id = value->text;
		reading->message->conversation_id_len = value->len;
	}
	return json_skip(&reading->json, value);
}

static int read_reason(struct reading *reading, const struct json_value *value)
{
	if (value->kind == JSON_KIND_STRING) {
		reading->message->reason = value->text;
		reading->message->reason_len = value->len;
	}
	return json_skip(&reading->json, value);
}

static const struct {
	const char *name;
	int (*read)(struct reading *reading, const struct json_value *value);
} members[] = {
	{"type", read_type},      {"user_transcript", read_history},
	{"event_id", read_event}, {"conversation_id", read_conversation_id},
	{"message", read_reason},
};

static int read_member(struct reading *reading, const struct json_value *key,
		       const struct json_value *value)
{
	for (size_t i = 0; i < COUNT(members); ++i) {
		if (is_text(key, members[i].name))
			return members[i].read(reading, value);
	}
	return json_skip(&reading->json, value);
}

/* A wrong member is a fault only of the messages that it belongs to. */
static int read_message(struct reading *reading)
{
	struct json_value key;
	struct json_value value;

	if (json_value(&reading->json, &value) != 0)
		return EINVAL;
	if (value.kind != JSON_KIND_OBJECT)
		return fault(reading, "a message is no JSON object");
	while (json_member(&reading->json, &key)) {
		if (json_value(&reading->json, &value) != 0)
			return EINVAL;
		if (read_member(reading, &key, &value) == ENOMEM)
			return ENOMEM;
	}
	if (json_close(&reading->json) != 0)
		return EINVAL;
	if (reading->message->kind != ENGINE_TRANSCRIPT)
		return 0;
	if (!reading->has_turns)
		return fault(reading, "a transcript without user_transcript");
	return reading->why ? EINVAL : 0;
}

int engine_message_parse(struct engine_message *message, const char **why, char *json, size_t len)
{
	struct reading reading = {.message = message};
	int err;

	*message = (struct engine_message){0};
	json_open(&reading.json, json, len);
	err = read_message(&reading);
	if (err) {
		engine_message_reset(message);
		*why = reading.json.reason ? reading.json.reason : reading.why;
		if (err == ENOMEM)
			*why = "out of memory";
	}
	return err;
}

void engine_message_reset(struct engine_message *message)
{
	free(message->turns);
	*message = (struct engine_message){0};
}
