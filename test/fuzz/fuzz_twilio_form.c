/*
 * fuzz_twilio_form.c: any form of Twilio's requests is split and decoded, or refused, and its signature and
 * its answer are made without looking beyond it.
 *
 * Checked: names and values are inside the form and end there; the answer is not too long for them.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "doors/twilio/twilio.h"

#define MUST(condition)                                                                            \
	do {                                                                                       \
		if (!(condition))                                                                  \
			abort();                                                                   \
	} while (0)

#define LEN_MAX (32u * 1024u)

static void check_inside(const char *text, const char *form, size_t len)
{
	MUST(text >= form && text <= form + len);
	MUST(memchr(text, '\0', len + 1 - (size_t)(text - form)));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	static struct twilio_param params[TWILIO_SIGNATURE_PARAMS_MAX];
	size_t count = 0;
	struct buf out;
	char *form;

	if (len > LEN_MAX)
		return 0;
	form = malloc(len + 1);
	MUST(form);
	if (len > 0)
		memcpy(form, bytes, len);
	form[len] = '\0';
	if (twilio_form_read(&count, params, form, len) == 0) {
		for (size_t i = 0; i < count; ++i) {
			check_inside(params[i].name, form, len);
			check_inside(params[i].value, form, len);
		}
		MUST(!twilio_signature_is_valid("AAAAAAAAAAAAAAAAAAAAAAAAAAA=", "token",
						"https://example.org/", params, count));
		MUST(twilio_form_value(params, count, "From"));
		buf_init(&out, 8u * LEN_MAX + TWILIO_SIGNATURE_PARAMS_MAX * 64u + 1024u);
		MUST(twilio_twiml_connect(&out, "wss://example.org", params, count) == 0);
		buf_reset(&out);
	}
	free(form);
	return 0;
}
