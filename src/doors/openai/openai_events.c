/*
 * openai_events.c: writes speech as a stream of events (see openai.h).
 */
#include "doors/openai/openai.h"

#include <math.h>

#include "base/base64.h"
#include "wire/json_write.h"
#include "wire/raw_dialect.h"

/* Ends an event.  If it failed, what was written of it is removed. */
static int openai_events_end(struct buf *out, size_t start, int err)
{
	if (!err)
		err = buf_append_str(out, "\n\n");
	if (err)
		out->len = start;
	return err;
}

static int openai_events_take(void *state, struct buf *out, const char *bytes, size_t len,
			      uint32_t samples)
{
	size_t start = out->len;
	int err = buf_append_str(out, "data: {\"type\":\"speech.audio.delta\",\"audio\":\"");

	(void)state;
	(void)samples;
	if (!err)
		err = buf_reserve(out, base64_encoded_len(len));
	if (!err) {
		out->len += base64_encode(out->bytes + out->len, bytes, len);
		err = buf_append_str(out, "\"}");
	}
	return openai_events_end(out, start, err);
}

static int openai_events_done(void *state, struct buf *out, uint64_t characters,
			      double audio_seconds)
{
	uint64_t tokens = (uint64_t)ceil(audio_seconds * 1000 / OPENAI_EVENTS_TOKEN_MS);
	size_t start = out->len;
	struct json_write json;
	int err = buf_append_str(out, "data: ");

	(void)state;
	if (!err) {
		json_write_open(&json, out);
		json_write_string(&json, "type", "speech.audio.done", 17);
		json_write_object(&json, "usage");
		json_write_unsigned(&json, "input_tokens", characters);
		json_write_unsigned(&json, "output_tokens", tokens);
		json_write_unsigned(&json, "total_tokens", characters + tokens);
		json_write_object_end(&json);
		err = json_write_close(&json);
	}
	return openai_events_end(out, start, err);
}

static int openai_events_error(struct buf *out, const struct wire_notice *notice)
{
	size_t start = out->len;
	int err = buf_append_str(out, "event: error\ndata: ");

	if (!err)
		err = openai_errors.write(out, notice);
	return openai_events_end(out, start, err);
}

const struct speech_form openai_events = {
	.type = "text/event-stream",
	.dialect = &dialect_raw,
	.is_live = true,
	.take = openai_events_take,
	.end = openai_events_done,
	.error = openai_events_error,
};
