/*
 * fuzz_voice_message.c: whatever body is sent for a derived voice is taken or
 * refused cleanly.
 *
 * The first byte says whether the voice is new.  What was taken lies within the
 * body, ends with a NUL there and is within its limits; a refusal says why.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "wire/voice_message.h"

#define MUST(condition)                                                                            \
	do {                                                                                       \
		if (!(condition))                                                                  \
			abort();                                                                   \
	} while (0)

static char *json; /* the body */
static size_t json_len;

static void check_text(const char *text, size_t min, size_t max)
{
	struct utf8_state state = {0};
	size_t len;

	if (!text)
		return;
	MUST(text >= json && text < json + json_len);
	len = strnlen(text, (size_t)(json + json_len - text));
	MUST(text + len < json + json_len);
	MUST(utf8_check(&state, text, len) && utf8_is_complete(&state));
	MUST(utf8_count(text, len) >= min && utf8_count(text, len) <= max);
}

static void check(const struct voice_message *message, bool is_new)
{
	MUST(!is_new || (message->name && (message->base_id > 0 || message->base_handle)));
	check_text(message->name, 1, VOICE_MESSAGE_NAME_MAX);
	check_text(message->base_handle, 1, json_len);
	check_text(message->variant, 1, 15);
	check_text(message->description, 0, VOICE_MESSAGE_TEXT_MAX);
	check_text(message->generative_description, 0, VOICE_MESSAGE_TEXT_MAX);
	check_text(message->sample_text, 0, VOICE_MESSAGE_TEXT_MAX);
	MUST(message->pitch >= -12 && message->pitch <= 12);
	MUST(message->rate >= 0.5 && message->rate <= 2);
	MUST(strnlen(message->languages, sizeof(message->languages)) < sizeof(message->languages));
	MUST(!message->category || voice_message_has_category(message->category));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	struct voice_message message;
	struct stream_fault fault;
	bool is_new;

	if (len < 1)
		return 0;
	is_new = bytes[0] & 1;
	json_len = len - 1;
	json = malloc(json_len ? json_len : 1); /* exactly as long, for the sanitizer */
	MUST(json);
	if (json_len > 0)
		memcpy(json, bytes + 1, json_len);
	if (bytes[0] & 2) {
		if (voice_message_parse_settings(&message, &fault, json, json_len) == 0)
			check(&message, false);
	} else if (voice_message_parse(&message, &fault, json, json_len, is_new) == 0)
		check(&message, is_new);
	else
		MUST(fault.id != WIRE_ERROR_NONE && fault.detail[0] != '\0');
	free(json);
	return 0;
}
