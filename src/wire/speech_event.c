/*
 * speech_event.c: speech as a stream of events (see speech_event.h).
 */
#include "wire/speech_event.h"

#include <math.h>

#include "base/base64.h"
#include "wire/error_shape.h"
#include "wire/json_write.h"

/* All of it or nothing. */
static int speech_event_end(struct buf *out, size_t start, int err)
{
	if (!err)
		err = buf_append_str(out, "\n\n");
	if (err)
		out->len = start;
	return err;
}

int speech_event_audio(struct buf *out, const void *bytes, size_t len)
{
	size_t start = out->len;
	int err = buf_append_str(out, "data: {\"type\":\"speech.audio.delta\",\"audio\":\"");

	if (!err)
		err = buf_reserve(out, base64_encoded_len(len));
	if (!err) {
		out->len += base64_encode(out->bytes + out->len, bytes, len);
		err = buf_append_str(out, "\"}");
	}
	return speech_event_end(out, start, err);
}

int speech_event_done(struct buf *out, uint64_t characters, double audio_seconds)
{
	uint64_t tokens = (uint64_t)ceil(audio_seconds * 1000 / SPEECH_EVENT_TOKEN_MS);
	size_t start = out->len;
	struct json_write json;
	int err = buf_append_str(out, "data: ");

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
	return speech_event_end(out, start, err);
}

int speech_event_error(struct buf *out, const struct wire_notice *notice)
{
	size_t start = out->len;
	int err = buf_append_str(out, "event: error\ndata: ");

	if (!err)
		err = error_shape_openai.write(out, notice);
	return speech_event_end(out, start, err);
}
