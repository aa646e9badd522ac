/*
 * scribe_dialect.c: the messages of the WebSocket /v1/speech-to-text/realtime (see scribe.h).
 */
#include <stdio.h>
#include <string.h>

#include "base/count.h"
#include "doors/elevenlabs/scribe.h"

#define MESSAGE_SIZE 384 /* of the text of an error; longer texts are cut off */

static void scribe_dialect_write_format(struct json_write *json, const struct listen_format *format)
{
	char name[24];

	snprintf(name, sizeof(name), "%s_%u", format->encoding == LISTEN_PCM16 ? "pcm" : "ulaw",
		 format->sample_rate);
	json_write_unsigned(json, "sample_rate", format->sample_rate);
	json_write_text(json, "audio_format", name);
}

/* Nothing is ever logged or stored, so enable_logging is false. */
static int scribe_dialect_started(struct buf *out, const char *session_id,
				  const struct listen_settings *settings)
{
	struct json_write json;

	json_write_open(&json, out);
	json_write_text(&json, "message_type", "session_started");
	json_write_text(&json, "session_id", session_id);
	json_write_object(&json, "config");
	scribe_dialect_write_format(&json, &settings->format);
	if (settings->language[0])
		json_write_text(&json, "language_code", settings->language);
	json_write_text(&json, "timestamps_granularity", settings->want_times ? "word" : "none");
	json_write_text(&json, "vad_commit_strategy", settings->is_manual ? "manual" : "vad");
	json_write_double(&json, "vad_silence_threshold_secs", settings->silence_s, 3);
	json_write_double(&json, "vad_threshold", settings->threshold, 3);
	json_write_unsigned(&json, "min_speech_duration_ms", settings->speech_ms);
	json_write_unsigned(&json, "min_silence_duration_ms", settings->pause_ms);
	json_write_text(&json, "model_id", settings->asked_model);
	json_write_bool(&json, "enable_logging", false);
	json_write_bool(&json, "include_language_detection", settings->want_language);
	json_write_object_end(&json);
	return json_write_close(&json);
}

static int scribe_dialect_text(struct buf *out, const char *type, const char *text, size_t len)
{
	struct json_write json;

	json_write_open(&json, out);
	json_write_text(&json, "message_type", type);
	json_write_string(&json, "text", text, len);
	return json_write_close(&json);
}

static int scribe_dialect_partial(struct buf *out, const char *text, size_t len)
{
	return scribe_dialect_text(out, "partial_transcript", text, len);
}

static int scribe_dialect_segment(struct buf *out, const struct heard_segment *segment,
				  const struct listen_settings *settings)
{
	(void)settings;
	return scribe_dialect_text(out, "committed_transcript", segment->text, segment->text_len);
}

static int scribe_dialect_segment_times(struct buf *out, const struct heard_segment *segment,
					const struct listen_settings *settings)
{
	struct json_write json;

	json_write_open(&json, out);
	json_write_text(&json, "message_type", "committed_transcript_with_timestamps");
	json_write_string(&json, "text", segment->text, segment->text_len);
	if (settings->want_language && segment->language[0])
		json_write_text(&json, "language_code", segment->language);
	if (settings->want_times)
		scribe_words_write(&json, segment);
	return json_write_close(&json);
}

/* ElevenLabs has no such message: it is sent only to clients that ask for it. */
static int scribe_dialect_activity(struct buf *out, bool is_speech, double at_s)
{
	struct json_write json;

	json_write_open(&json, out);
	json_write_text(&json, "message_type", "voice_activity");
	json_write_bool(&json, "speech", is_speech);
	json_write_double(&json, "at", at_s, 3);
	return json_write_close(&json);
}

const struct listen_dialect scribe_dialect = {
	.started = scribe_dialect_started,
	.partial = scribe_dialect_partial,
	.segment = scribe_dialect_segment,
	.segment_times = scribe_dialect_segment_times,
	.activity = scribe_dialect_activity,
};

/* The message types of errors that ElevenLabs' clients know; any other error is of the type "error". */
static const struct {
	enum wire_error_id id;
	const char *type;
} errors[] = {
	{WIRE_ERROR_MISSING_KEY, "auth_error"},
	{WIRE_ERROR_WRONG_KEY, "auth_error"},
	{WIRE_ERROR_KEY_ENDED, "auth_error"},
	{WIRE_ERROR_FORBIDDEN, "auth_error"},
	{WIRE_ERROR_NO_CREDIT, "quota_exceeded"},
	{WIRE_ERROR_TOO_MANY_COMMITS, "commit_throttled"},
	{WIRE_ERROR_HEARING_FAILED, "transcriber_error"},
	{WIRE_ERROR_RATE_LIMITED, "rate_limited"},
	{WIRE_ERROR_BAD_MESSAGE, "input_error"},
	{WIRE_ERROR_INVALID_REQUEST, "invalid_request"},
	{WIRE_ERROR_MODEL_NOT_FOUND, "invalid_request"},
	{WIRE_ERROR_UNAVAILABLE, "resource_exhausted"},
	{WIRE_ERROR_NO_HEARING, "resource_exhausted"},
	{WIRE_ERROR_NO_LEDGER, "resource_exhausted"},
	{WIRE_ERROR_CREDIT_LEASED, "resource_exhausted"},
	{WIRE_ERROR_AUDIO_TOO_LONG, "session_time_limit_exceeded"},
	{WIRE_ERROR_MESSAGE_TOO_LONG, "chunk_size_exceeded"},
	{WIRE_ERROR_INPUT_TIMEOUT, "insufficient_audio_activity"},
};

static int scribe_dialect_error(struct buf *out, const char *context,
				const struct wire_notice *notice)
{
	bool has_detail = notice->detail && notice->detail[0];
	const char *type = "error";
	char message[MESSAGE_SIZE];
	struct json_write json;

	(void)context;
	for (size_t i = 0; i < COUNT(errors); ++i) {
		if (errors[i].id == notice->id)
			type = errors[i].type;
	}
	snprintf(message, sizeof(message), "%s%s%s", wire_error_get(notice->id)->text,
		 has_detail ? ": " : "", has_detail ? notice->detail : "");
	json_write_open(&json, out);
	json_write_text(&json, "message_type", type);
	json_write_text(&json, "error", message);
	if (notice->retry_s)
		json_write_unsigned(&json, "retry_after", notice->retry_s);
	if (notice->request_id)
		json_write_text(&json, "request_id", notice->request_id);
	return json_write_close(&json);
}

const struct dialect scribe_dialect_errors = {.error = scribe_dialect_error};
