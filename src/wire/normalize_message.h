/*
 * normalize_message.h: parses the request body of POST /v1/normalize.
 */
#ifndef WIRE_NORMALIZE_MESSAGE_H
#define WIRE_NORMALIZE_MESSAGE_H

#include "wire/rest_body.h"
#include "wire/settings.h"

#define NORMALIZE_MESSAGE_TEXT_MAX 10000 /* code points */

struct normalize_message {
	struct rest_body body;
	const char *text; /* inside the body; ends with a NUL */
	const char *language_text;
	char language[SETTINGS_LANGUAGE_SIZE]; /* "en" if none was given */
};

/* The keys of the body, which the descriptions of the API also use. */
extern const struct rest_form normalize_message_table;

/* Returns EINVAL with the fault filled in. */
int normalize_message_parse(struct normalize_message *message, struct stream_fault *fault,
			    char *json, size_t len);

#endif
