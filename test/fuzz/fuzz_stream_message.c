/*
 * fuzz_stream_message.c: any message of a client is accepted or refused cleanly.
 *
 * The first two bytes choose the half of a surrogate pair that was left over from the text before.
 * Checked: the text of an accepted message is valid UTF-8 inside the message, and its settings are
 * within their ranges; a refusal has a reason.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "wire/reply.h"
#include "wire/stream_message.h"

#define MUST(condition)                                                                            \
	do {                                                                                       \
		if (!(condition))                                                                  \
			abort();                                                                   \
	} while (0)

static bool is_utf8(const char *text, size_t len)
{
	struct utf8_state state = {0};

	return utf8_check(&state, text, len) && utf8_is_complete(&state);
}

static void check_settings(const struct settings *s)
{
	struct audio_format format;

	if (s->set & SETTING_CFG_SCALE)
		MUST(s->cfg_scale >= 1.2 && s->cfg_scale <= 2.5);
	if (s->set & SETTING_TEMPERATURE)
		MUST(s->temperature >= 0 && s->temperature <= 1);
	if (s->set & SETTING_SPEED)
		MUST(s->speed >= 0.8 && s->speed <= 1.2);
	if (s->set & SETTING_MAX_NEW_TOKENS)
		MUST(s->max_new_tokens >= 1 && s->max_new_tokens <= 2048);
	if (s->set & SETTING_LANGUAGE)
		MUST(strnlen(s->language, 4) >= 2 && s->language[3] == '\0');
	if (s->set & SETTING_MODEL_ID)
		MUST(strncmp(s->model_id, "kugel-", 6) == 0);
	if (s->set & SETTING_SCHEDULE)
		MUST(s->schedule_len >= 1 && s->schedule_len <= CHUNKER_SCHEDULE_MAX);
	if (s->dictionary_ids)
		MUST(s->set & SETTING_DICTIONARY_IDS && s->dictionary_ids->count >= 1 &&
		     s->dictionary_ids->count <= SETTINGS_DICTIONARIES_MAX);
	MUST(settings_format(&format, s) == 0);
}

static void check_text(const struct stream_message *message, const char *json, size_t len)
{
	if (!message->has_text)
		return;
	MUST(message->text >= json && message->text + message->text_len <= json + len);
	MUST(is_utf8(message->text, message->text_len));
	MUST(message->text_surrogate == 0 || (message->text_surrogate & 0xfc00) == 0xd800);
}

/* The answer to a refusal must be JSON that our own parser can read. */
static void check_fault(const struct stream_fault *fault)
{
	struct stream_message message;
	struct stream_fault none;
	const struct wire_notice notice = {
		.id = fault->id, .detail = fault->detail, .request_id = "id"};
	struct buf out;

	MUST(fault->id != WIRE_ERROR_NONE && fault->detail[0] != '\0');
	MUST(is_utf8(fault->detail, strlen(fault->detail)));
	buf_init(&out, 4096);
	MUST(reply_error(&out, NULL, &notice) == 0);
	MUST(stream_message_parse(&message, &none, out.bytes, out.len, 0) == 0);
	buf_reset(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	struct stream_message message;
	struct stream_fault fault = {0};
	uint16_t surrogate = 0;
	char *json;

	if (len < 2)
		return 0;
	if (bytes[0] & 1)
		surrogate = (uint16_t)(0xd800 | ((bytes[0] << 8 | bytes[1]) & 0x3ff));
	bytes += 2;
	len -= 2;
	json = malloc(len ? len : 1); /* the exact size, for the sanitizer */
	MUST(json);
	if (len > 0)
		memcpy(json, bytes, len);
	if (stream_message_parse(&message, &fault, json, len, surrogate) == 0) {
		check_text(&message, json, len);
		check_settings(&message.settings);
		check_settings(&message.update);
		if (message.has_text && message.text_len == 0 && surrogate)
			MUST(message.text_surrogate != 0);
		stream_message_reset(&message);
	} else {
		check_fault(&fault);
	}
	free(json);
	return 0;
}
