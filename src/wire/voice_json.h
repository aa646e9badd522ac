/*
 * voice_json.h: voices as REST clients see them.
 */
#ifndef WIRE_VOICE_JSON_H
#define WIRE_VOICE_JSON_H

#include "wire/json_write.h"

/* What may be known about a voice; a string is NULL if it is not known. */
struct voice_json {
	int64_t id;
	const char *handle, *name;
	const char *description;
	const char *category;
	const char *sex, *age;
	const char *quality;
	const char *languages; /* "de" or "de,en" */
	const char *sample_url;
	/* "ready", or why the voice is not the one that the id stands for */
	const char *availability;
	const char *generative_description;
	const char *sample_text;
	bool is_public;
	const char *engine, *licence; /* NULL: not requested */

	/* For a voice that is derived from another; base_id is 0 if it is not. */
	int64_t base_id;
	double pitch, rate;
	const char *variant;
	int64_t created_ms; /* 0: not known */
};

/* Write the members of an object that is already open; _detail writes four more, which are only in
 * answers about a single voice. */
void voice_json_write(struct json_write *json, const struct voice_json *voice);
void voice_json_write_detail(struct json_write *json, const struct voice_json *voice);

/* Whether a list such as "de,en" contains this code. */
bool voice_json_has_language(const char *languages, const char *code);

#endif
