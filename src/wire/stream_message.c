/*
 * stream_message.c: what a client may say on /ws/tts/stream (see stream_message.h).
 *
 * The keys of the messages themselves are rows of a table here; those of the
 * settings are rows of the table in settings.c.
 */
#include "wire/stream_message.h"

#include <errno.h>
#include <string.h>

#include "base/count.h"
#include "base/utf8.h"

/* A thousand hours: more than any playback, far from any overflow. */
#define OFFSET_MAX_MS 3.6e9

struct parse {
	struct json json;
	struct stream_message *message;
	struct stream_fault *fault;
	struct settings_reader settings;
	struct json_value text; /* NULL without one */
};

struct field;
typedef int(field_read_h)(struct parse *parse, const struct field *field,
			  const struct json_value *value);

struct field {
	const char *name;
	size_t name_len;
	field_read_h *read;
	size_t offset; /* in struct stream_message */
};

/* Joining a pair that was split over two messages needs bytes that the text
 * did not have: they are found in front of it, where its opening quote, a
 * colon and the closing quote of its key were. */
static void join_surrogate(struct parse *parse, uint16_t surrogate)
{
	struct stream_message *message = parse->message;
	uint32_t low = parse->text.lead_low;

	if (low) {
		message->text -= 1; /* four bytes where U+FFFD had three */
		message->text_len += 1;
		utf8_encode(message->text,
			    0x10000 + ((surrogate - 0xd800u) << 10) + (low - 0xdc00));
	} else {
		message->text -= 3;
		message->text_len += 3;
		utf8_encode(message->text, 0xfffd);
	}
}

static void take_text(struct parse *parse, uint16_t surrogate)
{
	struct stream_message *message = parse->message;

	message->has_text = true;
	message->text = parse->text.text;
	message->text_len = parse->text.len;
	message->text_surrogate = parse->text.tail_high;
	if (message->text_surrogate)
		message->text_len -= 3; /* the U+FFFD that stood for it */
	if (!surrogate)
		return;
	if (parse->text.len == 0)
		message->text_surrogate = surrogate;
	else
		join_surrogate(parse, surrogate);
}

static int read_text(struct parse *parse, const struct field *field, const struct json_value *value)
{
	if (value->kind != JSON_KIND_STRING && value->kind != JSON_KIND_NULL)
		return fault_value(parse->fault, field->name, "a string", value);
	parse->text = *value;
	return 0;
}

static int read_command(struct parse *parse, const struct field *field,
			const struct json_value *value)
{
	bool *command = (bool *)(void *)((char *)parse->message + field->offset);

	if (value->kind == JSON_KIND_NULL)
		return 0;
	if (value->kind != JSON_KIND_BOOL)
		return fault_value(parse->fault, field->name, "true or false", value);
	*command |= value->truth;
	return 0;
}

static int read_offset(struct parse *parse, const struct field *field,
		       const struct json_value *value)
{
	double offset_ms;

	parse->message->playback_offset_ms = -1;
	if (value->kind == JSON_KIND_NULL)
		return 0;
	if (value->kind != JSON_KIND_NUMBER)
		return fault_value(parse->fault, field->name, "a number", value);
	if (json_to_double(&offset_ms, value) || offset_ms < 0 || offset_ms > OFFSET_MAX_MS)
		return fault_range(parse->fault, field->name, 0, OFFSET_MAX_MS, value);
	parse->message->playback_offset_ms = (int64_t)offset_ms;
	return 0;
}

static int read_update(struct parse *parse, const struct field *field,
		       const struct json_value *value)
{
	struct stream_message *message = parse->message;
	struct settings_reader reader = {
		.settings = &message->update, .json = &parse->json, .fault = parse->fault};
	struct json_value key;
	struct json_value entry;

	message->has_update = value->kind != JSON_KIND_NULL;
	message->update.set = 0;
	if (value->kind == JSON_KIND_NULL)
		return 0;
	if (value->kind != JSON_KIND_OBJECT)
		return fault_value(parse->fault, field->name, "an object", value);
	while (json_member(&parse->json, &key)) {
		int err = json_value(&parse->json, &entry);

		if (!err)
			err = settings_read_update(&reader, &key, &entry);
		if (err == ENOENT)
			err = json_skip(&parse->json, &entry);
		if (err)
			return err;
	}
	return 0;
}

#define ROW(name, read, member)                                                                    \
	{                                                                                          \
		name, sizeof(name) - 1, read, offsetof(struct stream_message, member)              \
	}

/* The most frequent first: nearly every message is a token with flush false. */
static const struct field fields[] = {
	ROW("text", read_text, text),
	ROW("flush", read_command, flush),
	ROW("close", read_command, close),
	ROW("end_session", read_command, close),
	ROW("close_socket", read_command, close_socket),
	ROW("cancel", read_command, cancel),
	ROW("report", read_command, report),
	ROW("playback_offset_ms", read_offset, playback_offset_ms),
	ROW("update_settings", read_update, update),
};

static int read_member(struct parse *parse, const struct json_value *key,
		       const struct json_value *value)
{
	int err;

	for (size_t i = 0; i < COUNT(fields); ++i) {
		if (key->len == fields[i].name_len &&
		    memcmp(key->text, fields[i].name, key->len) == 0)
			return fields[i].read(parse, &fields[i], value);
	}
	err = settings_read(&parse->settings, key, value);
	return err == ENOENT ? json_skip(&parse->json, value) : err;
}

static int read_message(struct parse *parse)
{
	struct json_value key;
	struct json_value value;
	int err = json_value(&parse->json, &value);

	if (err)
		return err;
	if (value.kind != JSON_KIND_OBJECT)
		return fault_value(parse->fault, "a message", "a JSON object", &value);
	while (json_member(&parse->json, &key)) {
		err = json_value(&parse->json, &value);
		if (!err)
			err = read_member(parse, &key, &value);
		if (err)
			return err;
	}
	err = json_close(&parse->json);
	return err ? err : settings_read_end(&parse->settings);
}

int stream_message_parse(struct stream_message *message, struct stream_fault *fault, char *json,
			 size_t len, uint16_t surrogate)
{
	struct parse parse = {.message = message, .fault = fault};
	int err;

	*message = (struct stream_message){.playback_offset_ms = -1};
	parse.settings = (struct settings_reader){
		.settings = &message->settings, .json = &parse.json, .fault = fault};
	json_open(&parse.json, json, len);
	err = read_message(&parse);
	if (parse.json.reason)
		return fault_json(fault, &parse.json);
	if (!err && parse.text.text)
		take_text(&parse, surrogate);
	return err;
}
