/*
 * voice_json.h: voices as REST clients see them, in the native shape and in
 * ElevenLabs' own.
 */
#ifndef WIRE_VOICE_JSON_H
#define WIRE_VOICE_JSON_H

#include "wire/json_write.h"

/* What may be known of a voice; strings that are NULL are not. */
struct voice_json {
	int64_t id;
	const char *handle, *name;
	const char *description;
	const char *category;
	const char *sex, *age;
	const char *quality;
	const char *languages; /* "de" or "de,en" */
	const char *sample_url;
	const char *availability; /* "ready", or why it is not what the id stands for */
	const char *generative_description;
	const char *sample_text;
	bool is_public;
	const char *engine, *licence; /* NULL: not asked for */

	/* Of one that is derived from another; 0: it is not. */
	int64_t base_id;
	double pitch, rate;
	const char *variant;
	int64_t created_ms; /* 0: not known */
};

/* The members of an object that is open. */
void voice_json_write(struct json_write *json, const struct voice_json *voice);
void voice_json_write_detail(struct json_write *json, const struct voice_json *voice);
void voice_json_write_elevenlabs(struct json_write *json, const struct voice_json *voice);

/* ElevenLabs' settings of a voice: all but the speed are their defaults. */
void voice_json_write_settings(struct json_write *json, double speed);

/* Their word for what it is: premade or generated. */
const char *voice_json_elevenlabs_category(const struct voice_json *voice);

/* Whether a list "de,en" has this code. */
bool voice_json_has_language(const char *languages, const char *code);

#endif
