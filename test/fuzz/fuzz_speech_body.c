/*
 * fuzz_speech_body.c: any body that requests speech, of any vendor's API, is accepted or refused
 * cleanly.
 *
 * The first byte chooses the API.  Checked: what was accepted is inside the body, is UTF-8 and is
 * not blank; a refusal has a reason.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "doors/elevenlabs/elevenlabs_body.h"
#include "doors/kugelaudio/kugelaudio.h"
#include "doors/openai/openai.h"
#include "doors/vapi/vapi.h"

#define MUST(condition)                                                                            \
	do {                                                                                       \
		if (!(condition))                                                                  \
			abort();                                                                   \
	} while (0)

static const struct {
	speech_body_h *read;
	size_t text_max;
} doors[] = {
	{generate_body_read, GENERATE_BODY_TEXT_MAX},
	{elevenlabs_body_read, ELEVENLABS_BODY_TEXT_MAX},
	{openai_body_read, OPENAI_BODY_TEXT_MAX},
	{vapi_body_read, VAPI_BODY_TEXT_MAX},
};

static bool is_utf8(const char *text, size_t len)
{
	struct utf8_state state = {0};

	return utf8_check(&state, text, len) && utf8_is_complete(&state);
}

static void check_slice(const char *json, size_t json_len, const char *text, size_t len)
{
	MUST(text >= json && text + len <= json + json_len);
	MUST(is_utf8(text, len));
}

static void check(const struct speech_body *body, const char *json, size_t len, size_t text_max)
{
	struct audio_format format;

	MUST(body->text && body->text_len > 0);
	check_slice(json, len, body->text, body->text_len);
	MUST(utf8_count(body->text, body->text_len) <= text_max);
	if (body->voice && !body->voice_choices) /* one of those may be the usual one */
		check_slice(json, len, body->voice, body->voice_len);
	MUST(settings_format(&format, &body->settings) == 0);
	MUST(audio_format_has_rate(format.sample_rate));
	MUST(body->settings.speed >= 0.25 && body->settings.speed <= 4);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	struct speech_body body;
	struct stream_fault fault = {0};
	size_t door;
	char *json;

	if (len < 1)
		return 0;
	door = bytes[0] % COUNT(doors);
	json = malloc(len); /* the exact size, including the NUL that the HTTP parser appends */
	MUST(json);
	memcpy(json, bytes + 1, len - 1);
	json[len - 1] = '\0';
	if (doors[door].read(&body, &fault, json, len - 1) == 0) {
		check(&body, json, len - 1, doors[door].text_max);
	} else {
		MUST(fault.id != WIRE_ERROR_NONE && fault.detail[0] != '\0');
		MUST(is_utf8(fault.detail, strlen(fault.detail)));
	}
	settings_reset(&body.settings);
	MUST(mem_live() == 0);
	free(json);
	return 0;
}
