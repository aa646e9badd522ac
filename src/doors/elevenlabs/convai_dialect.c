/*
 * convai_dialect.c: the messages of the conversation WebSocket (see convai.h).
 *
 * Each is {"type":"…","…_event":{…}}, except that of the parts of an answer.  The keys of the inner objects
 * are not regular, so every function has its own.
 */
#include <stdio.h>
#include <string.h>

#include "base/base64.h"
#include "base/count.h"
#include "doors/elevenlabs/convai.h"
#include "wire/json_write.h"

#define MESSAGE_SIZE 384 /* of the text of an error; longer texts are cut off */
#define SCORE_DECIMALS 3

/* The codes of errors are those with which a WebSocket closes. */
enum { CODE_NORMAL = 1000, CODE_PROTOCOL = 1002, CODE_POLICY = 1008, CODE_INTERNAL = 1011 };

static void convai_dialect_open(struct json_write *json, struct buf *out, const char *type,
				const char *event)
{
	json_write_open(json, out);
	json_write_text(json, "type", type);
	json_write_object(json, event);
}

static int convai_dialect_close(struct json_write *json)
{
	json_write_object_end(json);
	return json_write_close(json);
}

/* A client refuses names of formats that it does not know: pcm_RATE and ulaw_8000 are the only ones. */
static int convai_dialect_started(struct buf *out, const struct call_info *info)
{
	const struct listen_format *input = &info->settings->input;
	char name[24];
	struct json_write json;

	convai_dialect_open(&json, out, "conversation_initiation_metadata",
			    "conversation_initiation_metadata_event");
	json_write_text(&json, "conversation_id", info->id);
	json_write_text(&json, "agent_output_audio_format",
			audio_format_name(&info->settings->output));
	snprintf(name, sizeof(name), "%s_%u", input->encoding == LISTEN_PCM16 ? "pcm" : "ulaw",
		 input->sample_rate);
	json_write_text(&json, "user_input_audio_format", name);
	return convai_dialect_close(&json);
}

/* Written by hand, because it is the message that is sent most.  Clients read PCM as 16-bit samples and
 * drop a message with half a sample, so that half is left out. */
static int convai_dialect_audio(struct buf *out, const struct call_info *info, int64_t event_id,
				const uint8_t *bytes, size_t len)
{
	static const char head[] = "{\"type\":\"audio\",\"audio_event\":{\"audio_base_64\":\"";
	char tail[48];
	int tail_len = snprintf(tail, sizeof(tail), "\",\"event_id\":%lld}}", (long long)event_id);
	int err;

	if (info->settings->output.encoding == AUDIO_PCM16)
		len -= len % 2;
	err = buf_reserve(out, sizeof(head) - 1 + base64_encoded_len(len) + (size_t)tail_len);
	if (err)
		return err;
	buf_append(out, head, sizeof(head) - 1);
	out->len += base64_encode(out->bytes + out->len, bytes, len);
	return buf_append(out, tail, (size_t)tail_len);
}

static int convai_dialect_user_words(struct buf *out, const struct call_info *info,
				     int64_t event_id, const char *text, size_t len,
				     bool is_tentative)
{
	struct json_write json;

	(void)info;
	if (is_tentative)
		convai_dialect_open(&json, out, "tentative_user_transcript",
				    "tentative_user_transcription_event");
	else
		convai_dialect_open(&json, out, "user_transcript", "user_transcription_event");
	json_write_string(&json, "user_transcript", text, len);
	json_write_signed(&json, "event_id", event_id);
	return convai_dialect_close(&json);
}

static int convai_dialect_agent_words(struct buf *out, const struct call_info *info,
				      int64_t event_id, const char *text, size_t len)
{
	struct json_write json;

	(void)info;
	convai_dialect_open(&json, out, "agent_response", "agent_response_event");
	json_write_string(&json, "agent_response", text, len);
	json_write_signed(&json, "event_id", event_id);
	return convai_dialect_close(&json);
}

static int convai_dialect_agent_part(struct buf *out, const struct call_info *info,
				     int64_t event_id, enum call_part part, const char *text,
				     size_t len)
{
	static const char *const types[] = {
		[CALL_PART_START] = "start", [CALL_PART_WORDS] = "delta", [CALL_PART_END] = "stop"};
	struct json_write json;

	(void)info;
	convai_dialect_open(&json, out, "agent_chat_response_part", "text_response_part");
	json_write_string(&json, "text", text ? text : "", text ? len : 0);
	json_write_text(&json, "type", types[part]);
	json_write_signed(&json, "event_id", event_id);
	return convai_dialect_close(&json);
}

static int convai_dialect_interrupted(struct buf *out, const struct call_info *info,
				      int64_t event_id)
{
	struct json_write json;

	(void)info;
	convai_dialect_open(&json, out, "interruption", "interruption_event");
	json_write_signed(&json, "event_id", event_id);
	return convai_dialect_close(&json);
}

static int convai_dialect_corrected(struct buf *out, const struct call_info *info, int64_t event_id,
				    const struct buf *written, const struct buf *heard)
{
	struct json_write json;

	(void)info;
	convai_dialect_open(&json, out, "agent_response_correction",
			    "agent_response_correction_event");
	json_write_string(&json, "original_agent_response", written->len ? written->bytes : "",
			  written->len);
	json_write_string(&json, "corrected_agent_response", heard->len ? heard->bytes : "",
			  heard->len);
	json_write_signed(&json, "event_id", event_id);
	return convai_dialect_close(&json);
}

static int convai_dialect_activity(struct buf *out, const struct call_info *info,
				   double probability)
{
	double score = probability > 0 ? probability : 0; /* also for what is not a number */
	struct json_write json;

	(void)info;
	convai_dialect_open(&json, out, "vad_score", "vad_score_event");
	json_write_double(&json, "vad_score", score < 1 ? score : 1, SCORE_DECIMALS);
	return convai_dialect_close(&json);
}

/* The client for Python reads ping_ms without checking that it is there. */
static int convai_dialect_ping(struct buf *out, const struct call_info *info, int64_t number,
			       int64_t round_trip_ms)
{
	struct json_write json;

	(void)info;
	convai_dialect_open(&json, out, "ping", "ping_event");
	json_write_signed(&json, "event_id", number);
	if (round_trip_ms < 0)
		json_write_null(&json, "ping_ms");
	else
		json_write_signed(&json, "ping_ms", round_trip_ms);
	return convai_dialect_close(&json);
}

struct convai_dialect_error {
	enum wire_error_id id;
	int code;
	const char *type;
};

/* Errors that have a type of their own.  A client ends the conversation after max_duration_exceeded. */
static const struct convai_dialect_error convai_dialect_errors[] = {
	{WIRE_ERROR_INVALID_REQUEST, CODE_POLICY, "value_error"},
	{WIRE_ERROR_BAD_MESSAGE, CODE_PROTOCOL, "invalid_message"},
	{WIRE_ERROR_MESSAGE_TOO_LONG, CODE_POLICY, "invalid_message"},
	{WIRE_ERROR_TEXT_TOO_LONG, CODE_POLICY, "value_error"},
	{WIRE_ERROR_BAD_AUDIO, CODE_POLICY, "value_error"},
	{WIRE_ERROR_MISSING_VOICE, CODE_POLICY, "missing_fields"},
	{WIRE_ERROR_FORBIDDEN, CODE_POLICY, "override_error"},
	{WIRE_ERROR_VOICE_NOT_FOUND, CODE_POLICY, "override_error"},
	{WIRE_ERROR_INPUT_TIMEOUT, CODE_POLICY, "transport_receive_timeout"},
	{WIRE_ERROR_CALL_TOO_LONG, CODE_NORMAL, "max_duration_exceeded"},
	{WIRE_ERROR_NO_ANSWER, CODE_INTERNAL, "llm_error"},
	{WIRE_ERROR_GENERATION_FAILED, CODE_INTERNAL, "tts_cascade_error"},
	{WIRE_ERROR_HEARING_FAILED, CODE_INTERNAL, "asr_transcription_error"},
	{WIRE_ERROR_NO_HEARING, CODE_INTERNAL, "asr_transcription_error"},
};

static struct convai_dialect_error convai_dialect_find(const struct call_info *info,
						       const struct wire_notice *notice)
{
	bool is_ours = wire_error_get(notice->id)->number >= 500;
	struct convai_dialect_error error = {notice->id, is_ours ? CODE_INTERNAL : CODE_POLICY,
					     "unknown"};

	for (size_t i = 0; i < COUNT(convai_dialect_errors); ++i) {
		if (convai_dialect_errors[i].id == notice->id)
			error = convai_dialect_errors[i];
	}
	if (notice->field && strcmp(notice->field, CALL_VARIABLES_FIELD) == 0)
		error.type = "missing_dynamic_variable";
	if (notice->id == WIRE_ERROR_NO_ANSWER && info->settings->url[0])
		error.type = "custom_llm_error"; /* a developer's server */
	return error;
}

static int convai_dialect_error(struct buf *out, const struct call_info *info,
				const struct wire_notice *notice)
{
	const struct convai_dialect_error error = convai_dialect_find(info, notice);
	bool has_detail = notice->detail && notice->detail[0];
	char message[MESSAGE_SIZE];
	struct json_write json;

	snprintf(message, sizeof(message), "%s%s%s", wire_error_get(notice->id)->text,
		 has_detail ? ": " : "", has_detail ? notice->detail : "");
	convai_dialect_open(&json, out, "error", "error_event");
	json_write_signed(&json, "code", error.code);
	json_write_text(&json, "message", message);
	json_write_text(&json, "error_type", error.type);
	if (notice->request_id && notice->request_id[0]) {
		json_write_object(&json, "details");
		json_write_text(&json, "request_id", notice->request_id);
		if (notice->retry_s)
			json_write_unsigned(&json, "retry_after", notice->retry_s);
		json_write_object_end(&json);
	}
	return convai_dialect_close(&json);
}

const struct call_dialect convai_dialect = {
	.started = convai_dialect_started,
	.audio = convai_dialect_audio,
	.user_words = convai_dialect_user_words,
	.agent_words = convai_dialect_agent_words,
	.agent_part = convai_dialect_agent_part,
	.interrupted = convai_dialect_interrupted,
	.corrected = convai_dialect_corrected,
	.activity = convai_dialect_activity,
	.ping = convai_dialect_ping,
	.error = convai_dialect_error,
};

const struct call_api elevenlabs_convai_api = {
	.parse = convai_message_parse,
	.dialect = &convai_dialect,
	.start_gap_ms = CONVAI_START_GAP_MS,
};
