/*
 * multi_message.c: parses the messages of a client on /ws/tts/multi (see multi_message.h).
 */
#include "wire/multi_message.h"

#include <errno.h>
#include <string.h>

#include "base/count.h"
#include "wire/reply.h"

static struct multi_message *multi_message_of(const struct message_reader *reader)
{
	return (struct multi_message *)(void *)reader->message;
}

int multi_message_context(struct message_reader *reader, const struct message_field *field,
			  const struct json_value *value)
{
	struct multi_message *message = multi_message_of(reader);

	message->context_id = NULL;
	if (value->kind == JSON_KIND_NULL)
		return 0;
	if (value->kind != JSON_KIND_STRING || value->len == 0 || value->len > REPLY_CONTEXT_ID_MAX)
		return fault_value(reader->fault, field->name, "a string of 1 to 256 bytes", value);
	message->context_id = value->text;
	message->context_id_len = value->len;
	return 0;
}

static int multi_message_read_inactivity(struct message_reader *reader,
					 const struct message_field *field,
					 const struct json_value *value)
{
	double seconds;

	multi_message_of(reader)->inactivity_ms = 0;
	if (value->kind == JSON_KIND_NULL)
		return 0;
	if (value->kind != JSON_KIND_NUMBER)
		return fault_value(reader->fault, field->name, "a number", value);
	if (json_to_double(&seconds, value) || seconds < MULTI_MESSAGE_INACTIVITY_MIN_S ||
	    seconds > MULTI_MESSAGE_INACTIVITY_MAX_S)
		return fault_range(reader->fault, field->name, MULTI_MESSAGE_INACTIVITY_MIN_S,
				   MULTI_MESSAGE_INACTIVITY_MAX_S, value);
	multi_message_of(reader)->inactivity_ms = (unsigned)(seconds * 1000);
	return 0;
}

/* Everything else that SDKs send in voice_settings, such as stability, style and speed, is
 * ignored. */
static int multi_message_read_voice_setting(struct message_reader *reader,
					    struct settings_reader *voice,
					    const struct json_value *key,
					    const struct json_value *value)
{
	if (json_is(key, "voice_id") || json_is(key, "cfg_scale") || json_is(key, "max_new_tokens"))
		return settings_read(voice, key, value);
	if (json_is(key, "output_format"))
		return settings_read(&reader->settings, key, value);
	return json_skip(&reader->json, value);
}

static int multi_message_read_voice_settings(struct message_reader *reader,
					     const struct message_field *field,
					     const struct json_value *value)
{
	struct multi_message *message = multi_message_of(reader);
	struct settings_reader voice = {
		.settings = &message->voice, .json = &reader->json, .fault = reader->fault};
	struct json_value key;
	struct json_value entry;

	message->has_voice_settings = value->kind != JSON_KIND_NULL;
	message->voice.set = 0;
	message->voice_name = (struct settings_name){0};
	if (value->kind == JSON_KIND_NULL)
		return 0;
	if (value->kind != JSON_KIND_OBJECT)
		return fault_value(reader->fault, field->name, "an object", value);
	while (json_member(&reader->json, &key)) {
		int err = json_value(&reader->json, &entry);

		if (!err)
			err = multi_message_read_voice_setting(reader, &voice, &key, &entry);
		if (err)
			return err;
	}
	message->voice_name = voice.voice_name;
	return 0;
}

#define FIELD(name, read, member) MESSAGE_FIELD(name, read, struct multi_message, member)

/* The most frequent keys are first. */
static const struct message_field fields[] = {
	/* Errors name the context that they concern. */
	{"context_id", 10, multi_message_context, 0, true},
	FIELD("text", message_reader_text, said.text),
	FIELD("flush", message_reader_command, said.flush),
	FIELD("close_context", message_reader_command, close_context),
	FIELD("immediate", message_reader_command, immediate),
	FIELD("voice_settings", multi_message_read_voice_settings, voice),
	FIELD("keep_alive", message_reader_command, keep_alive),
	FIELD("cancel", message_reader_command, said.cancel),
	FIELD("close_socket", message_reader_command, said.close_socket),
	FIELD("inactivity_timeout", multi_message_read_inactivity, inactivity_ms),
	FIELD("update_settings", message_reader_update, said.update),
};

const struct message_table multi_message_table = {fields, COUNT(fields), false};

int multi_message_run(struct multi_message *message, struct stream_fault *fault,
		      const struct message_table *table, char *json, size_t len)
{
	struct message_reader reader;
	int err;

	*message = (struct multi_message){0};
	err = message_reader_run(&reader, &message->said, fault, table, json, len);
	if (reader.json.reason)
		message->context_id = NULL; /* nothing in malformed JSON can be relied on */
	if (err)
		settings_reset(&message->voice);
	if (err || !reader.text.text)
		return err;
	message->raw_text = reader.text;
	message_reader_take_text(&message->said, &message->raw_text, 0);
	return 0;
}

int multi_message_parse(struct multi_message *message, struct stream_fault *fault, char *json,
			size_t len)
{
	return multi_message_run(message, fault, &multi_message_table, json, len);
}

void multi_message_join(struct multi_message *message, uint16_t surrogate)
{
	if (message->said.has_text && surrogate)
		message_reader_take_text(&message->said, &message->raw_text, surrogate);
}

void multi_message_reset(struct multi_message *message)
{
	stream_message_reset(&message->said);
	settings_reset(&message->voice);
}
