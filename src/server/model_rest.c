/*
 * model_rest.c: GET /v1/models, in the shapes of three vendors, and what is below it.
 *
 * Which engine speaks is the voice's business, so a model is only a name that
 * clients send.  KugelAudio's and OpenAI's keys stand side by side in one object;
 * ElevenLabs' clients get a bare list.
 */
#include <string.h>

#include "base/count.h"
#include "server/server_private.h"
#include "wire/json_write.h"
#include "wire/settings.h"

#define INPUT_MAX 10000 /* characters */
#define SAMPLE_RATE 24000
#define CREATED 1735689600 /* 2025-01-01: nobody looks at it, but it must be a time */

static const struct {
	const char *id, *name, *description;
} models[] = {
	{"kugel-3", "Kugel 3", "Most Natural"},
	{"kugel-3.5", "Kugel 3.5", "Latest"},
};

static const char *const openai_ids[] = {"tts-1", "tts-1-hd", "gpt-4o-mini-tts"};

struct elevenlabs_model {
	const char *id, *name;
	bool is_english; /* what the name promises; with it too, the voice decides */
};

static const struct elevenlabs_model elevenlabs_models[] = {
	{"eleven_v3", "Eleven v3", false},
	{"eleven_multilingual_v2", "Eleven Multilingual v2", false},
	{"eleven_flash_v2_5", "Eleven Flash v2.5", false},
	{"eleven_flash_v2", "Eleven Flash v2", true},
	{"eleven_turbo_v2_5", "Eleven Turbo v2.5", false},
	{"eleven_turbo_v2", "Eleven Turbo v2", true},
	{"eleven_multilingual_v1", "Eleven Multilingual v1", false},
	{"eleven_monolingual_v1", "Eleven English v1", true},
	{"kugel-3", "Kugel 3", false},
	{"kugel-3.5", "Kugel 3.5", false},
};

static void write_models(struct json_write *json)
{
	json_write_list(json, "models");
	for (size_t i = 0; i < COUNT(models); ++i) {
		json_write_object(json, NULL);
		json_write_text(json, "id", models[i].id);
		json_write_text(json, "model_id", models[i].id);
		json_write_text(json, "name", models[i].name);
		json_write_text(json, "description", models[i].description);
		json_write_null(json, "parameters");
		json_write_signed(json, "max_input_length", INPUT_MAX);
		json_write_signed(json, "sample_rate", SAMPLE_RATE);
		json_write_object_end(json);
	}
	json_write_list_end(json);
}

static void write_openai_members(struct json_write *json, const char *id)
{
	json_write_text(json, "id", id);
	json_write_text(json, "object", "model");
	json_write_signed(json, "created", CREATED);
	json_write_text(json, "owned_by", "syrinx");
}

static void write_openai_model(struct json_write *json, const char *id)
{
	json_write_object(json, NULL);
	write_openai_members(json, id);
	json_write_object_end(json);
}

static void model_rest_write_name(struct json_write *json, const char *id, const char *name)
{
	json_write_object(json, NULL);
	json_write_text(json, "id", id);
	json_write_text(json, "name", name);
	json_write_object_end(json);
}

static int write_native(struct buf *out)
{
	struct json_write json;

	json_write_open(&json, out);
	write_models(&json);
	json_write_text(&json, "object", "list");
	json_write_list(&json, "data");
	for (size_t i = 0; i < COUNT(openai_ids); ++i)
		write_openai_model(&json, openai_ids[i]);
	for (size_t i = 0; i < COUNT(models); ++i)
		write_openai_model(&json, models[i].id);
	json_write_list_end(&json);
	return json_write_close(&json);
}

static void write_languages(struct json_write *json, bool is_english)
{
	const struct settings_language *languages = settings_languages;

	json_write_list(json, "languages");
	for (size_t i = 0; languages[i].name && (i == 0 || !is_english); ++i) {
		json_write_object(json, NULL);
		json_write_text(json, "language_id", languages[i].code);
		json_write_text(json, "name", languages[i].name);
		json_write_object_end(json);
	}
	json_write_list_end(json);
}

static int write_elevenlabs_model(struct buf *out, const struct elevenlabs_model *model)
{
	struct json_write json;

	json_write_open(&json, out);
	json_write_text(&json, "model_id", model->id);
	json_write_text(&json, "name", model->name);
	json_write_text(&json, "description", "Spoken by the voice's own engine");
	json_write_bool(&json, "can_be_finetuned", false);
	json_write_bool(&json, "can_do_text_to_speech", true);
	json_write_bool(&json, "can_do_voice_conversion", false);
	json_write_bool(&json, "can_use_style", false);
	json_write_bool(&json, "can_use_speaker_boost", false);
	json_write_bool(&json, "serves_pro_voices", false);
	json_write_double(&json, "token_cost_factor", 1.0, 1);
	json_write_bool(&json, "requires_alpha_access", false);
	json_write_signed(&json, "max_characters_request_free_user", INPUT_MAX);
	json_write_signed(&json, "max_characters_request_subscribed_user", INPUT_MAX);
	json_write_signed(&json, "maximum_text_length_per_request", INPUT_MAX);
	write_languages(&json, model->is_english);
	return json_write_close(&json);
}

static int write_elevenlabs(struct buf *out)
{
	int err = buf_append(out, "[", 1);

	for (size_t i = 0; i < COUNT(elevenlabs_models) && !err; ++i) {
		err = i > 0 ? buf_append(out, ",", 1) : 0;
		if (!err)
			err = write_elevenlabs_model(out, &elevenlabs_models[i]);
	}
	return err ? err : buf_append(out, "]", 1);
}

static void model_rest_answer(const struct route_call *call, const struct buf *out, int err)
{
	if (err)
		answer_error(call, WIRE_ERROR_INTERNAL, NULL);
	else
		answer_json(call, 200, out->bytes, out->len);
}

void model_rest_list(const struct route_call *call)
{
	struct buf *out = &call->server->scratch;

	out->len = 0;
	model_rest_answer(call, out, write_native(out));
}

void model_rest_list_elevenlabs(const struct route_call *call)
{
	struct buf *out = &call->server->scratch;

	out->len = 0;
	model_rest_answer(call, out, write_elevenlabs(out));
}

/* Open WebUI and others ask here for the names that they offer. */
void model_rest_list_audio(const struct route_call *call)
{
	struct buf *out = &call->server->scratch;
	struct json_write json;

	out->len = 0;
	json_write_open(&json, out);
	json_write_list(&json, "models");
	for (size_t i = 0; i < COUNT(openai_ids); ++i)
		model_rest_write_name(&json, openai_ids[i], openai_ids[i]);
	for (size_t i = 0; i < COUNT(models); ++i)
		model_rest_write_name(&json, models[i].id, models[i].name);
	json_write_list_end(&json);
	model_rest_answer(call, out, json_write_close(&json));
}

static const char *model_rest_find(const char *id)
{
	size_t len = strcspn(id, "/");

	for (size_t i = 0; i < COUNT(openai_ids); ++i) {
		if (strlen(openai_ids[i]) == len && memcmp(openai_ids[i], id, len) == 0)
			return openai_ids[i];
	}
	for (size_t i = 0; i < COUNT(models); ++i) {
		if (strlen(models[i].id) == len && memcmp(models[i].id, id, len) == 0)
			return models[i].id;
	}
	return NULL;
}

void model_rest_get(const struct route_call *call)
{
	struct buf *out = &call->server->scratch;
	const char *id = model_rest_find(call->id_texts[0]);
	struct json_write json;

	if (!id) {
		answer_error(call, WIRE_ERROR_MODEL_NOT_FOUND, NULL);
		return;
	}
	out->len = 0;
	json_write_open(&json, out);
	write_openai_members(&json, id);
	model_rest_answer(call, out, json_write_close(&json));
}
