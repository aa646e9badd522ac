/*
 * audio_rest.c: GET /v1/audio/voices: the voices in the form that programs with OpenAI's API
 * read.
 *
 * OpenAI has no such list; Open WebUI and others ask servers like this one for it, most of them
 * without a key.  Such a request sees the catalogue; one whose key may list voices also sees the
 * voices of its project.
 */
#include "doors/openai/openai.h"

#include <stdio.h>
#include <string.h>

#include "server/server_private.h"
#include "server/voice_view.h"

#define ANSWER_MAX (4u * 1024 * 1024) /* 10,000 voices with long names */

/* The catalogue is for everyone, derived voices for keys that may list voices. */
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

/* OpenAI's names come first: programs that were set up for OpenAI have one of them. */
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
	const struct voices *voices = call->server->services.voices;

	size_t count = voices_count(voices);

	for (size_t i = 0; i < 2 * count; ++i) {
		const struct voice *voice = voices_at(voices, i % count);
		struct voice_view view;
		char id[24];

		if (voice_engine_is_for_tests(voice->engine) != (i >= count) ||
		    !audio_rest_may_see(call, voice))
			continue;
		voice_view_fill(&view, call->server, voice);
		snprintf(id, sizeof(id), "%lld", (long long)voice->id);
		audio_rest_write_voice(json, &view.json, id, view.json.name);
	}
}

void audio_rest_voices(const struct route_call *call)
{
	struct json_write json;
	struct buf out;

	buf_init(&out, ANSWER_MAX);
	json_write_open(&json, &out);
	json_write_list(&json, "voices");
	audio_rest_write_names(&json, call);
	audio_rest_write_catalogue(&json, call);
	json_write_list_end(&json);
	if (json_write_close(&json) == 0)
		answer_json(call, 200, out.bytes, out.len);
	else
		answer_error(call, WIRE_ERROR_INTERNAL, NULL);
	buf_reset(&out);
}
