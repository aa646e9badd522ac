/*
 * normalize_message.c: parses the request body of POST /v1/normalize (see normalize_message.h).
 */
#include "wire/normalize_message.h"

#include <string.h>

#define LANGUAGE_MAX 16 /* longer than any language tag that clients send */

static const struct rest_field normalize_message_fields[] = {
	{.name = "text",
	 .kind = REST_FIELD_TEXT,
	 .bit = 1,
	 .offset = offsetof(struct normalize_message, text),
	 .min = 1,
	 .max = NORMALIZE_MESSAGE_TEXT_MAX,
	 .is_required = true},
	{.name = "language",
	 .kind = REST_FIELD_TEXT,
	 .bit = 2,
	 .offset = offsetof(struct normalize_message, language_text),
	 .min = 1,
	 .max = LANGUAGE_MAX},
};
const struct rest_form normalize_message_table = {REST_FORM(normalize_message_fields)};

int normalize_message_parse(struct normalize_message *message, struct stream_fault *fault,
			    char *json, size_t len)
{
	struct json_value language = {.kind = JSON_KIND_STRING};
	int err;

	*message = (struct normalize_message){.language = "en"};
	err = rest_body_parse(&message->body, fault, json, len, &normalize_message_table, true);
	if (err || !message->language_text)
		return err;
	language.text = (char *)(uintptr_t)message->language_text;
	language.len = strlen(language.text);
	if (settings_language(message->language, language.text, language.len))
		return fault_value(fault, "language", "the code of a supported language",
				   &language);
	return 0;
}
