/*
 * openai_models.c: models in OpenAI's shape: GET /v1/models/{id}, /v1/audio/models, and members of
 * the native list.
 *
 * The voice determines which engine speaks, so a model that speaks is only a name that clients send:
 * one of OpenAI's or a native one.  Models that listen are those that are installed, and have members
 * beside OpenAI's that other servers have too (`task`, `language`).  Runs on the loop.
 */
#include "doors/openai/openai.h"

#include <stdio.h>
#include <string.h>

#include "doors/kugelaudio/kugelaudio.h"
#include "server/resource.h"

#define CREATED 1735689600 /* 2025-01-01: clients only require that it is a time */

static const char *const ids[] = {"tts-1", "tts-1-hd", "gpt-4o-mini-tts", NULL};

static void openai_models_write(struct json_write *json, const struct route_call *call,
				const void *id)
{
	(void)call;
	json_write_text(json, "id", id);
	json_write_text(json, "object", "model");
	json_write_signed(json, "created", CREATED);
	json_write_text(json, "owned_by", "syrinx");
}

static void openai_models_write_element(struct json_write *json, const char *id)
{
	json_write_object(json, NULL);
	openai_models_write(json, NULL, id);
	json_write_object_end(json);
}

/* The members of a model that listens.  No languages: it knows any. */
static void openai_models_write_listener(struct json_write *json, const struct route_call *call,
					 const void *arg)
{
	const struct hearing_model *model = arg;
	const char *code = model->languages;

	openai_models_write(json, call, model->name);
	json_write_text(json, "name", model->title[0] ? model->title : model->name);
	json_write_text(json, "task", "automatic-speech-recognition");
	json_write_list(json, "language");
	while (*(code += strspn(code, " "))) {
		size_t len = strcspn(code, " ");

		json_write_string(json, NULL, code, len);
		code += len;
	}
	json_write_list_end(json);
	json_write_bool(json, "partials", model->has_partials);
}

static const struct hearing_models *openai_models_listeners(const struct route_call *call)
{
	const struct hearing *hearing = call->server->services.hearing;

	return hearing ? hearing->models : NULL;
}

void openai_models_write_list(struct json_write *json, const struct route_call *call)
{
	const struct hearing_models *listeners = openai_models_listeners(call);
	size_t count = listeners ? hearing_models_count(listeners) : 0;

	json_write_text(json, "object", "list");
	json_write_list(json, "data");
	for (size_t i = 0; ids[i]; ++i)
		openai_models_write_element(json, ids[i]);
	for (size_t i = 0; kugelaudio_model_table[i].id; ++i)
		openai_models_write_element(json, kugelaudio_model_table[i].id);
	for (size_t i = 0; i < count; ++i) {
		json_write_object(json, NULL);
		openai_models_write_listener(json, call, hearing_models_at(listeners, i));
		json_write_object_end(json);
	}
	json_write_list_end(json);
}

static void openai_models_write_name(struct json_write *json, const char *id, const char *name)
{
	json_write_object(json, NULL);
	json_write_text(json, "id", id);
	json_write_text(json, "name", name);
	json_write_object_end(json);
}

static void openai_models_write_names(struct json_write *json, const struct route_call *call,
				      const void *arg)
{
	const struct kugelaudio_model *native = kugelaudio_model_table;

	(void)call;
	(void)arg;
	json_write_list(json, "models");
	for (size_t i = 0; ids[i]; ++i)
		openai_models_write_name(json, ids[i], ids[i]);
	for (size_t i = 0; native[i].id; ++i)
		openai_models_write_name(json, native[i].id, native[i].name);
	json_write_list_end(json);
}

/* Open WebUI and others read the names here that they offer to their users. */
void openai_models_list_audio(const struct route_call *call)
{
	resource_answer(call, 200, openai_models_write_names, NULL);
}

static const char *openai_models_find(const char *id)
{
	const struct kugelaudio_model *native = kugelaudio_model_table;
	size_t len = strcspn(id, "/");

	for (size_t i = 0; ids[i]; ++i) {
		if (strlen(ids[i]) == len && memcmp(ids[i], id, len) == 0)
			return ids[i];
	}
	for (size_t i = 0; native[i].id; ++i) {
		if (strlen(native[i].id) == len && memcmp(native[i].id, id, len) == 0)
			return native[i].id;
	}
	return NULL;
}

void openai_models_get(const struct route_call *call)
{
	const char *id = openai_models_find(call->id_texts[0]);
	const struct hearing_models *listeners = openai_models_listeners(call);
	const struct hearing_model *listener = NULL;
	size_t len = strcspn(call->id_texts[0], "/");
	char name[HEARING_NAME_MAX];

	if (!id && listeners && len < sizeof(name)) {
		snprintf(name, sizeof(name), "%.*s", (int)len, call->id_texts[0]);
		listener = hearing_models_find(listeners, name);
	}
	if (id)
		resource_answer(call, 200, openai_models_write, id);
	else if (listener)
		resource_answer(call, 200, openai_models_write_listener, listener);
	else
		answer_error(call, WIRE_ERROR_MODEL_NOT_FOUND, NULL);
}
