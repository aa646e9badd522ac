/*
 * fuzz_call_message.c: any message of a caller's client, of any vendor's API, is accepted or refused
 * cleanly.
 *
 * The first byte chooses the API, and whether the call has begun; the rest is the message.  Checked: what
 * was accepted is inside the message and is UTF-8; settings keep their limits; a refusal has a reason and
 * changes no setting; replies with what was received are JSON.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/utf8.h"
#include "doors/elevenlabs/convai.h"
#include "doors/elevenlabs/elevenlabs_body.h"
#include "doors/twilio/twilio.h"

#define MUST(condition)                                                                            \
	do {                                                                                       \
		if (!(condition))                                                                  \
			abort();                                                                   \
	} while (0)

static const struct call_api *const apis[] = {&elevenlabs_convai_api, &twilio_api};
static const char first_message[] = "Hello {{name}}, {{ n }}.";

static bool is_utf8(const char *text, size_t len)
{
	struct utf8_state state = {0};

	return utf8_check(&state, text, len) && utf8_is_complete(&state);
}

/* The copy was made with memcpy, so that the padding is equal, too. */
static bool is_same(const void *a, const void *b, size_t len)
{
	return memcmp(a, b, len) == 0;
}

static void check_slice(const char *json, size_t json_len, const char *text, size_t len)
{
	if (!text)
		return;
	MUST(text >= json && text + len <= json + json_len);
	MUST(is_utf8(text, len));
}

static void check_variables(const struct call_variables *variables)
{
	size_t strings = 0;

	MUST(variables->len <= sizeof(variables->bytes));
	for (size_t i = 0; i < variables->len; ++i)
		strings += variables->bytes[i] == '\0';
	MUST(strings % 2 == 0);
	MUST(variables->len == 0 || variables->bytes[variables->len - 1] == '\0');
}

#define CHECK_TEXT(text)                                                                           \
	do {                                                                                       \
		MUST(memchr(text, '\0', sizeof(text)));                                            \
		MUST(is_utf8(text, strlen(text)));                                                 \
	} while (0)

static void check_settings(const struct call_settings *settings)
{
	CHECK_TEXT(settings->first_message);
	CHECK_TEXT(settings->voice_name);
	CHECK_TEXT(settings->language);
	CHECK_TEXT(settings->keywords);
	check_variables(&settings->variables);
	MUST(settings->speed >= ELEVENLABS_BODY_SPEED_MIN &&
	     settings->speed <= ELEVENLABS_BODY_SPEED_MAX);
	MUST(settings->wants < CALL_WANTS_PING << 1);
}

static void check_json(struct buf *out, int err)
{
	struct json json;
	struct json_value value;

	MUST(err == 0);
	if (out->len > 0) {
		json_open(&json, out->bytes, out->len);
		MUST(json_value(&json, &value) == 0 && value.kind == JSON_KIND_OBJECT);
		json_skip(&json, &value);
		MUST(json_close(&json) == 0);
	}
	buf_reset(out);
}

static void check_replies(const struct call_dialect *dialect, const struct call_message *message,
			  const struct call_settings *settings, const struct stream_fault *fault)
{
	const struct call_info info = {
		.id = "conv_1", .stream = message->stream, .settings = settings};
	const struct wire_notice notice = {.id = fault->id, .detail = fault->detail};
	const char *text = message->text ? message->text : "";
	struct buf out;

	buf_init(&out, 16u * 1024u * 1024u);
	check_json(&out, dialect->started(&out, &info));
	check_json(&out, dialect->audio(&out, &info, 1, (const uint8_t *)text, message->text_len));
	check_json(&out, dialect->interrupted(&out, &info, message->number));
	if (dialect->agent_words)
		check_json(&out, dialect->agent_words(&out, &info, 1, text, message->text_len));
	if (dialect->error && fault->id != WIRE_ERROR_NONE)
		check_json(&out, dialect->error(&out, &info, &notice));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	static struct call_settings settings;
	static struct call_settings before;
	struct call_message message = {.kind = CALL_MESSAGE_IGNORED};
	struct stream_fault fault = {.id = WIRE_ERROR_NONE};
	const struct call_api *api;
	bool has_begun;
	char *json;
	int err;

	if (len < 1)
		return 0;
	api = apis[bytes[0] % COUNT(apis)];
	has_begun = bytes[0] & 2;
	settings = call_settings_default;
	settings.allows_first_message = bytes[0] & 4;
	if (bytes[0] & 8)
		memcpy(settings.first_message, first_message, sizeof(first_message));
	memcpy(&before, &settings, sizeof(before));
	json = malloc(len); /* the exact size; one byte remains for an empty message */
	MUST(json);
	memcpy(json, bytes + 1, len - 1);
	err = api->parse(&message, has_begun ? NULL : &settings, &fault, json, len - 1);
	MUST((err != 0) == (fault.id != WIRE_ERROR_NONE));
	if (err || message.kind != CALL_MESSAGE_START || has_begun)
		MUST(is_same(&before, &settings, sizeof(before)));
	if (err) {
		MUST(fault.detail[0] != '\0');
		message = (struct call_message){.kind = CALL_MESSAGE_IGNORED};
	}
	check_settings(&settings);
	check_slice(json, len - 1, message.audio, message.audio_len);
	check_slice(json, len - 1, message.text, message.text_len);
	CHECK_TEXT(message.stream);
	check_replies(api->dialect, &message, &settings, &fault);
	free(json);
	return 0;
}
