/*
 * model_rest.c: GET /v1/models: KugelAudio's and OpenAI's list in one object, so that clients of
 * both can read it.
 *
 * The voice determines which engine speaks, so a model is only a name that clients send.  Runs on
 * the loop.
 */
#include "doors/kugelaudio/kugelaudio.h"
#include "doors/openai/openai.h"
#include "server/resource.h"

#define SAMPLE_RATE 24000

/* The models that KugelAudio lists; clients may name any of settings_model_ids. */
const struct kugelaudio_model kugelaudio_model_table[] = {
	{"kugel-3", "Kugel 3", "Most Natural"},
	{"kugel-3.5", "Kugel 3.5", "Latest"},
	{0},
};

static void model_rest_write(struct json_write *json, const struct route_call *call,
			     const void *arg)
{
	const struct kugelaudio_model *models = kugelaudio_model_table;

	(void)arg;
	json_write_list(json, "models");
	for (size_t i = 0; models[i].id; ++i) {
		json_write_object(json, NULL);
		json_write_text(json, "id", models[i].id);
		json_write_text(json, "model_id", models[i].id);
		json_write_text(json, "name", models[i].name);
		json_write_text(json, "description", models[i].description);
		json_write_null(json, "parameters");
		json_write_signed(json, "max_input_length", GENERATE_BODY_TEXT_MAX);
		json_write_signed(json, "sample_rate", SAMPLE_RATE);
		json_write_object_end(json);
	}
	json_write_list_end(json);
	openai_models_write_list(json, call);
}

void model_rest_list(const struct route_call *call)
{
	resource_answer(call, 200, model_rest_write, NULL);
}
