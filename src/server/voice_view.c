/*
 * voice_view.c: a voice of the catalogue as REST shows it (see voice_view.h).
 */
#include "server/voice_view.h"

#include <stdio.h>
#include <string.h>

#include "base/count.h"
#include "server/resource.h"

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

static void voice_view_fill_derived(struct voice_view *view, const struct voice *voice,
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
		voice_view_fill_derived(view, voice, row);
}

const struct voice *voice_view_next(const struct server *server, size_t *at)
{
	const struct voices *voices = server->services.voices;
	size_t count = voices_count(voices);

	while (*at < 2 * count) {
		size_t i = (*at)++;
		const struct voice *voice = voices_at(voices, i < count ? i : i - count);

		if (voice_engine_is_for_tests(voice->engine) == (i >= count))
			return voice;
	}
	return NULL;
}

static void voice_view_write(struct json_write *json, const struct route_call *call,
			     const void *arg)
{
	struct voice_view view;

	voice_view_fill(&view, call->server, arg);
	voice_json_write_detail(json, &view.json);
}

void voice_view_answer(const struct route_call *call, int status, const struct voice *voice)
{
	resource_answer(call, status, voice_view_write, voice);
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

const struct voice *voice_view_find(const struct route_call *call)
{
	const struct voices *voices = call->server->services.voices;
	int64_t project_id = call->key->project_id;
	const char *name = call->id_texts[0];
	size_t len = strcspn(name, "/");
	const struct voice *voice = voices_find_named(voices, project_id, name, len);

	for (const struct door *const *door = call->server->doors; *door && !voice; ++door) {
		if ((*door)->find_voice)
			voice = (*door)->find_voice(call->server->config, voices, project_id, name,
						    len);
	}
	return voice;
}

const struct voice *voice_view_find_to_change(const struct route_call *call)
{
	const char *name = call->id_texts[0];

	return voices_find_named(call->server->services.voices, call->key->project_id, name,
				 strcspn(name, "/"));
}
