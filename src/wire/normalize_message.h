/*
 * normalize_message.h: what a client may say to POST /v1/normalize.
 */
#ifndef WIRE_NORMALIZE_MESSAGE_H
#define WIRE_NORMALIZE_MESSAGE_H

#include "wire/rest_body.h"
#include "wire/settings.h"

#define NORMALIZE_MESSAGE_TEXT_MAX 10000 /* code points */

struct normalize_message {
	struct rest_body body;
	const char *text; /* inside the body, with a NUL behind it */
	const char *language_text;
	char language[SETTINGS_LANGUAGE_SIZE]; /* "en" when none was given */
};

extern const struct rest_table normalize_message_table;

/* EINVAL with the fault filled in. */
int normalize_message_parse(struct normalize_message *message, struct stream_fault *fault,
			    char *json, size_t len);

#endif
