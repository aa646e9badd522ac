/*
 * transcript_events.c: a transcript as a stream of events (see transcripts.h).
 *
 *	data: {"type":"transcript.text.delta","delta":"Good morning."}
 *	data: {"type":"transcript.text.done","text":"Good morning. How are you?","usage":{…}}
 *
 * The deltas of all events together are the text.
 */
#include <math.h>

#include "base/utf8.h"
#include "doors/openai/openai.h"
#include "doors/openai/transcripts.h"

/* Audio has no tokens here, but the usage must contain some: what OpenAI's models have on average. */
#define TOKENS_PER_SECOND 10
#define CHARACTERS_PER_TOKEN 4

/* Ends an event.  If it failed, what was written of it is removed. */
static int transcript_events_end(struct buf *out, size_t start, int err)
{
	if (!err)
		err = buf_append_str(out, "\n\n");
	if (err)
		out->len = start;
	return err;
}

static int transcript_events_segment(struct buf *out, const struct heard_segment *segment,
				     bool is_first)
{
	size_t start = out->len;
	struct json_write json;
	struct buf text;
	int err;

	buf_init(&text, HEARD_QUEUE_TEXT_MAX + 1);
	/* Whatever separates two segments belongs to the second. */
	err = is_first ? 0 : buf_append_str(&text, "x");
	if (!err)
		err = heard_queue_append_text(&text, segment->text, segment->text_len,
					      segment->language);
	if (!err)
		err = buf_append_str(out, "data: ");
	if (!err) {
		json_write_open(&json, out);
		json_write_text(&json, "type", "transcript.text.delta");
		json_write_string(&json, "delta", text.bytes + !is_first, text.len - !is_first);
		err = json_write_close(&json);
	}
	buf_reset(&text);
	return transcript_events_end(out, start, err);
}

static int transcript_events_done(struct buf *out, const struct transcript_facts *facts)
{
	const struct buf *text = &facts->transcript->text;
	uint64_t heard = (uint64_t)ceil(facts->duration_s * TOKENS_PER_SECOND);
	uint64_t said = (utf8_count(text->bytes, text->len) + CHARACTERS_PER_TOKEN - 1) /
			CHARACTERS_PER_TOKEN;
	size_t start = out->len;
	struct json_write json;
	int err = buf_append_str(out, "data: ");

	if (!err) {
		json_write_open(&json, out);
		json_write_text(&json, "type", "transcript.text.done");
		json_write_string(&json, "text", text->bytes, text->len);
		json_write_object(&json, "usage");
		json_write_text(&json, "type", "tokens");
		json_write_unsigned(&json, "input_tokens", heard);
		json_write_unsigned(&json, "output_tokens", said);
		json_write_unsigned(&json, "total_tokens", heard + said);
		json_write_object_end(&json);
		err = json_write_close(&json);
	}
	return transcript_events_end(out, start, err);
}

static int transcript_events_error(struct buf *out, const struct wire_notice *notice)
{
	size_t start = out->len;
	int err = buf_append_str(out, "event: error\ndata: ");

	if (!err)
		err = openai_errors.write(out, notice);
	return transcript_events_end(out, start, err);
}

const struct transcript_form transcript_events = {
	.type = "text/event-stream",
	.is_live = true,
	.segment = transcript_events_segment,
	.error = transcript_events_error,
	.write = transcript_events_done,
};
