/*
 * openai_body.c: the body of POST /v1/audio/speech (see openai.h).
 */
#include "doors/openai/openai.h"

#include <string.h>
#include <strings.h>

#include "base/count.h"

/* The range of speeds in OpenAI's documentation. */
#define SPEED_MIN 0.25
#define SPEED_MAX 4.0

#define VOICE_CHOICES 3

/* OpenAI requires a voice.  LocalAI does not, and programs that were written for it send none. */
#define VOICE_DEFAULT "alloy"

/* OpenAI's voices: for each a neural voice that resembles it, if there is one, then a voice that
 * every server has. */
static const struct {
	const char *name;
	int64_t ids[VOICE_CHOICES]; /* ended with 0 */
} voices[] = {
	{"alloy", {1081, 1071, 0}},  {"echo", {1086, 1072, 0}},  {"fable", {1087, 1073, 0}},
	{"onyx", {1088, 1074, 0}},   {"nova", {1082, 1071, 0}},  {"shimmer", {1083, 1071, 0}},
	{"ash", {1089, 1072, 0}},    {"coral", {1084, 1071, 0}}, {"sage", {1085, 1071, 0}},
	{"ballad", {1090, 1073, 0}}, {"verse", {1072, 0, 0}},    {"marin", {1071, 0, 0}},
	{"cedar", {1072, 0, 0}},
};

static const struct {
	const char *name;
	struct audio_format format;
} formats[] = {
	{"mp3", {AUDIO_MP3, 24000, 48}},  {"opus", {AUDIO_OPUS, 48000, 64}},
	{"flac", {AUDIO_FLAC, 24000, 0}}, {"wav", {AUDIO_WAV, 24000, 0}},
	{"pcm", {AUDIO_PCM16, 24000, 0}}, {"aac", {AUDIO_AAC, 24000, 64}},
};

const int64_t *openai_body_voice(const char *name, size_t len)
{
	for (size_t i = 0; i < COUNT(voices); ++i) {
		if (strlen(voices[i].name) == len && strncasecmp(voices[i].name, name, len) == 0)
			return voices[i].ids;
	}
	return NULL;
}

const char *openai_body_voice_name(size_t i)
{
	return i < COUNT(voices) ? voices[i].name : NULL;
}

const char *openai_body_format_name(size_t i)
{
	return i < COUNT(formats) ? formats[i].name : NULL;
}

static int openai_body_read_name(struct speech_reader *reader, const struct speech_field *field,
				 const struct json_value *value)
{
	struct speech_body *body = reader->body;

	if (value->kind != JSON_KIND_STRING && value->kind != JSON_KIND_NUMBER)
		return fault_value(reader->fault, field->name, "a name or an id", value);
	body->voice_choices = openai_body_voice(value->text, value->len);
	body->voice = value->text;
	body->voice_len = value->len;
	return 0;
}

/* Reads a name, an id as a string or a number, or an object with one of these as its id. */
static int openai_body_read_voice(struct speech_reader *reader, const struct speech_field *field,
				  const struct json_value *value)
{
	static const struct speech_field inner[] = {{"id", openai_body_read_name, 0, 0}};
	static const struct speech_keys keys = {inner, COUNT(inner), false};

	if (value->kind == JSON_KIND_OBJECT)
		return speech_body_members(reader, field, &keys, value);
	return openai_body_read_name(reader, field, value);
}

static int openai_body_read_format(struct speech_reader *reader, const struct speech_field *field,
				   const struct json_value *value)
{
	struct settings *settings = &reader->body->settings;

	for (size_t i = 0; value->kind == JSON_KIND_STRING && i < COUNT(formats); ++i) {
		if (json_is(value, formats[i].name)) {
			settings->format = formats[i].format;
			settings->set |= SETTING_OUTPUT_FORMAT;
			return 0;
		}
	}
	return fault_value(reader->fault, field->name, "one of mp3, opus, aac, flac, wav, pcm",
			   value);
}

static int openai_body_read_stream_format(struct speech_reader *reader,
					  const struct speech_field *field,
					  const struct json_value *value)
{
	bool wants_events = value->kind == JSON_KIND_STRING && json_is(value, "sse");

	if (!wants_events && !(value->kind == JSON_KIND_STRING && json_is(value, "audio")))
		return fault_value(reader->fault, field->name, "audio or sse", value);
	reader->body->form = wants_events ? &openai_events : NULL;
	return 0;
}

static int openai_body_read_model(struct speech_reader *reader, const struct speech_field *field,
				  const struct json_value *value)
{
	if (value->kind != JSON_KIND_STRING)
		return fault_value(reader->fault, field->name, "a string", value);
	return 0;
}

static const struct speech_field openai_body_fields[] = {
	{"input", speech_body_text, 1, OPENAI_BODY_TEXT_MAX},
	{"voice", openai_body_read_voice, 0, 0},
	{"model", openai_body_read_model, 0, 0},
	{"response_format", openai_body_read_format, 0, 0},
	{"speed", speech_body_speed, SPEED_MIN, SPEED_MAX},
	{"stream_format", openai_body_read_stream_format, 0, 0},
};

const struct speech_keys openai_body_keys = {openai_body_fields, COUNT(openai_body_fields), false};

int openai_body_read(struct speech_body *body, struct stream_fault *fault, char *json, size_t len)
{
	int err = speech_body_read(body, fault, &openai_body_keys, "input", json, len);

	if (!err && !body->voice) {
		body->voice = VOICE_DEFAULT;
		body->voice_len = strlen(VOICE_DEFAULT);
		body->voice_choices = openai_body_voice(body->voice, body->voice_len);
	}
	return err;
}
