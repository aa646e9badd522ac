/*
 * engine_message.c: parses the messages of a speech engine (see engine_message.h).
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

static bool engine_message_is_text(const struct json_value *value, const char *text)
{
	return value->kind == JSON_KIND_STRING && value->len == strlen(text) &&
	       memcmp(value->text, text, value->len) == 0;
}

struct engine_message_reader {
	struct engine_message *message;
	struct json json;
	const char *why; /* the first fault other than broken JSON */
	bool has_turns; /* user_transcript was a list */
	size_t turns_size;
	size_t turns_first; /* the index of the oldest turn, once the array is used as a ring */
};

static int engine_message_refuse(struct engine_message_reader *reader, const char *why)
{
	if (!reader->why)
		reader->why = why;
	return EINVAL;
}

/* FNV-1a.  After each text, a value that depends on the role and that no byte has is added, so that
 * the hash also depends on how the text is divided into turns.  The sender is authenticated, so the
 * hash need not resist attacks. */
static void engine_message_add_hash(uint64_t *print, enum llm_role role, const char *text,
				    size_t len)
{
	static const uint64_t prime = UINT64_C(0x100000001b3);
	uint64_t h = *print;

	for (size_t i = 0; i < len; ++i)
		h = (h ^ (uint8_t)text[i]) * prime;
	*print = (h ^ (role == LLM_USER ? 0x1fe : 0x1ff)) * prime;
}

/* The history of a conversation */

static int engine_message_reserve_turn(struct engine_message_reader *reader)
{
	struct engine_message *message = reader->message;
	size_t size = reader->turns_size ? 2 * reader->turns_size : TURNS_FIRST;
	struct llm_turn *turns = realloc(message->turns, size * sizeof(*turns));

	if (!turns)
		return ENOMEM;
	message->turns = turns;
	reader->turns_size = size;
	return 0;
}

static int engine_message_add_turn(struct engine_message_reader *reader, enum llm_role role,
				   const struct json_value *content)
{
	struct engine_message *message = reader->message;
	const struct llm_turn turn = {role, content->text, content->len};

	engine_message_add_hash(&message->print, role, content->text, content->len);
	if (message->turns_len == ENGINE_TURNS_MAX) {
		message->turns[reader->turns_first] = turn;
		reader->turns_first = (reader->turns_first + 1) % ENGINE_TURNS_MAX;
		return 0;
	}
	message->turns[message->turns_len++] = turn;
	return message->turns_len == reader->turns_size ? engine_message_reserve_turn(reader) : 0;
}

static void engine_message_reverse_turns(struct llm_turn *turns, size_t n)
{
	for (size_t i = 0; i < n / 2; ++i) {
		struct llm_turn turn = turns[i];

		turns[i] = turns[n - 1 - i];
		turns[n - 1 - i] = turn;
	}
}

/* Rotates the ring in place so that the oldest turn is first. */
static void engine_message_rotate_turns(struct engine_message_reader *reader)
{
	struct engine_message *message = reader->message;

	if (reader->turns_first == 0)
		return;
	engine_message_reverse_turns(message->turns, reader->turns_first);
	engine_message_reverse_turns(message->turns + reader->turns_first,
				     message->turns_len - reader->turns_first);
	engine_message_reverse_turns(message->turns, message->turns_len);
}

static bool engine_message_role(enum llm_role *role, const struct json_value *value)
{
	if (engine_message_is_text(value, "user"))
		*role = LLM_USER;
	else if (engine_message_is_text(value, "agent") ||
		 engine_message_is_text(value, "assistant"))
		*role = LLM_AGENT;
	else
		return false;
	return true;
}

/* A turn with another role, or whose content is not text, is skipped: there may be other roles one
 * day, and the turns around it still count. */
static int engine_message_read_turn(struct engine_message_reader *reader)
{
	struct json *json = &reader->json;
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
		if (engine_message_is_text(&key, "role"))
			has_role = engine_message_role(&role, &value);
		else if (engine_message_is_text(&key, "content"))
			content = value;
		json_skip(json, &value);
	}
	if (json->reason || !has_role || content.kind != JSON_KIND_STRING)
		return 0;
	return engine_message_add_turn(reader, role, &content);
}

static int engine_message_read_history(struct engine_message_reader *reader,
				       const struct json_value *value)
{
	struct engine_message *message = reader->message;

	if (value->kind != JSON_KIND_ARRAY) {
		json_skip(&reader->json, value);
		return engine_message_refuse(reader, "user_transcript is not a list");
	}
	reader->has_turns = true;
	/* If the key appears twice, the last one counts. */
	reader->turns_first = message->turns_len = 0;
	message->print = UINT64_C(0xcbf29ce484222325);
	if (!message->turns && engine_message_reserve_turn(reader) != 0)
		return ENOMEM;
	while (json_element(&reader->json)) {
		int err = engine_message_read_turn(reader);

		if (err)
			return err;
	}
	engine_message_rotate_turns(reader);
	return 0;
}

/* The members of a message */

static int engine_message_keep_event_string(struct engine_event *event,
					    const struct json_value *value)
{
	/* The string is written as the only member of an object; then the object and the key are
	 * removed. */
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

static int engine_message_keep_event_number(struct engine_event *event,
					    const struct json_value *value)
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
		return engine_message_keep_event_string(event, value);
	if (value->kind == JSON_KIND_NUMBER)
		return engine_message_keep_event_number(event, value);
	return 0;
}

static int engine_message_read_event(struct engine_message_reader *reader,
				     const struct json_value *value)
{
	int err = engine_event_read(&reader->message->event, value);

	json_skip(&reader->json, value);
	return err ? engine_message_refuse(reader, "event_id is too long") : 0;
}

static int engine_message_read_type(struct engine_message_reader *reader,
				    const struct json_value *value)
{
	static const struct {
		const char *name;
		enum engine_message_kind kind;
	} types[] = {{"user_transcript", ENGINE_TRANSCRIPT},
		     {"ping", ENGINE_PING},
		     {"init", ENGINE_INIT},
		     {"close", ENGINE_CLOSE},
		     {"error", ENGINE_ERROR}};

	reader->message->kind = ENGINE_OTHER;
	for (size_t i = 0; i < COUNT(types); ++i) {
		if (engine_message_is_text(value, types[i].name))
			reader->message->kind = types[i].kind;
	}
	return json_skip(&reader->json, value);
}

static int engine_message_read_conversation_id(struct engine_message_reader *reader,
					       const struct json_value *value)
{
	if (value->kind == JSON_KIND_STRING) {
		reader->message->conversation_id = value->text;
		reader->message->conversation_id_len = value->len;
	}
	return json_skip(&reader->json, value);
}

static int engine_message_read_reason(struct engine_message_reader *reader,
				      const struct json_value *value)
{
	if (value->kind == JSON_KIND_STRING) {
		reader->message->reason = value->text;
		reader->message->reason_len = value->len;
	}
	return json_skip(&reader->json, value);
}

static const struct {
	const char *name;
	int (*read)(struct engine_message_reader *reader, const struct json_value *value);
} members[] = {
	{"type", engine_message_read_type},
	{"user_transcript", engine_message_read_history},
	{"event_id", engine_message_read_event},
	{"conversation_id", engine_message_read_conversation_id},
	{"message", engine_message_read_reason},
};

static int engine_message_read_member(struct engine_message_reader *reader,
				      const struct json_value *key, const struct json_value *value)
{
	for (size_t i = 0; i < COUNT(members); ++i) {
		if (engine_message_is_text(key, members[i].name))
			return members[i].read(reader, value);
	}
	return json_skip(&reader->json, value);
}

/* Invalid members are a fault only in a transcript; other messages are accepted without them. */
static int engine_message_read_message(struct engine_message_reader *reader)
{
	struct json_value key;
	struct json_value value;

	if (json_value(&reader->json, &value) != 0)
		return EINVAL;
	if (value.kind != JSON_KIND_OBJECT)
		return engine_message_refuse(reader, "a message is not a JSON object");
	while (json_member(&reader->json, &key)) {
		if (json_value(&reader->json, &value) != 0)
			return EINVAL;
		if (engine_message_read_member(reader, &key, &value) == ENOMEM)
			return ENOMEM;
	}
	if (json_close(&reader->json) != 0)
		return EINVAL;
	if (reader->message->kind != ENGINE_TRANSCRIPT)
		return 0;
	if (!reader->has_turns)
		return engine_message_refuse(reader, "a transcript has no user_transcript");
	return reader->why ? EINVAL : 0;
}

int engine_message_parse(struct engine_message *message, const char **why, char *json, size_t len)
{
	struct engine_message_reader reader = {.message = message};
	int err;

	*message = (struct engine_message){0};
	json_open(&reader.json, json, len);
	err = engine_message_read_message(&reader);
	if (err) {
		engine_message_reset(message);
		*why = reader.json.reason ? reader.json.reason : reader.why;
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
