/*
 * fuzz_engine_message.c: any bytes as a message of a speech engine, and as its token.
 *
 * Checked: slices are inside the message and are UTF-8; an event_id that is echoed is JSON that is
 * read as the same id again; a message that is refused has a reason; and a token, signed or not, is
 * accepted only if its claims are valid.
 */
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "base/utf8.h"
#include "doors/elevenlabs/elevenlabs.h"
#include "wire/engine_answer.h"
#include "wire/engine_message.h"

#define MUST(condition)                                                                            \
	do {                                                                                       \
		if (!(condition))                                                                  \
			abort();                                                                   \
	} while (0)

struct bounds {
	const char *from, *to;
};

static void check_slice(struct bounds bounds, const char *text, size_t len)
{
	struct utf8_state state = {0};

	if (!text)
		return;
	MUST(text >= bounds.from && text + len <= bounds.to);
	MUST(utf8_check(&state, text, len) && utf8_is_complete(&state));
}

static void check_echo(const struct engine_event *event)
{
	char json[ENGINE_EVENT_MAX + 128];
	struct engine_message again;
	const char *why;
	int n = snprintf(json, sizeof(json),
			 "{\"type\":\"user_transcript\",\"user_transcript\":[],\"event_id\":%s}",
			 event->text[0] ? event->text : "null");

	MUST(engine_message_parse(&again, &why, json, (size_t)n) == 0);
	MUST(strcmp(again.event.text, event->text) == 0);
	MUST(again.event.is_number == event->is_number && again.event.number == event->number);
	engine_message_reset(&again);
}

static void check_message(const uint8_t *bytes, size_t len)
{
	char *json = malloc(len ? len : 1); /* the exact size, for the sanitizer */
	struct bounds bounds = {json, json + len};
	struct engine_message message;
	const char *why = NULL;

	MUST(json);
	if (len > 0)
		memcpy(json, bytes, len);
	if (engine_message_parse(&message, &why, json, len) != 0) {
		MUST(why);
	} else {
		check_slice(bounds, message.conversation_id, message.conversation_id_len);
		check_slice(bounds, message.reason, message.reason_len);
		MUST(message.turns_len <= ENGINE_TURNS_MAX);
		for (size_t i = 0; i < message.turns_len; ++i)
			check_slice(bounds, message.turns[i].text, message.turns[i].len);
		check_echo(&message.event);
		engine_message_reset(&message);
	}
	free(json);
}

static void check_answer(const uint8_t *bytes, size_t len)
{
	char *json = malloc(len ? len : 1);
	struct bounds bounds = {json, json + len};
	struct engine_answer answer;

	MUST(json);
	if (len > 0)
		memcpy(json, bytes, len);
	if (engine_answer_parse(&answer, json, len) == 0) {
		if (answer.len > 0)
			check_slice(bounds, answer.text, answer.len);
		if (answer.reason_len > 0)
			check_slice(bounds, answer.reason, answer.reason_len);
	}
	free(json);
}

static size_t put(char *out, const void *bytes, size_t n)
{
	size_t len = base64_encode(out, bytes, n);

	for (size_t i = 0; i < len; ++i)
		out[i] = out[i] == '+' ? '-' : out[i] == '/' ? '_' : out[i];
	while (len > 0 && out[len - 1] == '=')
		--len;
	return len;
}

/* The header is what precedes the first newline; the payload is the rest. */
static void sign(char *token, const struct engine_token_keys *keys, const uint8_t *bytes,
		 size_t len)
{
	const uint8_t *split = memchr(bytes, '\n', len);
	size_t head = split ? (size_t)(split - bytes) : 0;
	unsigned char mac[32];
	size_t n = put(token, bytes, head);

	token[n++] = '.';
	n += put(token + n, bytes + head, len - head);
	MUST(HMAC(EVP_sha256(), keys->digests[0], sizeof(keys->digests[0]),
		  (const unsigned char *)token, n, mac, NULL));
	token[n++] = '.';
	n += put(token + n, mac, sizeof(mac));
	token[n] = '\0';
}

static void check_token(const uint8_t *bytes, size_t len)
{
	struct engine_token_keys keys;
	char *plain = strndup((const char *)bytes, len);
	char *token = malloc(2 * len + 128);
	const char *why;

	MUST(plain && token && engine_token_keys(&keys, &elevenlabs_engine_tokens, "sk_fuzz") == 0);
	MUST(engine_token_check(&keys, plain, 1700000000, &why) != 0 && why);
	sign(token, &keys, bytes, len);
	if (engine_token_check(&keys, token, 1700000000, &why) == 0)
		MUST(strstr(plain, "iss") || strstr(plain, "\\u"));
	free(plain);
	free(token);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	check_message(bytes, len);
	check_answer(bytes, len);
	if (len > 0)
		check_token(bytes, len);
	return 0;
}
