/*
 * engine_json.c: speech engines as ElevenLabs' clients see them (see engine_json.h).
 *
 * A resource is the stored configuration, merged into the defaults.  Clients throw an exception if a
 * member that they expect is missing, so all of them are written.
 */
#include "doors/elevenlabs/engine_json.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "doors/elevenlabs/engine_id.h"
#include "doors/elevenlabs/engine_settings.h"

/* A configuration with its defaults; `given` owns nodes that have been merged into `complete`. */
struct engine_json_config {
	struct json_tree *complete, *given;
};

static int engine_json_open(struct engine_json_config *config, const char *text, size_t len)
{
	struct stream_fault fault;
	int err = engine_settings_defaults(&config->complete);

	if (!err)
		err = json_tree_parse(&config->given, &fault, text, len);
	if (!err)
		engine_settings_complete(json_tree_root(config->complete),
					 json_tree_root(config->given));
	return err;
}

static void engine_json_close(struct engine_json_config *config)
{
	mem_deref(config->given);
	mem_deref(config->complete);
}

static void engine_json_write_access(struct json_write *json, bool is_own, int64_t project_id)
{
	char creator[32] = "configuration";

	if (project_id)
		snprintf(creator, sizeof(creator), "project-%lld", (long long)project_id);
	json_write_object(json, "access_info");
	json_write_bool(json, "is_creator", is_own);
	json_write_text(json, "creator_name", creator);
	json_write_text(json, "creator_email", "");
	json_write_text(json, "role", project_id ? "admin" : "viewer");
	json_write_object_end(json);
}

static void engine_json_write_metadata(struct json_write *json, int64_t created_ms,
				       int64_t updated_ms)
{
	json_write_object(json, "metadata");
	json_write_signed(json, "created_at_unix_secs", created_ms / 1000);
	json_write_signed(json, "updated_at_unix_secs", updated_ms / 1000);
	json_write_object_end(json);
}

int engine_json_write(struct json_write *json, const struct store_speech_engine *row, bool is_own)
{
	struct engine_json_config config = {NULL, NULL};
	char id[ENGINE_ID_SIZE];
	int err = engine_json_open(&config, row->config, strlen(row->config));

	if (!err) {
		engine_id_show(id, row->id);
		json_write_text(json, "speech_engine_id", id);
		json_write_text(json, "name", row->name);
		json_tree_write_members(json, json_tree_root(config.complete));
		engine_json_write_metadata(json, row->created_ms, row->updated_ms);
		engine_json_write_access(json, is_own, row->project_id);
		json_write_text(json, "signing_key_id", row->key_prefix);
	}
	engine_json_close(&config);
	return err;
}

/* Writes what a list shows of a configuration. */
static int engine_json_write_summary(struct json_write *json, const char *text, size_t len)
{
	struct engine_json_config config = {NULL, NULL};
	const struct json_node *tts, *voice, *tags;
	int err = engine_json_open(&config, text, len);

	if (!err) {
		tts = json_tree_get(json_tree_root(config.complete), "tts");
		voice = tts ? json_tree_get(tts, "voice_id") : NULL;
		tags = json_tree_get(json_tree_root(config.complete), "tags");
		json_write_text(json, "voice_id", voice ? voice->value.text : "");
		json_write_list(json, "tags");
		for (const struct json_node *tag = tags ? tags->child : NULL; tag; tag = tag->next)
			json_write_string(json, NULL, tag->value.text, tag->value.len);
		json_write_list_end(json);
	}
	engine_json_close(&config);
	return err;
}

int engine_json_write_item(struct json_write *json, const struct store_speech_engine *row,
			   bool is_own)
{
	char id[ENGINE_ID_SIZE];
	int err;

	engine_id_show(id, row->id);
	json_write_object(json, NULL);
	json_write_text(json, "speech_engine_id", id);
	json_write_text(json, "name", row->name);
	err = engine_json_write_summary(json, row->config, strlen(row->config));
	json_write_signed(json, "created_at_unix_secs", row->created_ms / 1000);
	engine_json_write_access(json, is_own, row->project_id);
	json_write_object_end(json);
	return err;
}

int engine_json_write_agent_item(struct json_write *json, const struct engine_json_agent *agent)
{
	int err;

	json_write_object(json, NULL);
	json_write_text(json, "speech_engine_id", agent->name);
	json_write_text(json, "name", agent->name);
	err = engine_json_write_summary(json, "{}", 2);
	json_write_signed(json, "created_at_unix_secs", 0);
	engine_json_write_access(json, false, 0);
	json_write_object_end(json);
	return err;
}

int engine_json_write_agent(struct json_write *json, const struct engine_json_agent *agent)
{
	struct engine_json_config config = {NULL, NULL};
	struct json_write given;
	struct buf text;
	int err;

	buf_init(&text, 4096);
	json_write_open(&given, &text);
	json_write_object(&given, "speech_engine");
	json_write_text(&given, "ws_url", agent->url ? agent->url : "");
	json_write_object_end(&given);
	if (agent->language[0])
		json_write_text(&given, "language", agent->language);
	err = json_write_close(&given);
	if (!err)
		err = engine_json_open(&config, text.bytes, text.len);
	if (!err) {
		json_write_text(json, "speech_engine_id", agent->name);
		json_write_text(json, "name", agent->name);
		json_tree_write_members(json, json_tree_root(config.complete));
		engine_json_write_metadata(json, 0, 0);
		engine_json_write_access(json, false, 0);
	}
	engine_json_close(&config);
	buf_reset(&text);
	return err;
}
