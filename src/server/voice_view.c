/*
 * voice_view.c: a voice of the catalogue as REST shows it (see voice_view.h).
 */
#include "server/voice_view.h"

#include <stdio.h>
#include <string.h>

#include "base/count.h"
#include "server/elevenlabs_voices.h"
#include "wire/voice_message.h"

static const char *const sexes[] = {
	[VOICE_SEX_UNKNOWN] = NULL,
	[VOICE_FEMALE] = "female",
	[VOICE_MALE] = "male",
};

static const char *const availabilities[] = {
	[VOICE_READY] = "ready",
	[VOICE_LOADING] = "loading",
	[VOICE_STANDS_IN] = "stand_in",
	[VOICE_UNAVAILABLE] = "unavailable",
};

bool voice_view_is_category(const char *category)
{
	return voice_message_has_category(category);
}

static void fill_derived(struct voice_view *view, const struct voice *voice,
			 const struct store_voice *row)
{
	struct voice_json *json = &view->json;

	json->name = row->name;
	json->description = row->description;
	json->generative_description = row->generative_description;
	json->sample_text = row->sample_text;
	json->category = row->category ? row->category : "designed";
	json->age = row->age;
	json->is_public = row->is_public;
	json->base_id = voice->base_id;
	json->pitch = row->pitch;
	json->rate = row->rate;
	json->variant = row->variant;
	json->created_ms = row->created_ms;
	if (row->sex)
		json->sex = row->sex;
	if (row->quality)
		json->quality = row->quality;
	if (row->languages)
		json->languages = row->languages;
	if (row->sampled_ms) {
		snprintf(view->sample_url, sizeof(view->sample_url), "/v1/voices/%lld/sample",
			 (long long)voice->id);
		json->sample_url = view->sample_url;
	}
}

void voice_view_fill(struct voice_view *view, const struct server *server,
		     const struct voice *voice)
{
	const struct store_voice *row =
		voice->base_id ? derived_voices_find(server->derived, voice->id) : NULL;

	view->json = (struct voice_json){
		.id = voice->id,
		.handle = voice->handle,
		.name = voice->name,
		.category = "premade",
		.sex = sexes[voice->sex],
		.quality = voice_qualities[voice->quality],
		.languages = voice->language,
		.is_public = true,
		.availability = availabilities[voice->status],
	};
	if (row)
		fill_derived(view, voice, row);
}

void voice_view_answer(const struct route_call *call, int status, const struct voice *voice)
{
	struct buf *out = &call->server->scratch;
	struct voice_view view;
	struct json_write json;

	voice_view_fill(&view, call->server, voice);
	out->len = 0;
	json_write_open(&json, out);
	voice_json_write_detail(&json, &view.json);
	if (json_write_close(&json) == 0)
		answer_json(call, status, out->bytes, out->len);
	else
		answer_error(call, WIRE_ERROR_INTERNAL, NULL);
}

bool voice_view_is_own(const struct route_call *call, const struct voice *voice)
{
	if (!voice)
		answer_error(call, services_unknown_voice(&call->server->services), NULL);
	else if (!voice->base_id)
		answer_error(call, WIRE_ERROR_VOICE_IS_FIXED,
			     "voices of the catalogue cannot be changed; derive one from it");
	else if (voice->project_id != call->key->project_id)
		answer_error(call, WIRE_ERROR_FORBIDDEN, "the voice is another project's");
	else
		return true;
	return false;
}

const struct voice *voice_view_named(const struct route_call *call)
{
	const char *name = call->id_texts[0];

	return elevenlabs_voices_find(call->server->config, call->server->services.voices,
				      call->key->project_id, name, strcspn(name, "/"));
}

const struct voice *voice_view_to_change(const struct route_call *call)
{
	const char *name = call->id_texts[0];

	return voices_find_named(call->server->services.voices, call->key->project_id, name,
				 strcspn(name, "/"));
}
