/*
 * generate_body.c: the body of POST /v1/tts/generate (see kugelaudio.h).
 */
#include "doors/kugelaudio/kugelaudio.h"

#include "base/count.h"

/* Accepts more tokens than the sockets do: also files and compressed formats. */
static int generate_body_read_format(struct speech_reader *reader, const struct speech_field *field,
				     const struct json_value *value)
{
	struct settings *settings = &reader->body->settings;
	struct audio_format format;

	reader->body->wants_wav = value->kind == JSON_KIND_STRING && json_is(value, "wav");
	if (reader->body->wants_wav)
		return 0;
	if (value->kind != JSON_KIND_STRING ||
	    audio_format_parse(&format, value->text, value->len) != 0)
		return fault_value(reader->fault, field->name,
				   "wav, flac, mp3_44100_128, opus_48000_64, pcm_24000, ulaw_8000, "
				   "alaw_8000 or the like",
				   value);
	settings->format = format;
	settings->set |= SETTING_OUTPUT_FORMAT;
	return 0;
}

/* Reads a number, a number as a string, or a handle. */
static int generate_body_read_voice(struct speech_reader *reader, const struct speech_field *field,
				    const struct json_value *value)
{
	reader->body->voice = NULL;
	return value->kind == JSON_KIND_STRING ? speech_body_voice(reader, field, value)
					       : speech_body_setting(reader, field, value);
}

static const struct speech_field generate_body_fields[] = {
	{"text", speech_body_text, 1, GENERATE_BODY_TEXT_MAX},
	{"voice_id", generate_body_read_voice, 0, 0},
	{"output_format", generate_body_read_format, 0, 0},
	{"model_id", speech_body_setting, 0, 0},
	{"model", speech_body_setting, 0, 0},
	{"cfg_scale", speech_body_setting, 0, 0},
	{"temperature", speech_body_setting, 0, 0},
	{"seed", speech_body_setting, 0, 0},
	{"max_new_tokens", speech_body_setting, 0, 0},
	{"sample_rate", speech_body_setting, 0, 0},
	{"normalize", speech_body_setting, 0, 0},
	{"language", speech_body_setting, 0, 0},
	{"speed", speech_body_setting, 0, 0},
	{"project_id", speech_body_setting, 0, 0},
	{"dictionary_ids", speech_body_setting, 0, 0},
};

const struct speech_keys generate_body_keys = {generate_body_fields, COUNT(generate_body_fields),
					       true};

int generate_body_read(struct speech_body *body, struct stream_fault *fault, char *json, size_t len)
{
	return speech_body_read(body, fault, &generate_body_keys, "text", json, len);
}
