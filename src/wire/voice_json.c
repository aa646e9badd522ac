/*
 * voice_json.c: voices as REST clients see them (see voice_json.h).
 */
#include "wire/voice_json.h"

#include <stdio.h>
#include <string.h>

static void write_languages(struct json_write *json, const char *languages)
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

/* Clients in Python refuse words of sex and age that they do not know, so what
 * is unknown is null. */
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
	write_languages(json, voice->languages);
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

static void write_labels(struct json_write *json, const struct voice_json *voice)
{
	size_t len = strcspn(voice->languages, ",");

	json_write_object(json, "labels");
	if (len > 0)
		json_write_string(json, "language", voice->languages, len);
	if (voice->sex)
		json_write_text(json, "gender", voice->sex);
	if (voice->age)
		json_write_text(json, "age", voice->age);
	json_write_object_end(json);
}

static void write_empty_list(struct json_write *json, const char *key)
{
	json_write_list(json, key);
	json_write_list_end(json);
}

void voice_json_write_settings(struct json_write *json, double speed)
{
	json_write_double(json, "stability", 0.5, 2);
	json_write_double(json, "similarity_boost", 0.75, 2);
	json_write_double(json, "style", 0, 2);
	json_write_bool(json, "use_speaker_boost", true);
	json_write_double(json, "speed", speed, 3);
}

/* Each voice speaks its languages with every model. */
static void write_verified_languages(struct json_write *json, const char *languages)
{
	json_write_list(json, "verified_languages");
	while (*languages) {
		size_t len = strcspn(languages, ",");

		json_write_object(json, NULL);
		json_write_string(json, "language", languages, len);
		json_write_text(json, "model_id", "eleven_multilingual_v2");
		json_write_null(json, "accent");
		json_write_null(json, "locale");
		json_write_null(json, "preview_url");
		json_write_object_end(json);
		languages += len + (languages[len] == ',');
	}
	json_write_list_end(json);
}

/* What is not cloned is premade or generated. */
const char *voice_json_elevenlabs_category(const struct voice_json *voice)
{
	return voice->base_id ? "generated" : "premade";
}

/* Their ids are strings, and their category has other words. */
void voice_json_write_elevenlabs(struct json_write *json, const struct voice_json *voice)
{
	char id[24];

	snprintf(id, sizeof(id), "%lld", (long long)voice->id);
	json_write_text(json, "voice_id", id);
	json_write_text(json, "name", voice->name);
	json_write_text(json, "category", voice_json_elevenlabs_category(voice));
	json_write_text(json, "description", voice->description);
	write_labels(json, voice);
	json_write_text(json, "preview_url", voice->sample_url);
	write_empty_list(json, "samples");
	write_empty_list(json, "available_for_tiers");
	write_empty_list(json, "high_quality_base_model_ids");
	write_verified_languages(json, voice->languages);
	json_write_object(json, "settings");
	voice_json_write_settings(json, voice->rate > 0 ? voice->rate : 1);
	json_write_object_end(json);
	json_write_null(json, "sharing");
	json_write_bool(json, "is_owner", voice->base_id != 0);
	json_write_bool(json, "is_legacy", false);
	if (voice->created_ms)
		json_write_signed(json, "created_at_unix", voice->created_ms / 1000);
	else
		json_write_null(json, "created_at_unix");
}
