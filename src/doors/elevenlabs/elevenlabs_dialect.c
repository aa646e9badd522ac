/*
 * elevenlabs_dialect.c: writes the messages of ElevenLabs' WebSockets (see elevenlabs.h).
 */
#include "doors/elevenlabs/elevenlabs.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/base64.h"
#include "base/count.h"
#include "wire/char_times.h"
#include "wire/json_write.h"

#define MESSAGE_SIZE 384 /* of the text of an error; longer texts are truncated */

static void elevenlabs_dialect_write_context(struct json_write *json, const char *context)
{
	if (context)
		json_write_raw(json, "contextId", context);
}

static int elevenlabs_dialect_audio(struct buf *out, const char *context,
				    const struct audio_frame *frame,
				    const struct audio_format *format, unsigned idx,
				    unsigned chunk_id)
{
	static const char head[] = "{\"audio\":\"";
	static const char tail[] =
		"\",\"isFinal\":null,\"alignment\":null,\"normalizedAlignment\":null";
	static const char context_head[] = ",\"contextId\":";
	size_t context_len = context ? strlen(context) : 0;
	int err = buf_reserve(out, sizeof(head) + base64_encoded_len(frame->len) + sizeof(tail) +
					   sizeof(context_head) + context_len + 1);

	(void)format;
	(void)idx;
	(void)chunk_id;
	if (err)
		return err;
	buf_append(out, head, sizeof(head) - 1);
	out->len += base64_encode(out->bytes + out->len, frame->bytes, frame->len);
	buf_append(out, tail, sizeof(tail) - 1);
	if (context) {
		buf_append(out, context_head, sizeof(context_head) - 1);
		buf_append(out, context, context_len);
	}
	return buf_append(out, "}", 1);
}

enum column { COLUMN_CHARS, COLUMN_STARTS, COLUMN_DURATIONS };

static void elevenlabs_dialect_write_cell(struct json_write *json, enum column column,
					  const struct char_time *time,
					  const struct dialect_words *said)
{
	long start = lround(time->start_ms);

	if (column == COLUMN_CHARS)
		json_write_string(json, NULL, time->text, time->len);
	else if (column == COLUMN_STARTS)
		json_write_signed(json, NULL, start + said->before_ms);
	else
		json_write_signed(json, NULL, lround(time->end_ms) - start);
}

/* Each chunk ends with a space, because clients concatenate the characters of all chunks and split
 * them into words at spaces.  The space lasts until the end of the chunk's audio, because some
 * clients (Pipecat) add up the ends of chunks to know when the next one begins. */
static void elevenlabs_dialect_write_column(struct json_write *json, const char *key,
					    enum column column, const struct dialect_words *said)
{
	struct char_times times;
	struct char_time next = {0};

	json_write_list(json, key);
	char_times_begin(&times, said);
	while (char_times_next(&times, &next))
		elevenlabs_dialect_write_cell(json, column, &next, said);
	next = (struct char_time){" ", 1, next.end_ms, fmax(next.end_ms, said->audio_ms)};
	elevenlabs_dialect_write_cell(json, column, &next, said);
	json_write_list_end(json);
}

static void elevenlabs_dialect_write_alignment(struct json_write *json, const char *key,
					       const struct dialect_words *said)
{
	json_write_object(json, key);
	elevenlabs_dialect_write_column(json, "chars", COLUMN_CHARS, said);
	elevenlabs_dialect_write_column(json, "charStartTimesMs", COLUMN_STARTS, said);
	elevenlabs_dialect_write_column(json, "charDurationsMs", COLUMN_DURATIONS, said);
	json_write_object_end(json);
}

/* The times of the normalized text are not known.  Clients that read them get the times of the
 * original text. */
static int elevenlabs_dialect_words(struct buf *out, const char *context, unsigned chunk_id,
				    const struct dialect_words *said)
{
	struct json_write json;

	(void)chunk_id;
	json_write_open(&json, out);
	json_write_string(&json, "audio", "", 0);
	json_write_null(&json, "isFinal");
	elevenlabs_dialect_write_alignment(&json, "alignment", said);
	elevenlabs_dialect_write_alignment(&json, "normalizedAlignment", said);
	elevenlabs_dialect_write_context(&json, context);
	return json_write_close(&json);
}

static int elevenlabs_dialect_write_final(struct buf *out, const char *context)
{
	struct json_write json;

	json_write_open(&json, out);
	json_write_null(&json, "audio");
	json_write_bool(&json, "isFinal", true);
	elevenlabs_dialect_write_context(&json, context);
	return json_write_close(&json);
}

static int elevenlabs_dialect_final(struct buf *out, const char *context,
				    const struct reply_totals *totals)
{
	(void)totals;
	return elevenlabs_dialect_write_final(out, context);
}

static int elevenlabs_dialect_context_closed(struct buf *out, const char *context,
					     const struct reply_usage *usage)
{
	(void)usage;
	return elevenlabs_dialect_write_final(out, context);
}

/* The names of errors that ElevenLabs' clients know; text NULL: the text of the error table. */
static const struct {
	enum wire_error_id id;
	const char *name, *text;
} errors[] = {
	{WIRE_ERROR_MISSING_KEY, "needs_authorization", NULL},
	{WIRE_ERROR_WRONG_KEY, "invalid_api_key", NULL},
	{WIRE_ERROR_KEY_ENDED, "invalid_api_key", NULL},
	{WIRE_ERROR_NO_CREDIT, "quota_exceeded", NULL},
	{WIRE_ERROR_RATE_LIMITED, "rate_limit_exceeded", NULL},
	{WIRE_ERROR_FORBIDDEN, "missing_permissions", NULL},
	{WIRE_ERROR_VOICE_NOT_FOUND, "voice_not_found", NULL},
	{WIRE_ERROR_MISSING_VOICE, "voice_not_found", NULL},
	{WIRE_ERROR_INVALID_REQUEST, "invalid_input_message", NULL},
	{WIRE_ERROR_INPUT_TIMEOUT, "input_timeout_exceeded", NULL},
	{WIRE_ERROR_TEXT_TOO_LONG, "max_character_limit_exceeded", NULL},
	{WIRE_ERROR_TOO_MANY_CONTEXTS, "max_active_contexts",
	 "Too many concurrent contexts (max 5); close one before opening another"},
	{WIRE_ERROR_UNAVAILABLE, "system_busy", NULL},
	{WIRE_ERROR_NO_LEDGER, "system_busy", NULL},
	{WIRE_ERROR_CREDIT_LEASED, "system_busy", NULL},
};

static int elevenlabs_dialect_error(struct buf *out, const char *context,
				    const struct wire_notice *notice)
{
	const char *name = "internal_error";
	const char *text = wire_error_get(notice->id)->text;
	bool has_detail = notice->detail && notice->detail[0];
	char message[MESSAGE_SIZE];
	struct json_write json;

	for (size_t i = 0; i < COUNT(errors); ++i) {
		if (errors[i].id == notice->id) {
			name = errors[i].name;
			text = errors[i].text ? errors[i].text : text;
		}
	}
	snprintf(message, sizeof(message), "%s%s%s", text, has_detail ? ": " : "",
		 has_detail ? notice->detail : "");
	json_write_open(&json, out);
	json_write_string(&json, "message", message, strlen(message));
	json_write_string(&json, "error", name, strlen(name));
	json_write_unsigned(&json, "code", ELEVENLABS_CLOSE_ERROR);
	if (notice->retry_s)
		json_write_unsigned(&json, "retry_after", notice->retry_s);
	elevenlabs_dialect_write_context(&json, context);
	if (notice->request_id)
		json_write_string(&json, "request_id", notice->request_id,
				  strlen(notice->request_id));
	return json_write_close(&json);
}

const struct dialect elevenlabs_dialect = {
	.audio = elevenlabs_dialect_audio,
	.words = elevenlabs_dialect_words,
	.final = elevenlabs_dialect_final,
	.error = elevenlabs_dialect_error,
};

const struct dialect elevenlabs_dialect_multi = {
	.audio = elevenlabs_dialect_audio,
	.words = elevenlabs_dialect_words,
	.error = elevenlabs_dialect_error,
	.context_closed = elevenlabs_dialect_context_closed,
};
