/*
 * reply.c: writes the server's messages on the native sockets as JSON (see reply.h).
 */
#include "wire/reply.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/base64.h"
#include "wire/json_write.h"

#define SECONDS_DECIMALS 9
#define MS_DECIMALS 3
#define GEN_MS_DECIMALS 0 /* an integer, because typed clients parse it as one */
#define SETTING_DECIMALS 6

/* A cost is the amount of the ledger's row, which is in micro-cents, with all its digits.  So the
 * costs that clients receive add up to the ledger, and no cost above zero is shown as 0. */
#define COST_DECIMALS 6

/* This text is part of the protocol; it must not change. */
static const char idle_warning[] =
	"Turn ended after 5s of inactivity. Send {\"flush\": true} to end a turn explicitly — it "
	"lowers latency and avoids this auto-flush.";

static void reply_write_str(struct json_write *json, const char *key, const char *str)
{
	json_write_string(json, key, str, strlen(str));
}

static void reply_write_seconds(struct json_write *json, const char *key, double seconds)
{
	json_write_double(json, key, seconds, SECONDS_DECIMALS);
}

int reply_context_id(struct buf *out, const char *id, size_t len)
{
	struct json_write json = {.out = out, .start = out->len, .fresh = true};

	json_write_string(&json, NULL, id, len);
	if (!json.err)
		json.err = buf_append(out, "", 1);
	if (json.err)
		out->len = json.start;
	return json.err;
}

/* By the protocol, context_id follows the members that identify the message. */
static void reply_write_context(struct json_write *json, const char *context)
{
	if (context)
		json_write_raw(json, "context_id", context);
}

int reply_generation_started(struct buf *out, const char *context, unsigned chunk_id,
			     const char *text, size_t len)
{
	struct json_write json;

	json_write_open(&json, out);
	json_write_bool(&json, "generation_started", true);
	reply_write_context(&json, context);
	json_write_unsigned(&json, "chunk_id", chunk_id);
	json_write_string(&json, "text", text, len);
	return json_write_close(&json);
}

static char *reply_put(char *p, const char *bytes, size_t n)
{
	memcpy(p, bytes, n);
	return p + n;
}

static char *reply_put_number(char *p, uint64_t number)
{
	char digits[20];
	char *end = digits + sizeof(digits);
	char *first = end;

	do {
		*--first = (char)('0' + number % 10);
		number /= 10;
	} while (number > 0);
	return reply_put(p, first, (size_t)(end - first));
}

#define PUT(p, literal) reply_put(p, literal, sizeof(literal) - 1)

int reply_audio(struct buf *out, const char *context, const struct audio_frame *frame,
		const struct audio_format *format, unsigned idx, unsigned chunk_id)
{
	static const char head[] = "{\"audio\":\"";
	const char *encoding = audio_format_encoding(format->encoding);
	size_t context_len = context ? strlen(context) : 0;
	/* The fixed text has 61 bytes, the numbers at most 50, and the name of the encoding 9. */
	char tail[160 + REPLY_CONTEXT_MAX];
	char *end = tail;
	int err;

	if (context_len > REPLY_CONTEXT_MAX)
		return ENOBUFS;
	end = PUT(end, "\",\"enc\":\"");
	end = reply_put(end, encoding, strlen(encoding));
	end = PUT(end, "\"");
	if (context) {
		end = PUT(end, ",\"context_id\":");
		end = reply_put(end, context, context_len);
	}
	end = PUT(end, ",\"idx\":");
	end = reply_put_number(end, idx);
	end = PUT(end, ",\"sr\":");
	end = reply_put_number(end, format->sample_rate);
	end = PUT(end, ",\"samples\":");
	end = reply_put_number(end, frame->samples);
	end = PUT(end, ",\"chunk_id\":");
	end = reply_put_number(end, chunk_id);
	end = PUT(end, "}");
	err = buf_reserve(out,
			  sizeof(head) - 1 + base64_encoded_len(frame->len) + (size_t)(end - tail));
	if (err)
		return err;
	buf_append(out, head, sizeof(head) - 1);
	out->len += base64_encode(out->bytes + out->len, frame->bytes, frame->len);
	return buf_append(out, tail, (size_t)(end - tail));
}

static void reply_write_word(struct json_write *json, const struct reply_word *word)
{
	json_write_object(json, NULL);
	json_write_string(json, "word", word->word, word->word_len);
	json_write_unsigned(json, "start_ms", word->start_ms);
	json_write_unsigned(json, "end_ms", word->end_ms);
	json_write_unsigned(json, "char_start", word->char_start);
	json_write_unsigned(json, "char_end", word->char_end);
	/* The times are known from the synthesis, so there is no uncertainty to report. */
	json_write_raw(json, "score", "1.0");
	json_write_object_end(json);
}

int reply_word_timestamps(struct buf *out, const char *context, unsigned chunk_id,
			  const struct reply_word *words, size_t count)
{
	struct json_write json;

	json_write_open(&json, out);
	json_write_list(&json, "word_timestamps");
	for (size_t i = 0; i < count; ++i)
		reply_write_word(&json, &words[i]);
	json_write_list_end(&json);
	reply_write_context(&json, context);
	json_write_unsigned(&json, "chunk_id", chunk_id);
	return json_write_close(&json);
}

int reply_chunk_complete(struct buf *out, const char *context, unsigned chunk_id,
			 double audio_seconds, double gen_ms)
{
	struct json_write json;

	json_write_open(&json, out);
	json_write_bool(&json, "chunk_complete", true);
	reply_write_context(&json, context);
	json_write_unsigned(&json, "chunk_id", chunk_id);
	reply_write_seconds(&json, "audio_seconds", audio_seconds);
	json_write_double(&json, "gen_ms", gen_ms, GEN_MS_DECIMALS);
	return json_write_close(&json);
}

int reply_idle_warning(struct buf *out)
{
	struct json_write json;

	json_write_open(&json, out);
	reply_write_str(&json, "warning", idle_warning);
	return json_write_close(&json);
}

static void reply_write_totals(struct json_write *json, const struct reply_totals *totals)
{
	reply_write_seconds(json, "total_audio_seconds", totals->audio_seconds);
	json_write_unsigned(json, "total_text_chunks", totals->text_chunks);
	json_write_unsigned(json, "total_audio_chunks", totals->audio_chunks);
}

int reply_final(struct buf *out, const struct reply_totals *totals)
{
	struct json_write json;

	json_write_open(&json, out);
	json_write_bool(&json, "final", true);
	reply_write_totals(&json, totals);
	return json_write_close(&json);
}

static int reply_write_context_event(struct buf *out, const char *event, const char *context)
{
	struct json_write json;

	json_write_open(&json, out);
	json_write_bool(&json, event, true);
	reply_write_context(&json, context);
	return json_write_close(&json);
}

int reply_context_created(struct buf *out, const char *context)
{
	return reply_write_context_event(out, "context_created", context);
}

int reply_context_final(struct buf *out, const char *context)
{
	return reply_write_context_event(out, "final", context);
}

static void reply_write_cost(struct json_write *json, const struct reply_usage *usage)
{
	if (!usage->cost_known) {
		json_write_null(json, "cost_cents");
		json_write_bool(json, "cost_unavailable", true);
		return;
	}
	json_write_decimal(json, "cost_cents", usage->cost_microcents, COST_DECIMALS);
	if (usage->currency)
		reply_write_str(json, "currency", usage->currency);
	if (usage->has_default_price)
		json_write_bool(json, "default_price", true);
}

static void reply_write_usage(struct json_write *json, const struct reply_usage *usage)
{
	json_write_object(json, "usage");
	reply_write_seconds(json, "audio_seconds", usage->audio_seconds);
	json_write_unsigned(json, "characters", usage->characters);
	reply_write_cost(json, usage);
	reply_write_str(json, "model_id", usage->model_id);
	if (usage->cut_short_by)
		reply_write_str(json, "cut_short_by", usage->cut_short_by);
	if (usage->turn_id)
		reply_write_str(json, "turn_id", usage->turn_id);
	if (usage->turn_ids) {
		json_write_list(json, "turn_ids");
		for (size_t i = 0; i < usage->turn_ids_len; i += strlen(usage->turn_ids + i) + 1)
			reply_write_str(json, NULL, usage->turn_ids + i);
		json_write_list_end(json);
	}
	json_write_object_end(json);
}

int reply_context_closed(struct buf *out, const char *context, const struct reply_usage *usage)
{
	struct json_write json;

	json_write_open(&json, out);
	json_write_bool(&json, "context_closed", true);
	reply_write_context(&json, context);
	reply_write_usage(&json, usage);
	return json_write_close(&json);
}

int reply_multi_closed(struct buf *out, double total_audio_seconds)
{
	struct json_write json;

	json_write_open(&json, out);
	json_write_bool(&json, "session_closed", true);
	reply_write_seconds(&json, "total_audio_seconds", total_audio_seconds);
	return json_write_close(&json);
}

int reply_session_closed(struct buf *out, const struct reply_totals *totals,
			 const struct reply_usage *usage)
{
	struct json_write json;

	json_write_open(&json, out);
	json_write_bool(&json, "session_closed", true);
	reply_write_totals(&json, totals);
	reply_write_usage(&json, usage);
	return json_write_close(&json);
}

/* Writes those updatable settings whose bits are in `which`.  temperature and language have no
 * value until one is given. */
static void reply_write_settings(struct json_write *json, const struct settings *settings,
				 unsigned which)
{
	if (which & SETTING_CFG_SCALE)
		json_write_double(json, "cfg_scale", settings->cfg_scale, SETTING_DECIMALS);
	if (settings->set & which & SETTING_TEMPERATURE)
		json_write_double(json, "temperature", settings->temperature, SETTING_DECIMALS);
	else if (which & SETTING_TEMPERATURE)
		json_write_null(json, "temperature");
	if (which & SETTING_MAX_NEW_TOKENS)
		json_write_unsigned(json, "max_new_tokens", settings->max_new_tokens);
	if (settings->set & which & SETTING_LANGUAGE)
		reply_write_str(json, "language", settings->language);
	else if (which & SETTING_LANGUAGE)
		json_write_null(json, "language");
	if (which & SETTING_NORMALIZE)
		json_write_bool(json, "normalize", settings->normalize);
	if (which & SETTING_SPEED)
		json_write_double(json, "speed", settings->speed, SETTING_DECIMALS);
}

static int reply_write_updated(struct buf *out, const struct settings *settings, unsigned which)
{
	struct json_write json;

	json_write_open(&json, out);
	json_write_bool(&json, "settings_updated", true);
	json_write_object(&json, "settings");
	reply_write_settings(&json, settings, which);
	json_write_object_end(&json);
	return json_write_close(&json);
}

int reply_settings_updated(struct buf *out, const struct settings *settings)
{
	return reply_write_updated(out, settings, UINT_MAX);
}

int reply_defaults_updated(struct buf *out, const struct settings *settings)
{
	return reply_write_updated(out, settings, settings->set);
}

static void reply_write_debug(struct json_write *json, const struct reply_request *request)
{
	json_write_object(json, "debug");
	json_write_string(json, "original_text", request->text, request->text_len);
	if (request->first_audio_ms < 0)
		json_write_null(json, "ttfa_ms");
	else
		json_write_double(json, "ttfa_ms", request->first_audio_ms, MS_DECIMALS);
	json_write_double(json, "speed", request->speed, SETTING_DECIMALS);
	json_write_object_end(json);
}

int reply_once_final(struct buf *out, const struct reply_request *request,
		     const struct reply_usage *usage)
{
	double dur_ms = (double)request->samples * 1000.0 / request->sample_rate;
	struct json_write json;

	json_write_open(&json, out);
	json_write_bool(&json, "final", true);
	json_write_unsigned(&json, "chunks", request->frames);
	json_write_unsigned(&json, "total_samples", request->samples);
	json_write_double(&json, "dur_ms", dur_ms, MS_DECIMALS);
	json_write_double(&json, "gen_ms", request->gen_ms, GEN_MS_DECIMALS);
	json_write_double(&json, "rtf", dur_ms > 0 ? request->gen_ms / dur_ms : 0.0,
			  SETTING_DECIMALS);
	reply_write_debug(&json, request);
	reply_write_usage(&json, usage);
	return json_write_close(&json);
}

int reply_error(struct buf *out, const char *context, const struct wire_notice *notice)
{
	const struct wire_error *error = wire_error_get(notice->id);
	bool has_detail = notice->detail && notice->detail[0];
	char text[384]; /* longer details are truncated */
	struct json_write json;

	snprintf(text, sizeof(text), "%s%s%s", error->text, has_detail ? ": " : "",
		 has_detail ? notice->detail : "");
	json_write_open(&json, out);
	reply_write_str(&json, "error", text);
	reply_write_str(&json, "error_code", error->code);
	json_write_unsigned(&json, "code", (unsigned)error->number);
	if (notice->retry_s)
		json_write_unsigned(&json, "retry_after", notice->retry_s);
	reply_write_context(&json, context);
	if (notice->request_id)
		reply_write_str(&json, "request_id", notice->request_id);
	return json_write_close(&json);
}

int reply_interrupted(struct buf *out, const char *context, const struct reply_interruption *report)
{
	struct json_write json;

	json_write_open(&json, out);
	json_write_bool(&json, "interrupted", true);
	reply_write_context(&json, context);
	if (report) {
		reply_write_seconds(&json, "audio_seconds", report->audio_seconds);
		json_write_string(&json, "text_spoken", report->text_spoken,
				  report->text_spoken_len);
		json_write_string(&json, "text_remaining", report->text_remaining,
				  report->text_remaining_len);
		if (report->usage)
			reply_write_usage(&json, report->usage);
	}
	return json_write_close(&json);
}
