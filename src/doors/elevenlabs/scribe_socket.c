/*
 * scribe_socket.c: the URL and the clients' messages of /v1/speech-to-text/realtime (see scribe.h).
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/count.h"
#include "base/utf8.h"
#include "doors/elevenlabs/scribe.h"

/* What applies if a client sets nothing: ElevenLabs' values. */
#define SILENCE_S 1.5
#define THRESHOLD 0.4
#define SPEECH_MS 100
#define PAUSE_MS 100

/* Speech ends when the probability is this much below the threshold at which it begins. */
#define HYSTERESIS 0.15
#define LEVEL_MIN 0.05

/* The URL */

static void scribe_socket_set_levels(struct listen_settings *settings, double threshold)
{
	double end = threshold - HYSTERESIS > LEVEL_MIN ? threshold - HYSTERESIS : LEVEL_MIN;

	settings->threshold = threshold;
	settings->segments.start_level = (uint8_t)(threshold * 255);
	settings->segments.end_level = (uint8_t)(end * 255);
}

void scribe_socket_init(struct listen_settings *settings)
{
	*settings = (struct listen_settings){
		.format = {LISTEN_PCM16, 16000},
		.is_manual = true,
		.segments = segmenter_defaults(0),
		.silence_s = SILENCE_S,
		.speech_ms = SPEECH_MS,
		.pause_ms = PAUSE_MS,
	};
	settings->segments.end_ms = (unsigned)(SILENCE_S * 1000);
	settings->segments.start_ms = SPEECH_MS;
	scribe_socket_set_levels(settings, THRESHOLD);
}

static int scribe_socket_refuse(struct stream_fault *fault, const char *name, const char *must,
				const char *got)
{
	return fault_set(fault, WIRE_ERROR_INVALID_REQUEST, "%s must be %s (got \"%.40s\")", name,
			 must, got);
}

static int scribe_socket_read_bool(bool *truth, struct stream_fault *fault, const char *name,
				   const char *value)
{
	*truth = strcasecmp(value, "true") == 0 || strcmp(value, "1") == 0;
	if (*truth || strcasecmp(value, "false") == 0 || strcmp(value, "0") == 0)
		return 0;
	return scribe_socket_refuse(fault, name, "true or false", value);
}

/* The value must consist of digits and a point; a locale plays no part. */
static bool scribe_socket_read_number(double *number, const char *value)
{
	struct json_value json = {
		.kind = JSON_KIND_NUMBER, .text = (char *)(uintptr_t)value, .len = strlen(value)};

	return value[strspn(value, "0123456789.")] == '\0' && json_to_double(number, &json) == 0;
}

static int scribe_socket_set_model(struct listen_settings *settings, struct stream_fault *fault,
				   const char *value)
{
	(void)fault;
	snprintf(settings->asked_model, sizeof(settings->asked_model), "%.*s",
		 (int)utf8_cut(value, strlen(value), sizeof(settings->asked_model) - 1), value);
	scribe_model_name(settings->model, settings->asked_model);
	return 0;
}

static int scribe_socket_set_strategy(struct listen_settings *settings, struct stream_fault *fault,
				      const char *value)
{
	settings->is_manual = strcmp(value, "manual") == 0;
	if (settings->is_manual || strcmp(value, "vad") == 0)
		return 0;
	return scribe_socket_refuse(fault, "commit_strategy", "manual or vad", value);
}

static int scribe_socket_set_format(struct listen_settings *settings, struct stream_fault *fault,
				    const char *value)
{
	static const struct {
		const char *name;
		struct listen_format format;
	} formats[] = {
		{"pcm_8000", {LISTEN_PCM16, 8000}},   {"pcm_16000", {LISTEN_PCM16, 16000}},
		{"pcm_22050", {LISTEN_PCM16, 22050}}, {"pcm_24000", {LISTEN_PCM16, 24000}},
		{"pcm_44100", {LISTEN_PCM16, 44100}}, {"pcm_48000", {LISTEN_PCM16, 48000}},
		{"ulaw_8000", {LISTEN_MULAW, 8000}},
	};

	for (size_t i = 0; i < COUNT(formats); ++i) {
		if (strcmp(value, formats[i].name) == 0) {
			settings->format = formats[i].format;
			settings->has_format = true;
			return 0;
		}
	}
	return scribe_socket_refuse(fault, "audio_format",
				    "pcm_RATE with 8000, 16000, 22050, 24000, 44100 or 48000, or "
				    "ulaw_8000",
				    value);
}

static int scribe_socket_set_silence(struct listen_settings *settings, struct stream_fault *fault,
				     const char *value)
{
	double seconds;

	if (!scribe_socket_read_number(&seconds, value) || seconds < SCRIBE_SILENCE_MIN_S ||
	    seconds > SCRIBE_SILENCE_MAX_S)
		return scribe_socket_refuse(fault, "vad_silence_threshold_secs",
					    "between 0.3 and 3.0", value);
	settings->silence_s = seconds;
	settings->segments.end_ms = (unsigned)(seconds * 1000);
	return 0;
}

static int scribe_socket_set_threshold(struct listen_settings *settings, struct stream_fault *fault,
				       const char *value)
{
	double threshold;

	if (!scribe_socket_read_number(&threshold, value) || threshold < SCRIBE_THRESHOLD_MIN ||
	    threshold > SCRIBE_THRESHOLD_MAX)
		return scribe_socket_refuse(fault, "vad_threshold", "between 0.1 and 0.9", value);
	scribe_socket_set_levels(settings, threshold);
	return 0;
}

static int scribe_socket_read_ms(unsigned *ms, struct stream_fault *fault, const char *name,
				 const char *value)
{
	double number;

	if (!scribe_socket_read_number(&number, value) || number < SCRIBE_DURATION_MIN_MS ||
	    number > SCRIBE_DURATION_MAX_MS)
		return scribe_socket_refuse(fault, name, "between 50 and 2000", value);
	*ms = (unsigned)number;
	return 0;
}

static int scribe_socket_set_speech(struct listen_settings *settings, struct stream_fault *fault,
				    const char *value)
{
	int err =
		scribe_socket_read_ms(&settings->speech_ms, fault, "min_speech_duration_ms", value);

	settings->segments.start_ms = settings->speech_ms;
	return err;
}

/* A pause ends a segment after vad_silence_threshold_secs, which is never shorter. */
static int scribe_socket_set_pause(struct listen_settings *settings, struct stream_fault *fault,
				   const char *value)
{
	return scribe_socket_read_ms(&settings->pause_ms, fault, "min_silence_duration_ms", value);
}

static int scribe_socket_set_language(struct listen_settings *settings, struct stream_fault *fault,
				      const char *value)
{
	if (strlen(value) >= LISTEN_LANGUAGE_SIZE)
		return scribe_socket_refuse(fault, "language_code", "the code of a language",
					    value);
	scribe_model_language(settings->language, value);
	return 0;
}

static int scribe_socket_set_times(struct listen_settings *settings, struct stream_fault *fault,
				   const char *value)
{
	return scribe_socket_read_bool(&settings->want_times, fault, "include_timestamps", value);
}

static int scribe_socket_set_detection(struct listen_settings *settings, struct stream_fault *fault,
				       const char *value)
{
	return scribe_socket_read_bool(&settings->want_language, fault,
				       "include_language_detection", value);
}

static int scribe_socket_set_activity(struct listen_settings *settings, struct stream_fault *fault,
				      const char *value)
{
	return scribe_socket_read_bool(&settings->want_activity, fault, "include_voice_activity",
				       value);
}

/* Names to expect are given to the model as a text in which they occur.  Those that do not fit are left
 * out. */
static int scribe_socket_add_term(struct listen_settings *settings, struct stream_fault *fault,
				  const char *value)
{
	size_t len = strlen(settings->prompt);
	struct utf8_state state = {0};

	(void)fault;
	if (utf8_check(&state, value, strlen(value)) && utf8_is_complete(&state) &&
	    len + strlen(value) + 3 <= sizeof(settings->prompt))
		snprintf(settings->prompt + len, sizeof(settings->prompt) - len, "%s%s",
			 len ? ", " : "", value);
	return 0;
}

const struct listen_field scribe_socket_fields[] = {
	{"model_id", scribe_socket_set_model},
	{"commit_strategy", scribe_socket_set_strategy},
	{"audio_format", scribe_socket_set_format},
	{"vad_silence_threshold_secs", scribe_socket_set_silence},
	{"vad_threshold", scribe_socket_set_threshold},
	{"min_speech_duration_ms", scribe_socket_set_speech},
	{"min_silence_duration_ms", scribe_socket_set_pause},
	{"language_code", scribe_socket_set_language},
	{"include_timestamps", scribe_socket_set_times},
	{"include_language_detection", scribe_socket_set_detection},
	{"include_voice_activity", scribe_socket_set_activity},
	{"keyterms", scribe_socket_add_term},
	{NULL, NULL},
};

/* Messages */

static int scribe_socket_read_member(struct listen_message *message, struct stream_fault *fault,
				     const struct json_value *key, const struct json_value *value)
{
	bool is_text = value->kind == JSON_KIND_STRING;
	int64_t rate;

	if (value->kind == JSON_KIND_NULL)
		return 0;
	if (json_is(key, "message_type")) {
		if (!is_text || !json_is(value, "input_audio_chunk"))
			return fault_value(fault, "message_type", "input_audio_chunk", value);
	} else if (json_is(key, "audio_base_64")) {
		if (!is_text)
			return fault_value(fault, "audio_base_64", "a string", value);
		message->audio = value->text;
		message->audio_len = value->len;
	} else if (json_is(key, "commit")) {
		if (value->kind != JSON_KIND_BOOL)
			return fault_value(fault, "commit", "true or false", value);
		message->commit = value->truth;
	} else if (json_is(key, "sample_rate")) {
		if (json_to_integer(&rate, value) != 0 || rate < 1 || rate > 1000000)
			return fault_value(fault, "sample_rate", "a number", value);
		message->sample_rate = (unsigned)rate;
	} else if (json_is(key, "previous_text")) {
		if (!is_text)
			return fault_value(fault, "previous_text", "a string", value);
		message->prompt = value->text;
		message->prompt_len = value->len;
	}
	return 0;
}

int scribe_socket_parse(struct listen_message *message, struct stream_fault *fault, char *json,
			size_t len)
{
	struct json reader;
	struct json_value key;
	struct json_value value;
	int err = 0;

	*message = (struct listen_message){.audio = ""};
	json_open(&reader, json, len);
	if (json_value(&reader, &value) == 0 && value.kind != JSON_KIND_OBJECT)
		err = fault_set(fault, WIRE_ERROR_BAD_MESSAGE, "a message must be an object");
	while (!err && json_member(&reader, &key)) {
		if (json_value(&reader, &value) == 0)
			err = scribe_socket_read_member(message, fault, &key, &value);
		if (!err)
			json_skip(&reader, &value);
	}
	if (!err && json_close(&reader) != 0)
		err = fault_json(fault, &reader);
	if (err)
		fault->id = WIRE_ERROR_BAD_MESSAGE;
	return err;
}

const struct listen_api scribe_socket = {
	.init = scribe_socket_init,
	.fields = scribe_socket_fields,
	.parse = scribe_socket_parse,
	.dialect = &scribe_dialect,
};
