/*
 * voice_json.c: voices as REST clients see them (see voice_json.h).
 */
#include "wire/voice_json.h"

#include <string.h>

static void voice_json_write_languages(struct json_write *json, const char *languages)
{
	json_write_list(json, "supported_languages");
	while (*languages) {
		size_t len = strcspn(languages, ",");

		json_write_string(json, NULL, languages, len);
		languages += len + (languages[len] == ',');
	}
	json_write_list_end(json);
}

bool voice_json_has_language(const char *languages, const char *code)
{
	while (*languages) {
		size_t len = strcspn(languages, ",");

		if (strlen(code) == len && memcmp(languages, code, len) == 0)
			return true;
		languages += len + (languages[len] == ',');
	}
	return false;
}

/* An unknown sex or age is null, because Python clients refuse values that they do not know. */
void voice_json_write(struct json_write *json, const struct voice_json *voice)
{
	json_write_signed(json, "id", voice->id);
	json_write_signed(json, "voice_id", voice->id);
	json_write_text(json, "handle", voice->handle);
	json_write_null(json, "public_id");
	json_write_text(json, "name", voice->name);
	json_write_text(json, "description", voice->description);
	json_write_text(json, "category", voice->category);
	json_write_text(json, "sex", voice->sex);
	json_write_text(json, "age", voice->age);
	json_write_text(json, "quality", voice->quality);
	voice_json_write_languages(json, voice->languages);
	json_write_text(json, "sample_url", voice->sample_url);
	json_write_null(json, "avatar_url");
	json_write_bool(json, "is_public", voice->is_public);
	json_write_text(json, "availability", voice->availability);
	if (voice->engine)
		json_write_text(json, "engine", voice->engine);
	if (voice->licence)
		json_write_text(json, "licence", voice->licence);
	if (!voice->base_id)
		return;
	json_write_signed(json, "base_voice_id", voice->base_id);
	json_write_double(json, "pitch", voice->pitch, 3);
	json_write_double(json, "rate", voice->rate, 3);
	json_write_text(json, "variant", voice->variant);
}

void voice_json_write_detail(struct json_write *json, const struct voice_json *voice)
{
	voice_json_write(json, voice);
	json_write_text(json, "generative_voice_description",
			voice->generative_description ? voice->generative_description : "");
	json_write_bool(json, "verified", false);
	json_write_bool(json, "pending_verification", false);
	json_write_text(json, "sample_text", voice->sample_text ? voice->sample_text : "");
}
