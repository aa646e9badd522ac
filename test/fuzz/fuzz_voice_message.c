/*
 * fuzz_voice_message.c: any body of a request about a derived voice is accepted or refused cleanly.
 *
 * The first byte chooses whether the voice is new.  Checked: what was accepted is inside the body,
 * is terminated with a NUL, and is within its limits; a refusal has a reason.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "doors/elevenlabs/elevenlabs.h"
#include "server/voice_form.h"

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

static void check(const struct voice_form *form, bool is_new)
{
	MUST(!is_new || (form->row.name && (form->row.base_id > 0 || form->base_handle)));
	check_text(form->row.name, 1, VOICE_FORM_NAME_MAX);
	check_text(form->base_handle, 1, json_len);
	check_text(form->row.variant, 1, 15);
	check_text(form->row.description, 0, VOICE_FORM_TEXT_MAX);
	check_text(form->row.generative_description, 0, VOICE_FORM_TEXT_MAX);
	check_text(form->row.sample_text, 0, VOICE_FORM_TEXT_MAX);
	MUST(form->row.pitch >= -12 && form->row.pitch <= 12);
	MUST(form->row.rate >= 0.5 && form->row.rate <= 2);
	MUST(strnlen(form->languages, sizeof(form->languages)) < sizeof(form->languages));
	MUST(!form->row.category || voice_form_has_category(form->row.category));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	struct voice_form form;
	struct stream_fault fault;
	bool is_new;

	if (len < 1)
		return 0;
	is_new = bytes[0] & 1;
	json_len = len - 1;
	json = malloc(json_len ? json_len : 1); /* the exact size, for the sanitizer */
	MUST(json);
	if (json_len > 0)
		memcpy(json, bytes + 1, json_len);
	if (bytes[0] & 2) {
		if (voice_form_read_as(&form, &fault, json, json_len, &voice_settings_table) == 0)
			check(&form, false);
	} else if (voice_form_read(&form, &fault, json, json_len, is_new) == 0)
		check(&form, is_new);
	else
		MUST(fault.id != WIRE_ERROR_NONE && fault.detail[0] != '\0');
	free(json);
	return 0;
}
