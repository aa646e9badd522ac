/*
 * speech_body.h: reads a request for speech by a table of its keys.
 *
 * The HTTP APIs have in common that a request is a JSON object with a text and how to speak it.
 * Each API has a table of its own keys, which are mapped to the settings that all speech has.  A
 * null value counts as absent.  Strings are slices of the body, which is overwritten.
 */
#ifndef WIRE_SPEECH_BODY_H
#define WIRE_SPEECH_BODY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/json.h"
#include "wire/fault.h"
#include "wire/settings.h"
#include "wire/speech_form.h"

struct speech_body {
	struct settings settings; /* must be released by settings_reset, even after a fault */
	const char *text;
	size_t text_len;
	const char *voice; /* an id or a handle; NULL: the one in the settings, if any */
	size_t voice_len;
	/* NULL, or ids terminated by 0, of which the first that exists is used */
	const int64_t *voice_choices;
	/* The form that the body asks for; NULL: the API's default. */
	const struct speech_form *form;
	bool wants_wav; /* PCM is sent as a WAV file of the same rate */
};

struct speech_reader {
	struct json json;
	struct speech_body *body;
	struct stream_fault *fault;
	struct settings_reader settings;
};

struct speech_field;
typedef int(speech_field_h)(struct speech_reader *reader, const struct speech_field *field,
			    const struct json_value *value);

struct speech_field {
	const char *name;
	speech_field_h *read; /* the value is complete, or a list or object that has been opened */
	double min, max; /* the range of a number, or of a text's length */
};

struct speech_keys {
	const struct speech_field *fields;
	size_t count;
	bool is_strict; /* other keys are faults; otherwise they are ignored */
};

/* Reads an API's body.  Returns 0, or EINVAL with the fault filled in. */
typedef int(speech_body_h)(struct speech_body *body, struct stream_fault *fault, char *json,
			   size_t len);

/* Reads a complete body.  text_name is the name of the key with the text. */
int speech_body_read(struct speech_body *body, struct stream_fault *fault,
		     const struct speech_keys *keys, const char *text_name, char *json, size_t len);

/* Handlers for the tables.  speech_body_text reads a text of min to max characters that are not all
 * blank. */
speech_field_h speech_body_text, speech_body_voice;
speech_field_h speech_body_setting; /* a setting of settings.c with the same name */
speech_field_h speech_body_speed; /* a speed from min to max, whatever range settings.c has */

/* For a field's handler: reads the members of the object that its value has opened. */
int speech_body_members(struct speech_reader *reader, const struct speech_field *field,
			const struct speech_keys *keys, const struct json_value *value);

/* Reads a setting of settings.c that has another name in this API. */
int speech_body_set(struct speech_reader *reader, const char *name, const struct json_value *value);

#endif
