/*
 * vapi_body.c: the body of POST /vapi/synthesize (see vapi.h).
 */
#include "doors/vapi/vapi.h"

#include "base/count.h"

static int vapi_body_read_type(struct speech_reader *reader, const struct speech_field *field,
			       const struct json_value *value)
{
	if (value->kind == JSON_KIND_STRING && json_is(value, "voice-request"))
		return 0;
	return fault_value(reader->fault, field->name, "voice-request", value);
}

static int vapi_body_read_rate(struct speech_reader *reader, const struct speech_field *field,
			       const struct json_value *value)
{
	struct settings *settings = &reader->body->settings;
	int64_t rate;

	if (json_to_integer(&rate, value) != 0 || rate < 0 || rate > UINT16_MAX ||
	    !audio_format_has_rate((unsigned)rate))
		return fault_value(reader->fault, field->name,
				   "one of 8000, 16000, 22050, 24000, 32000, 44100, 48000", value);
	settings->format = (struct audio_format){AUDIO_PCM16, (unsigned)rate, 0};
	settings->set |= SETTING_OUTPUT_FORMAT;
	return 0;
}

static int vapi_body_read_message(struct speech_reader *reader, const struct speech_field *field,
				  const struct json_value *value)
{
	static const struct speech_field fields[] = {
		{"type", vapi_body_read_type, 0, 0},
		{"text", speech_body_text, 1, VAPI_BODY_TEXT_MAX},
		{"sampleRate", vapi_body_read_rate, 0, 0},
	};
	static const struct speech_keys keys = {fields, COUNT(fields), false};

	return speech_body_members(reader, field, &keys, value);
}

static const struct speech_field vapi_body_fields[] = {{"message", vapi_body_read_message, 0, 0}};
const struct speech_keys vapi_body_keys = {vapi_body_fields, COUNT(vapi_body_fields), false};

int vapi_body_read(struct speech_body *body, struct stream_fault *fault, char *json, size_t len)
{
	return speech_body_read(body, fault, &vapi_body_keys, "message.text", json, len);
}
