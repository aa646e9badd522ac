/*
 * twilio_dialect.c: the messages to Twilio's Media Streams (see twilio.h).
 *
 * There are only three: audio, which is played in the order in which it arrives, marks, which return when
 * everything before them was played, and an order to drop what has not been played.  There is none for
 * errors: a call that cannot go on ends with the connection.
 */
#include <stdio.h>
#include <string.h>

#include "base/base64.h"
#include "doors/twilio/twilio.h"
#include "wire/json_write.h"

static void twilio_dialect_open(struct json_write *json, struct buf *out,
				const struct call_info *info, const char *event)
{
	json_write_open(json, out);
	json_write_text(json, "event", event);
	json_write_text(json, "streamSid", info->stream);
}

/* Twilio does not wait for an answer to `start`. */
static int twilio_dialect_started(struct buf *out, const struct call_info *info)
{
	(void)out;
	(void)info;
	return 0;
}

/* The audio is encoded directly behind the beginning of the message, because it is the message that is
 * sent most. */
static int twilio_dialect_audio(struct buf *out, const struct call_info *info, int64_t event_id,
				const uint8_t *bytes, size_t len)
{
	static const char tail[] = "\"}}";
	size_t start = out->len;
	struct json_write json;
	int err;

	(void)event_id;
	twilio_dialect_open(&json, out, info, "media");
	json_write_object(&json, "media");
	json_write_string(&json, "payload", "", 0);
	err = json.err;
	if (!err) {
		--out->len; /* the closing quote */
		err = buf_reserve(out, base64_encoded_len(len) + sizeof(tail) - 1);
	}
	if (err) {
		out->len = start;
		return err;
	}
	out->len += base64_encode(out->bytes + out->len, bytes, len);
	return buf_append(out, tail, sizeof(tail) - 1);
}

static int twilio_dialect_interrupted(struct buf *out, const struct call_info *info,
				      int64_t event_id)
{
	struct json_write json;

	(void)event_id;
	twilio_dialect_open(&json, out, info, "clear");
	return json_write_close(&json);
}

static int twilio_dialect_mark(struct buf *out, const struct call_info *info, int64_t number)
{
	char name[24];
	struct json_write json;

	snprintf(name, sizeof(name), "%lld", (long long)number);
	twilio_dialect_open(&json, out, info, "mark");
	json_write_object(&json, "mark");
	json_write_text(&json, "name", name);
	json_write_object_end(&json);
	return json_write_close(&json);
}

const struct call_dialect twilio_dialect = {
	.started = twilio_dialect_started,
	.audio = twilio_dialect_audio,
	.interrupted = twilio_dialect_interrupted,
	.mark = twilio_dialect_mark,
};

const struct call_api twilio_api = {
	.parse = twilio_message_parse,
	.dialect = &twilio_dialect,
	.start_gap_ms = 0,
};
