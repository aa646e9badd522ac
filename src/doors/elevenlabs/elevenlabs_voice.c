/*
 * elevenlabs_voice.c: voices in ElevenLabs' shape: GET /v1/voices and /v1/voices/{id}.
 *
 * The catalogue is in memory, so these are answered at once.  Runs on the loop.
 */
#include "doors/elevenlabs/elevenlabs.h"

#include <stdio.h>
#include <string.h>

#include "server/resource.h"
#include "server/voice_view.h"

static void elevenlabs_voice_write_labels(struct json_write *json, const struct voice_json *voice)
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

static void elevenlabs_voice_write_empty_list(struct json_write *json, const char *key)
{
	json_write_list(json, key);
	json_write_list_end(json);
}

void elevenlabs_voice_write_settings(struct json_write *json, double speed)
{
	json_write_double(json, "stability", 0.5, 2);
	json_write_double(json, "similarity_boost", 0.75, 2);
	json_write_double(json, "style", 0, 2);
	json_write_bool(json, "use_speaker_boost", true);
	json_write_double(json, "speed", speed, 3);
}

/* A voice speaks its languages with every model; one entry per language is enough for clients. */
static void elevenlabs_voice_write_verified_languages(struct json_write *json,
						      const char *languages)
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

/* There are no cloned voices, so a voice is either premade or generated (derived from another). */
const char *elevenlabs_voice_category(const struct voice_json *voice)
{
	return voice->base_id ? "generated" : "premade";
}

void elevenlabs_voice_write(struct json_write *json, const struct voice_json *voice)
{
	char id[24];

	snprintf(id, sizeof(id), "%lld", (long long)voice->id);
	json_write_text(json, "voice_id", id);
	json_write_text(json, "name", voice->name);
	json_write_text(json, "category", elevenlabs_voice_category(voice));
	json_write_text(json, "description", voice->description);
	elevenlabs_voice_write_labels(json, voice);
	json_write_text(json, "preview_url", voice->sample_url);
	elevenlabs_voice_write_empty_list(json, "samples");
	elevenlabs_voice_write_empty_list(json, "available_for_tiers");
	elevenlabs_voice_write_empty_list(json, "high_quality_base_model_ids");
	elevenlabs_voice_write_verified_languages(json, voice->languages);
	json_write_object(json, "settings");
	elevenlabs_voice_write_settings(json, voice->rate > 0 ? voice->rate : 1);
	json_write_object_end(json);
	json_write_null(json, "sharing");
	json_write_bool(json, "is_owner", voice->base_id != 0);
	json_write_bool(json, "is_legacy", false);
	if (voice->created_ms)
		json_write_signed(json, "created_at_unix", voice->created_ms / 1000);
	else
		json_write_null(json, "created_at_unix");
}

static void elevenlabs_voice_write_all(struct json_write *json, const struct route_call *call,
				       const void *arg)
{
	const struct voice *voice;
	size_t at = 0;

	(void)arg;
	json_write_list(json, "voices");
	while ((voice = voice_view_next(call->server, &at))) {
		struct voice_view view;

		if (!voice_is_for(voice, call->key->project_id))
			continue;
		voice_view_fill(&view, call->server, voice);
		json_write_object(json, NULL);
		elevenlabs_voice_write(json, &view.json);
		json_write_object_end(json);
	}
	json_write_list_end(json);
}

void elevenlabs_voice_list(const struct route_call *call)
{
	resource_answer(call, 200, elevenlabs_voice_write_all, NULL);
}

static void elevenlabs_voice_write_one(struct json_write *json, const struct route_call *call,
				       const void *voice)
{
	struct voice_view view;

	voice_view_fill(&view, call->server, voice);
	elevenlabs_voice_write(json, &view.json);
}

void elevenlabs_voice_get(const struct route_call *call)
{
	const struct voice *voice = voice_view_find(call);

	if (voice)
		resource_answer(call, 200, elevenlabs_voice_write_one, voice);
	else
		answer_error(call, services_unknown_voice(&call->server->services), NULL);
}
