/*
 * speech_body.h: reading a request for speech by a table of its keys.
 *
 * What HTTP's doors have in common: a JSON object with a text and how it is to
 * be said.  Each door has a table of its own keys; what they say becomes the
 * settings that all speech has.  null is as absent.  Strings are slices of the
 * body, which is overwritten.
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
	struct settings settings; /* ended by settings_reset, also after a fault */
	const char *text;
	size_t text_len;
	const char *voice; /* an id or a handle; NULL: the settings', or none */
	size_t voice_len;
	const int64_t *voice_choices; /* NULL, or ids up to a 0: the first that is there */
	const struct speech_form *form; /* that it asks for; NULL: the API's default */
	bool wants_wav; /* what would be PCM is a WAV file of the same rate */
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
	speech_field_h *read; /* its value is whole, or a list or object that was opened */
	double min, max; /* of a number, or of a text's length */
};

struct speech_keys {
	const struct speech_field *fields;
	size_t count;
	bool is_strict; /* other keys are faults; else they are passed over */
};

/* How a door reads its body: 0, or EINVAL with the fault filled in. */
typedef int(speech_body_h)(struct speech_body *body, struct stream_fault *fault, char *json,
			   size_t len);

/* The whole body.  text_name is what its text is called. */
int speech_body_read(struct speech_body *body, struct stream_fault *fault,
		     const struct speech_keys *keys, const char *text_name, char *json, size_t len);

/* For the tables.  The first is the text: min to max characters, one of them no blank. */
speech_field_h speech_body_text, speech_body_voice;
speech_field_h speech_body_setting; /* as settings.c has it, under the same name */
speech_field_h speech_body_speed; /* min to max, whatever settings.c takes */

/* Inside a field: the members of the object that its value has opened. */
int speech_body_members(struct speech_reader *reader, const struct speech_field *field,
			const struct speech_keys *keys, const struct json_value *value);

/* A setting of settings.c under a name of its own. */
int speech_body_set(struct speech_reader *reader, const char *name, const struct json_value *value);

#endif
