/*
 * elevenlabs_models.c: GET /v1/models in ElevenLabs' shape, which is a list without an object
 * around it.
 *
 * The voice determines which engine speaks, so a model is only a name that clients send.  Runs on
 * the loop.
 */
#include "doors/elevenlabs/elevenlabs.h"

#include "base/count.h"
#include "doors/elevenlabs/elevenlabs_body.h"
#include "doors/kugelaudio/kugelaudio.h"
#include "server/server_private.h"
#include "wire/json_write.h"
#include "wire/settings.h"

static const struct {
	const char *id, *name;
	bool is_english; /* lists only English, as ElevenLabs does; any voice can be used with it */
} models[] = {
	{"eleven_v3", "Eleven v3", false},
	{"eleven_multilingual_v2", "Eleven Multilingual v2", false},
	{"eleven_flash_v2_5", "Eleven Flash v2.5", false},
	{"eleven_flash_v2", "Eleven Flash v2", true},
	{"eleven_turbo_v2_5", "Eleven Turbo v2.5", false},
	{"eleven_turbo_v2", "Eleven Turbo v2", true},
	{"eleven_multilingual_v1", "Eleven Multilingual v1", false},
	{"eleven_monolingual_v1", "Eleven English v1", true},
};

static void elevenlabs_models_write_languages(struct json_write *json, bool is_english)
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

static int elevenlabs_models_write(struct buf *out, const char *id, const char *name,
				   bool is_english)
{
	struct json_write json;

	json_write_open(&json, out);
	json_write_text(&json, "model_id", id);
	json_write_text(&json, "name", name);
	json_write_text(&json, "description", "Spoken by the voice's own engine");
	json_write_bool(&json, "can_be_finetuned", false);
	json_write_bool(&json, "can_do_text_to_speech", true);
	json_write_bool(&json, "can_do_voice_conversion", false);
	json_write_bool(&json, "can_use_style", false);
	json_write_bool(&json, "can_use_speaker_boost", false);
	json_write_bool(&json, "serves_pro_voices", false);
	json_write_double(&json, "token_cost_factor", 1.0, 1);
	json_write_bool(&json, "requires_alpha_access", false);
	json_write_signed(&json, "max_characters_request_free_user", ELEVENLABS_BODY_TEXT_MAX);
	json_write_signed(&json, "max_characters_request_subscribed_user",
			  ELEVENLABS_BODY_TEXT_MAX);
	json_write_signed(&json, "maximum_text_length_per_request", ELEVENLABS_BODY_TEXT_MAX);
	elevenlabs_models_write_languages(&json, is_english);
	return json_write_close(&json);
}

void elevenlabs_models_list(const struct route_call *call)
{
	const struct kugelaudio_model *native = kugelaudio_model_table;
	struct buf *out = &call->server->scratch;
	int err;

	out->len = 0;
	err = buf_append(out, "[", 1);
	for (size_t i = 0; i < COUNT(models) && !err; ++i) {
		err = elevenlabs_models_write(out, models[i].id, models[i].name,
					      models[i].is_english);
		if (!err)
			err = buf_append(out, ",", 1);
	}
	for (size_t i = 0; native[i].id && !err; ++i) {
		err = i > 0 ? buf_append(out, ",", 1) : 0;
		if (!err)
			err = elevenlabs_models_write(out, native[i].id, native[i].name, false);
	}
	if (!err)
		err = buf_append(out, "]", 1);
	if (err)
		answer_error(call, WIRE_ERROR_INTERNAL, NULL);
	else
		answer_json(call, 200, out->bytes, out->len);
}
