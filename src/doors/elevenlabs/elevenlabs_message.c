/*
 * elevenlabs_message.c: parses the messages of clients on ElevenLabs' WebSockets (see
 * elevenlabs_message.h).
 */
#include "doors/elevenlabs/elevenlabs_message.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/count.h"
#include "doors/elevenlabs/elevenlabs_body.h"
#include "doors/elevenlabs/pronunciation_message.h"

static struct multi_message *elevenlabs_message_of(const struct message_reader *reader)
{
	return (struct multi_message *)(void *)reader->message;
}

static int elevenlabs_message_read_speed(struct message_reader *reader,
					 const struct json_value *value)
{
	struct settings *voice = &elevenlabs_message_of(reader)->voice;
	double speed;

	if (value->kind == JSON_KIND_NULL)
		return 0;
	if (value->kind != JSON_KIND_NUMBER || json_to_double(&speed, value))
		return fault_value(reader->fault, "speed", "a number", value);
	voice->speed = fmin(fmax(speed, ELEVENLABS_BODY_SPEED_MIN), ELEVENLABS_BODY_SPEED_MAX);
	voice->set |= SETTING_SPEED;
	return 0;
}

static int elevenlabs_message_read_schedule(struct message_reader *reader,
					    const struct json_value *key,
					    const struct json_value *value)
{
	struct settings_reader voice = {.settings = &elevenlabs_message_of(reader)->voice,
					.json = &reader->json,
					.fault = reader->fault};

	return settings_read(&voice, key, value);
}

/* Reads a member of voice_settings, generation_config or generator_config.  One function can serve
 * all three, because no two of them have a member with the same name among those that are read. */
static int elevenlabs_message_read_option(struct message_reader *reader,
					  const struct json_value *key,
					  const struct json_value *value)
{
	if (json_is(key, "speed"))
		return elevenlabs_message_read_speed(reader, value);
	if (json_is(key, "chunk_length_schedule"))
		return elevenlabs_message_read_schedule(reader, key, value);
	return json_skip(&reader->json, value);
}

static int elevenlabs_message_read_options(struct message_reader *reader,
					   const struct message_field *field,
					   const struct json_value *value)
{
	struct json_value key;
	struct json_value entry;

	if (value->kind == JSON_KIND_NULL)
		return 0;
	if (value->kind != JSON_KIND_OBJECT)
		return fault_value(reader->fault, field->name, "an object", value);
	while (json_member(&reader->json, &key)) {
		int err = json_value(&reader->json, &entry);

		if (!err)
			err = elevenlabs_message_read_option(reader, &key, &entry);
		if (err)
			return err;
	}
	return 0;
}

static int elevenlabs_message_read_locators(struct message_reader *reader,
					    const struct message_field *field,
					    const struct json_value *value)
{
	(void)field;
	return pronunciation_message_locators(&elevenlabs_message_of(reader)->voice, &reader->json,
					      reader->fault, value);
}

#define FIELD(name, read, member) MESSAGE_FIELD(name, read, struct multi_message, member)

/* Sorted by frequency, because a key is searched from the beginning. */
static const struct message_field elevenlabs_message_fields[] = {
	/* Read even if the message is faulty, because its error contains the context. */
	{"context_id", 10, multi_message_context, 0, true},
	FIELD("text", message_reader_text, said.text),
	FIELD("flush", message_reader_command, said.emit),
	FIELD("try_trigger_generation", message_reader_command, said.trigger),
	FIELD("close_context", message_reader_command, stop_context),
	FIELD("keep_alive", message_reader_command, keep_alive),
	FIELD("cancel", message_reader_command, said.cancel),
	FIELD("close_socket", message_reader_command, said.close_socket),
	FIELD("voice_settings", elevenlabs_message_read_options, voice),
	FIELD("generation_config", elevenlabs_message_read_options, voice),
	FIELD("generator_config", elevenlabs_message_read_options, voice),
	FIELD("pronunciation_dictionary_locators", elevenlabs_message_read_locators, voice),
};

const struct message_table elevenlabs_message_table = {elevenlabs_message_fields,
						       COUNT(elevenlabs_message_fields), true};

static bool elevenlabs_message_is_empty(const struct multi_message *message)
{
	return message->said.has_text && message->raw_text.len == 0;
}

int elevenlabs_message_parse(struct stream_message *message, struct stream_fault *fault, char *json,
			     size_t len, uint16_t surrogate)
{
	struct multi_message all;
	int err = multi_message_run(&all, fault, &elevenlabs_message_table, json, len);

	if (err)
		return err;
	multi_message_join(&all, surrogate);
	*message = all.said;
	message->settings = all.voice;
	if (elevenlabs_message_is_empty(&all))
		message->flush = message->close_socket = true;
	message->close_socket |= message->cancel;
	return 0;
}

int elevenlabs_message_parse_multi(struct multi_message *message, struct stream_fault *fault,
				   char *json, size_t len)
{
	int err = multi_message_run(message, fault, &elevenlabs_message_table, json, len);

	if (!message->context_id) {
		message->context_id = ELEVENLABS_MESSAGE_CONTEXT;
		message->context_id_len = strlen(ELEVENLABS_MESSAGE_CONTEXT);
	}
	message->said.cancel = false; /* not a key of this socket: clients close the context */
	if (!err)
		message->keep_alive |= elevenlabs_message_is_empty(message);
	return err;
}

static const char *elevenlabs_message_without_bearer(const struct json_value *value, size_t *len)
{
	static const char bearer[] = "bearer ";
	size_t skip = strlen(bearer);

	if (value->len < skip || strncasecmp(value->text, bearer, skip) != 0)
		skip = 0;
	*len = value->len - skip;
	return value->text + skip;
}

static bool elevenlabs_message_is_key(const struct json_value *key)
{
	return json_is(key, "xi_api_key") || json_is(key, "xi-api-key") ||
	       json_is(key, "authorization");
}

void elevenlabs_message_key(char *key, size_t size, char *json, size_t len)
{
	struct json reader;
	struct json_value name;
	struct json_value value;

	key[0] = '\0';
	json_open(&reader, json, len);
	if (json_value(&reader, &value) || value.kind != JSON_KIND_OBJECT)
		return;
	while (json_member(&reader, &name) && json_value(&reader, &value) == 0) {
		size_t text_len;
		const char *text;

		if (!elevenlabs_message_is_key(&name) || value.kind != JSON_KIND_STRING) {
			json_skip(&reader, &value);
			continue;
		}
		text = elevenlabs_message_without_bearer(&value, &text_len);
		if (text_len > 0 && text_len < size)
			snprintf(key, size, "%.*s", (int)text_len, text);
	}
}
