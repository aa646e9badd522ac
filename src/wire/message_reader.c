/*
 * message_reader.c: reads a client's message by a table of its keys (see message_reader.h).
 */
#include "wire/message_reader.h"

#include <errno.h>
#include <string.h>

#include "base/utf8.h"

/* A thousand hours: longer than any playback, and far from any overflow. */
#define OFFSET_MAX_MS 3.6e9

void *message_reader_member(const struct message_reader *reader, const struct message_field *field)
{
	return (char *)reader->message + field->offset;
}

/* Combining a surrogate pair that was split over two messages needs more bytes than the text had.
 * They are taken from before the text, where its opening quote, a colon and the closing quote of
 * its key were. */
static void message_reader_join_surrogate(struct stream_message *message, uint32_t low,
					  uint16_t surrogate)
{
	if (low) {
		message->text -= 1; /* it needs four bytes instead of the three of U+FFFD */
		message->text_len += 1;
		utf8_encode(message->text,
			    0x10000 + ((surrogate - 0xd800u) << 10) + (low - 0xdc00));
	} else {
		message->text -= 3;
		message->text_len += 3;
		utf8_encode(message->text, 0xfffd);
	}
}

void message_reader_take_text(struct stream_message *message, const struct json_value *text,
			      uint16_t surrogate)
{
	message->has_text = true;
	message->text = text->text;
	message->text_len = text->len;
	message->text_surrogate = text->tail_high;
	if (message->text_surrogate)
		message->text_len -= 3; /* removes the U+FFFD in its place */
	if (!surrogate)
		return;
	if (text->len == 0)
		message->text_surrogate = surrogate;
	else
		message_reader_join_surrogate(message, text->lead_low, surrogate);
}

int message_reader_text(struct message_reader *reader, const struct message_field *field,
			const struct json_value *value)
{
	if (value->kind != JSON_KIND_STRING && value->kind != JSON_KIND_NULL)
		return fault_value(reader->fault, field->name, "a string", value);
	reader->text = *value;
	return 0;
}

int message_reader_command(struct message_reader *reader, const struct message_field *field,
			   const struct json_value *value)
{
	bool *command = message_reader_member(reader, field);

	if (value->kind == JSON_KIND_NULL)
		return 0;
	if (value->kind != JSON_KIND_BOOL)
		return fault_value(reader->fault, field->name, "true or false", value);
	*command |= value->truth;
	return 0;
}

int message_reader_offset(struct message_reader *reader, const struct message_field *field,
			  const struct json_value *value)
{
	double offset_ms;

	reader->message->playback_offset_ms = -1;
	if (value->kind == JSON_KIND_NULL)
		return 0;
	if (value->kind != JSON_KIND_NUMBER)
		return fault_value(reader->fault, field->name, "a number", value);
	if (json_to_double(&offset_ms, value) || offset_ms < 0 || offset_ms > OFFSET_MAX_MS)
		return fault_range(reader->fault, field->name, 0, OFFSET_MAX_MS, value);
	reader->message->playback_offset_ms = (int64_t)offset_ms;
	return 0;
}

int message_reader_update(struct message_reader *reader, const struct message_field *field,
			  const struct json_value *value)
{
	struct stream_message *message = reader->message;
	struct settings_reader update = {
		.settings = &message->update, .json = &reader->json, .fault = reader->fault};
	struct json_value key;
	struct json_value entry;

	message->has_update = value->kind != JSON_KIND_NULL;
	message->update.set = 0;
	if (value->kind == JSON_KIND_NULL)
		return 0;
	if (value->kind != JSON_KIND_OBJECT)
		return fault_value(reader->fault, field->name, "an object", value);
	while (json_member(&reader->json, &key)) {
		int err = json_value(&reader->json, &entry);

		if (!err)
			err = settings_read_update(&update, &key, &entry);
		if (err == ENOENT)
			err = json_skip(&reader->json, &entry);
		if (err)
			return err;
	}
	return 0;
}

static const struct message_field *message_reader_find_field(const struct message_table *table,
							     const struct json_value *key)
{
	for (size_t i = 0; i < table->count; ++i) {
		const struct message_field *field = &table->fields[i];

		if (key->len == field->name_len && memcmp(key->text, field->name, key->len) == 0)
			return field;
	}
	return NULL;
}

static int message_reader_read_member(struct message_reader *reader,
				      const struct message_field *field,
				      const struct json_value *key, const struct json_value *value)
{
	int err;

	if (field)
		return field->read(reader, field, value);
	if (reader->table->is_foreign)
		return json_skip(&reader->json, value);
	err = settings_read(&reader->settings, key, value);
	return err == ENOENT ? json_skip(&reader->json, value) : err;
}

/* Skips the rest of the containers that a refused value has left open. */
static void message_reader_leave_value(struct json *json)
{
	static const struct json_value container = {.kind = JSON_KIND_ARRAY};

	while (json->depth > 1 && !json->reason)
		json_skip(json, &container);
}

/* The first fault is reported.  After it, only those keys are read that say which context the fault
 * concerns (despite_fault). */
static int message_reader_read_members(struct message_reader *reader)
{
	struct json_value key;
	struct json_value value;
	int fault = 0;

	while (json_member(&reader->json, &key)) {
		const struct message_field *field = message_reader_find_field(reader->table, &key);
		int err = json_value(&reader->json, &value);

		if (err)
			return err;
		if (!fault || (field && field->despite_fault))
			err = message_reader_read_member(reader, field, &key, &value);
		if (err && !fault) {
			fault = err;
			reader->fault = reader->settings.fault = &reader->later;
		}
		message_reader_leave_value(&reader->json);
	}
	return fault;
}

static int message_reader_read_message(struct message_reader *reader)
{
	struct json_value value;
	int err = json_value(&reader->json, &value);

	if (err)
		return err;
	if (value.kind != JSON_KIND_OBJECT)
		return fault_value(reader->fault, "a message", "a JSON object", &value);
	err = message_reader_read_members(reader);
	if (json_close(&reader->json) != 0)
		return EINVAL;
	return err ? err : settings_read_end(&reader->settings);
}

int message_reader_run(struct message_reader *reader, struct stream_message *message,
		       struct stream_fault *fault, const struct message_table *table, char *json,
		       size_t len)
{
	int err;

	*reader = (struct message_reader){.message = message, .fault = fault, .table = table};
	reader->settings = (struct settings_reader){
		.settings = &message->settings, .json = &reader->json, .fault = fault};
	message->playback_offset_ms = -1;
	json_open(&reader->json, json, len);
	err = message_reader_read_message(reader);
	message->voice_name = reader->settings.voice_name;
	if (reader->json.reason)
		err = fault_json(fault, &reader->json);
	if (err)
		stream_message_reset(message);
	return err;
}
