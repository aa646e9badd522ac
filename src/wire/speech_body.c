/*
 * speech_body.c: reads a request for speech by a table of its keys (see speech_body.h).
 */
#include "wire/speech_body.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "base/utf8.h"
#include "text/unicode.h"
#include "wire/rest_body.h"

static const struct speech_field *speech_body_find_field(const struct speech_keys *keys,
							 const struct json_value *key)
{
	for (size_t i = 0; i < keys->count; ++i) {
		if (json_is(key, keys->fields[i].name))
			return &keys->fields[i];
	}
	return NULL;
}

static int speech_body_read_member(struct speech_reader *reader, const struct speech_keys *keys,
				   const struct json_value *key)
{
	const struct speech_field *field = speech_body_find_field(keys, key);
	struct json_value value;

	if (json_value(&reader->json, &value))
		return EINVAL;
	if (!field && keys->is_strict)
		return rest_body_refuse_key(reader->fault, key);
	if (!field)
		return json_skip(&reader->json, &value);
	return value.kind == JSON_KIND_NULL ? 0 : field->read(reader, field, &value);
}

static int speech_body_read_members(struct speech_reader *reader, const struct speech_keys *keys)
{
	struct json_value key;
	int err = 0;

	while (!err && json_member(&reader->json, &key))
		err = speech_body_read_member(reader, keys, &key);
	return err ? err : reader->json.reason ? EINVAL : 0;
}

int speech_body_members(struct speech_reader *reader, const struct speech_field *field,
			const struct speech_keys *keys, const struct json_value *value)
{
	if (value->kind != JSON_KIND_OBJECT)
		return fault_value(reader->fault, field->name, "an object", value);
	return speech_body_read_members(reader, keys);
}

static bool speech_body_is_blank(const char *text, size_t len)
{
	uint32_t c;

	for (size_t i = 0; i < len;) {
		i += utf8_decode(&c, text + i, len - i);
		if (!unicode_is_blank(unicode_kind(c)))
			return false;
	}
	return true;
}

int speech_body_text(struct speech_reader *reader, const struct speech_field *field,
		     const struct json_value *value)
{
	size_t length;

	if (value->kind != JSON_KIND_STRING)
		return fault_value(reader->fault, field->name, "a string", value);
	length = utf8_count(value->text, value->len);
	if ((double)length < field->min || (double)length > field->max) {
		fault_set(reader->fault, WIRE_ERROR_INVALID_REQUEST,
			  "%s must have %.0f to %.0f characters (got %zu)", field->name, field->min,
			  field->max, length);
		return fault_of(reader->fault, field->name);
	}
	if (speech_body_is_blank(value->text, value->len)) {
		fault_set(reader->fault, WIRE_ERROR_INVALID_REQUEST,
			  "%s must have more than blanks", field->name);
		return fault_of(reader->fault, field->name);
	}
	reader->body->text = value->text;
	reader->body->text_len = value->len;
	return 0;
}

int speech_body_voice(struct speech_reader *reader, const struct speech_field *field,
		      const struct json_value *value)
{
	if (value->kind != JSON_KIND_STRING)
		return fault_value(reader->fault, field->name, "a string", value);
	reader->body->voice = value->text;
	reader->body->voice_len = value->len;
	return 0;
}

int speech_body_set(struct speech_reader *reader, const char *name, const struct json_value *value)
{
	struct json_value key = {
		.kind = JSON_KIND_STRING, .text = (char *)(uintptr_t)name, .len = strlen(name)};

	return settings_read(&reader->settings, &key, value);
}

int speech_body_setting(struct speech_reader *reader, const struct speech_field *field,
			const struct json_value *value)
{
	return speech_body_set(reader, field->name, value);
}

int speech_body_speed(struct speech_reader *reader, const struct speech_field *field,
		      const struct json_value *value)
{
	struct settings *settings = &reader->body->settings;
	double speed;

	if (json_to_double(&speed, value))
		return fault_value(reader->fault, field->name, "a number", value);
	if (speed < field->min || speed > field->max)
		return fault_range(reader->fault, field->name, field->min, field->max, value);
	settings->speed = speed;
	settings->set |= SETTING_SPEED;
	return 0;
}

static int speech_body_read_object(struct speech_reader *reader, const struct speech_keys *keys)
{
	struct json_value value;

	if (json_value(&reader->json, &value))
		return EINVAL;
	if (value.kind != JSON_KIND_OBJECT) {
		fault_value(reader->fault, "the body", "a JSON object", &value);
		return fault_of(reader->fault, NULL);
	}
	return speech_body_read_members(reader, keys);
}

int speech_body_read(struct speech_body *body, struct stream_fault *fault,
		     const struct speech_keys *keys, const char *text_name, char *json, size_t len)
{
	struct speech_reader reader = {.body = body, .fault = fault};
	int err;

	*body = (struct speech_body){.settings = settings_default};
	reader.settings = (struct settings_reader){
		.settings = &body->settings, .json = &reader.json, .fault = fault};
	json_open(&reader.json, json, len);
	err = speech_body_read_object(&reader, keys);
	err = rest_body_end(&reader.json, fault, err);
	if (!err)
		err = settings_read_end(&reader.settings);
	if (!err && !body->text) {
		fault_set(fault, WIRE_ERROR_INVALID_REQUEST, "%s is required", text_name);
		err = fault_of(fault, text_name);
	}
	return err;
}
