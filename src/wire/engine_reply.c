/*
 * engine_reply.c: writes the messages between a speech engine and this server (see engine_reply.h).
 */
#include "wire/engine_reply.h"

#include <stdio.h>
#include <string.h>

#include "wire/json_write.h"

static void engine_reply_write_type(struct json_write *json, const char *type)
{
	json_write_string(json, "type", type, strlen(type));
}

/* The order of the keys is the same as in the vendor's own libraries. */
static int engine_reply_write_response(struct buf *out, const char *event, const char *text,
				       size_t len, bool is_final)
{
	struct json_write json;

	json_write_open(&json, out);
	engine_reply_write_type(&json, "agent_response");
	json_write_string(&json, "content", text, len);
	if (event[0])
		json_write_raw(&json, "event_id", event);
	json_write_bool(&json, "is_final", is_final);
	return json_write_close(&json);
}

int engine_reply_words(struct buf *out, const char *event, const char *text, size_t len)
{
	return engine_reply_write_response(out, event, text, len, false);
}

int engine_reply_final(struct buf *out, const char *event)
{
	return engine_reply_write_response(out, event, "", 0, true);
}

static int engine_reply_write_bare(struct buf *out, const char *type)
{
	struct json_write json;

	json_write_open(&json, out);
	engine_reply_write_type(&json, type);
	return json_write_close(&json);
}

int engine_reply_pong(struct buf *out)
{
	return engine_reply_write_bare(out, "pong");
}

static void engine_reply_write_event(struct json_write *json, const char *event)
{
	if (event[0])
		json_write_raw(json, "event_id", event);
}

int engine_reply_error(struct buf *out, const char *event, const struct wire_notice *notice)
{
	const struct wire_error *error = wire_error_get(notice->id);
	bool has_detail = notice->detail && notice->detail[0];
	char text[384]; /* longer details are truncated */
	struct json_write json;

	snprintf(text, sizeof(text), "%s%s%s", error->text, has_detail ? ": " : "",
		 has_detail ? notice->detail : "");
	json_write_open(&json, out);
	engine_reply_write_type(&json, "error");
	json_write_string(&json, "error", text, strlen(text));
	json_write_string(&json, "error_code", error->code, strlen(error->code));
	json_write_unsigned(&json, "code", (unsigned)error->number);
	if (notice->retry_s)
		json_write_unsigned(&json, "retry_after", notice->retry_s);
	engine_reply_write_event(&json, event);
	return json_write_close(&json);
}

#define CENT_DECIMALS 6 /* amounts are in micro-cents */

int engine_reply_usage(struct buf *out, const char *event, const struct engine_usage *usage)
{
	struct json_write json;

	json_write_open(&json, out);
	engine_reply_write_type(&json, "usage");
	engine_reply_write_event(&json, event);
	json_write_unsigned(&json, "input_tokens", usage->tokens_in);
	json_write_unsigned(&json, "output_tokens", usage->tokens_out);
	json_write_bool(&json, "estimated", usage->is_estimated);
	if (usage->is_known)
		json_write_decimal(&json, "cost_cents", usage->microcents, CENT_DECIMALS);
	else
		json_write_null(&json, "cost_cents");
	if (usage->is_known && usage->currency)
		json_write_string(&json, "currency", usage->currency, strlen(usage->currency));
	json_write_list(&json, "turn_ids");
	for (int i = 0; i < 2; ++i)
		json_write_string(&json, NULL, usage->ids[i], strlen(usage->ids[i]));
	json_write_list_end(&json);
	return json_write_close(&json);
}

int engine_say_ping(struct buf *out)
{
	return engine_reply_write_bare(out, "ping");
}

int engine_say_close(struct buf *out)
{
	return engine_reply_write_bare(out, "close");
}

int engine_say_error(struct buf *out, const char *message)
{
	struct json_write json;

	json_write_open(&json, out);
	engine_reply_write_type(&json, "error");
	json_write_text(&json, "message", message);
	return json_write_close(&json);
}

int engine_say_init(struct buf *out, const char *conversation_id)
{
	struct json_write json;

	json_write_open(&json, out);
	engine_reply_write_type(&json, "init");
	json_write_string(&json, "conversation_id", conversation_id, strlen(conversation_id));
	return json_write_close(&json);
}

int engine_say_transcript(struct buf *out, const struct llm_turn *turns, size_t count,
			  int64_t event_id)
{
	struct json_write json;

	json_write_open(&json, out);
	engine_reply_write_type(&json, "user_transcript");
	json_write_list(&json, "user_transcript");
	for (size_t i = 0; i < count; ++i) {
		const char *role = turns[i].role == LLM_USER ? "user" : "agent";

		json_write_object(&json, NULL);
		json_write_string(&json, "role", role, strlen(role));
		json_write_string(&json, "content", turns[i].text, turns[i].len);
		json_write_object_end(&json);
	}
	json_write_list_end(&json);
	json_write_signed(&json, "event_id", event_id);
	return json_write_close(&json);
}
