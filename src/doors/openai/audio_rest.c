/*
 * audio_rest.c: GET /v1/audio/voices: the list of voices for programs that use OpenAI's API.
 *
 * OpenAI has no such list; Open WebUI and others request it from servers like this one, most of
 * them without a key.  Without a key the answer is the catalogue; with a key that may list voices
 * it also contains the voices of the key's project.  Runs on the loop.
 */
#include "doors/openai/openai.h"

#include <stdio.h>
#include <string.h>

#include "server/resource.h"
#include "server/voice_view.h"

void audio_rest_write_members(struct json_write *json, const struct voice_json *voice)
{
	char id[24];

	snprintf(id, sizeof(id), "%lld", (long long)voice->id);
	json_write_text(json, "id", id);
	json_write_text(json, "object", "voice");
	json_write_text(json, "name", voice->name);
}

/* Everyone may see the catalogue; only keys that may list voices see derived voices. */
static bool audio_rest_may_see(const struct route_call *call, const struct voice *voice)
{
	return !voice->base_id || (call->key && (call->key->scopes & AUTH_SEE_VOICES) &&
				   voice_is_for(voice, call->key->project_id));
}

static void audio_rest_write_voice(struct json_write *json, const struct voice_json *voice,
				   const char *id, const char *name)
{
	json_write_object(json, NULL);
	json_write_text(json, "id", id);
	json_write_text(json, "name", name);
	json_write_string(json, "language", voice->languages, strcspn(voice->languages, ","));
	json_write_text(json, "gender", voice->sex);
	json_write_object_end(json);
}

/* OpenAI's names are listed first, because programs that were set up for OpenAI use one of them. */
static void audio_rest_write_names(struct json_write *json, const struct route_call *call)
{
	const struct voices *voices = call->server->services.voices;
	const char *name;

	for (size_t i = 0; (name = openai_body_voice_name(i)); ++i) {
		const struct voice *voice = NULL;
		struct voice_view view;

		for (const int64_t *id = openai_body_voice(name, strlen(name)); *id && !voice; ++id)
			voice = voices_find(voices, *id);
		if (!voice)
			continue;
		voice_view_fill(&view, call->server, voice);
		audio_rest_write_voice(json, &view.json, name, name);
	}
}

static void audio_rest_write_catalogue(struct json_write *json, const struct route_call *call)
{
	const struct voice *voice;
	size_t at = 0;

	while ((voice = voice_view_next(call->server, &at))) {
		struct voice_view view;
		char id[24];

		if (!audio_rest_may_see(call, voice))
			continue;
		voice_view_fill(&view, call->server, voice);
		snprintf(id, sizeof(id), "%lld", (long long)voice->id);
		audio_rest_write_voice(json, &view.json, id, view.json.name);
	}
}

static void audio_rest_write(struct json_write *json, const struct route_call *call,
			     const void *arg)
{
	(void)arg;
	json_write_list(json, "voices");
	audio_rest_write_names(json, call);
	audio_rest_write_catalogue(json, call);
	json_write_list_end(json);
}

void audio_rest_voices(const struct route_call *call)
{
	resource_answer(call, 200, audio_rest_write, NULL);
}
