/*
 * elevenlabs_body.c: the body of POST /v1/text-to-speech/{voice_id} (see elevenlabs_body.h).
 */
#include "doors/elevenlabs/elevenlabs_body.h"

#include <string.h>

#include "base/count.h"
#include "base/utf8.h"
#include "doors/elevenlabs/pronunciation_message.h"
#include "text/markup.h"

static int elevenlabs_body_read_voice_settings(struct speech_reader *reader,
					       const struct speech_field *field,
					       const struct json_value *value)
{
	static const struct speech_field fields[] = {
		{"speed", speech_body_speed, ELEVENLABS_BODY_SPEED_MIN, ELEVENLABS_BODY_SPEED_MAX},
	};
	static const struct speech_keys keys = {fields, COUNT(fields), false};

	return speech_body_members(reader, field, &keys, value);
}

bool elevenlabs_body_has_audio_tags(const char *model, size_t len)
{
	static const char *const prefixes[] = {"eleven_v3", "eleven_v4"};

	for (size_t i = 0; i < COUNT(prefixes); ++i) {
		size_t prefix_len = strlen(prefixes[i]);

		if (len >= prefix_len && memcmp(model, prefixes[i], prefix_len) == 0)
			return true;
	}
	return false;
}

/* A native model is booked under its name; all of ElevenLabs' models count as the default one, so
 * an unknown name is not an error. */
static int elevenlabs_body_read_model(struct speech_reader *reader,
				      const struct speech_field *field,
				      const struct json_value *value)
{
	struct stream_fault *fault = reader->settings.fault;
	struct stream_fault ignored;

	if (value->kind != JSON_KIND_STRING)
		return fault_value(reader->fault, field->name, "a string", value);
	if (elevenlabs_body_has_audio_tags(value->text, value->len))
		reader->body->settings.markup |= MARKUP_AUDIO_TAGS;
	reader->settings.fault = &ignored;
	(void)speech_body_setting(reader, field, value);
	reader->settings.fault = fault;
	return 0;
}

static int elevenlabs_body_read_language(struct speech_reader *reader,
					 const struct speech_field *field,
					 const struct json_value *value)
{
	struct settings *settings = &reader->body->settings;

	if (value->kind != JSON_KIND_STRING ||
	    settings_language(settings->language, value->text, value->len) != 0)
		return fault_value(reader->fault, field->name, "the code of a supported language",
				   value);
	settings->set |= SETTING_LANGUAGE;
	return 0;
}

static int elevenlabs_body_read_normalization(struct speech_reader *reader,
					      const struct speech_field *field,
					      const struct json_value *value)
{
	static const char *const choices[] = {"auto", "on", "off"};
	struct settings *settings = &reader->body->settings;

	for (size_t i = 0; value->kind == JSON_KIND_STRING && i < COUNT(choices); ++i) {
		if (json_is(value, choices[i])) {
			settings->normalize = !json_is(value, "off");
			settings->set |= SETTING_NORMALIZE;
			return 0;
		}
	}
	return fault_choice(reader->fault, field->name, choices, COUNT(choices), value);
}

static int elevenlabs_body_read_locators(struct speech_reader *reader,
					 const struct speech_field *field,
					 const struct json_value *value)
{
	(void)field;
	return pronunciation_message_locators(&reader->body->settings, &reader->json, reader->fault,
					      value);
}

/* ElevenLabs' clients expect a separate error for text that is too long. */
static int elevenlabs_body_read_text(struct speech_reader *reader, const struct speech_field *field,
				     const struct json_value *value)
{
	size_t length = value->kind == JSON_KIND_STRING ? utf8_count(value->text, value->len) : 0;

	if ((double)length <= field->max)
		return speech_body_text(reader, field, value);
	fault_set(reader->fault, WIRE_ERROR_TEXT_TOO_LONG, "%s may have %.0f characters (got %zu)",
		  field->name, field->max, length);
	return fault_of(reader->fault, field->name);
}

static const struct speech_field elevenlabs_body_fields[] = {
	{"text", elevenlabs_body_read_text, 1, ELEVENLABS_BODY_TEXT_MAX},
	{"model_id", elevenlabs_body_read_model, 0, 0},
	{"language_code", elevenlabs_body_read_language, 0, 0},
	{"voice_settings", elevenlabs_body_read_voice_settings, 0, 0},
	{"apply_text_normalization", elevenlabs_body_read_normalization, 0, 0},
	{"seed", speech_body_setting, 0, 0},
	{"pronunciation_dictionary_locators", elevenlabs_body_read_locators, 0, 0},
};

const struct speech_keys elevenlabs_body_keys = {elevenlabs_body_fields,
						 COUNT(elevenlabs_body_fields), false};

int elevenlabs_body_read(struct speech_body *body, struct stream_fault *fault, char *json,
			 size_t len)
{
	int err = speech_body_read(body, fault, &elevenlabs_body_keys, "text", json, len);

	body->settings.markup |= MARKUP_LONG_BREAKS;
	return err;
}
