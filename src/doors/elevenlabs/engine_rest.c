/*
 * engine_rest.c: /v1/speech-engine: the speech engines of a project, one at a time (the list is in
 * engine_list.c).
 *
 * The agents of the configuration are shown here too, by their names, but cannot be changed.  Functions
 * whose names contain "work" run on the store's thread (see store_request.h), and so does what they
 * call; the routes at the end run on the loop, where voices and agents are known.
 */
#include "doors/elevenlabs/engine_rest.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "account/secret.h"
#include "base/clock.h"
#include "base/count.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "doors/elevenlabs/elevenlabs.h"
#include "doors/elevenlabs/elevenlabs_voice_ids.h"
#include "doors/elevenlabs/engine_id.h"
#include "doors/elevenlabs/engine_json.h"
#include "doors/elevenlabs/engine_settings.h"
#include "server/request_url.h"

#define NAME_DEFAULT "Speech engine" /* clients need not send a name */
#define NAME_KEY "name"
#define SIGNING_KEY "signing_key_id"
#define CHANGE_TRIES 5 /* in case others change the same resource at the same time */

const struct store_subject engine_rest_subject = {
	.lane = ASYNC_STORE_QUERIES,
	.failure = WIRE_ERROR_NO_STORE,
};

const struct resource_refusal engine_rest_refusals[] = {
	{ENOENT, WIRE_ERROR_ENGINE_NOT_FOUND, ""},
	{EDQUOT, WIRE_ERROR_INVALID_REQUEST,
	 "the project has " RESOURCE_NUMBER(STORE_SPEECH_ENGINES_MAX) " speech engines"},
	{0, WIRE_ERROR_NONE, NULL},
};

/* A resource that is being written.  Strings that it owns are freed by engine_rest_reset. */
struct engine_rest_draft {
	struct store_speech_engine row; /* `name` and `config` point to what is below */
	char id[STORE_SPEECH_ENGINE_ID_LEN + 1];
	char name[STORE_SPEECH_ENGINE_NAME_MAX + 1];
	char key_prefix[STORE_KEY_PREFIX_LEN + 1];
	struct buf config;
};

static void engine_rest_reset(struct engine_rest_draft *draft)
{
	buf_reset(&draft->config);
}

/* Copies a row of the store into a draft. */
static bool engine_rest_take(const struct store_speech_engine *row, void *arg)
{
	struct engine_rest_draft *draft = arg;

	draft->row = *row;
	snprintf(draft->id, sizeof(draft->id), "%s", row->id);
	snprintf(draft->name, sizeof(draft->name), "%s", row->name);
	snprintf(draft->key_prefix, sizeof(draft->key_prefix), "%s", row->key_prefix);
	draft->row.id = draft->id;
	draft->row.name = draft->name;
	draft->row.key_prefix = draft->key_prefix;
	draft->config.len = 0;
	if (buf_append(&draft->config, row->config, strlen(row->config) + 1) != 0)
		draft->config.len = 0;
	draft->row.config = draft->config.bytes;
	return true;
}

/* Reads the resource that the path names into a draft. */
static int engine_rest_find(struct engine_rest_draft *draft, struct store_request *request,
			    struct store *store)
{
	const char *text = request->call.id_texts[0];
	int err = ENOENT;

	if (engine_id_read(draft->id, text, strcspn(text, "/")))
		err = store->ops->speech_engine_get(store, request->key.project_id, draft->id,
						    engine_rest_take, draft);
	if (!err && draft->config.len == 0)
		err = ENOMEM;
	return resource_refuse(request, engine_rest_refusals, err);
}

static int engine_rest_answer(struct store_request *request, const struct engine_rest_draft *draft)
{
	return engine_json_write(&request->json, &draft->row, draft->row.key_id == request->key.id);
}

/* Reads `name`, if it is given, and removes it. */
static int engine_rest_read_name(struct engine_rest_draft *draft, struct store_request *request,
				 struct json_node *given)
{
	const struct json_node *name = json_tree_get(given, NAME_KEY);

	json_tree_remove(given, NAME_KEY);
	if (!name)
		return 0;
	if (name->value.kind != JSON_KIND_STRING || name->value.len == 0 ||
	    name->value.len > STORE_SPEECH_ENGINE_NAME_MAX)
		return fault_value(
			&request->fault, NAME_KEY,
			"a string of 1 to " RESOURCE_NUMBER(STORE_SPEECH_ENGINE_NAME_MAX) " bytes",
			&name->value);
	memcpy(draft->name, name->value.text, name->value.len + 1);
	return 0;
}

/* Reads `signing_key_id`, the prefix of a key of the same project, if it is given, and removes it. */
static int engine_rest_read_key(struct engine_rest_draft *draft, struct store_request *request,
				struct store *store, struct json_node *given)
{
	const struct json_node *prefix = json_tree_get(given, SIGNING_KEY);
	struct store_key key;
	int err = ENOENT;

	json_tree_remove(given, SIGNING_KEY);
	if (!prefix || (prefix->value.kind == JSON_KIND_STRING &&
			strcmp(prefix->value.text, draft->key_prefix) == 0))
		return 0; /* it stays the same */
	if (prefix->value.kind == JSON_KIND_STRING && prefix->value.len == STORE_KEY_PREFIX_LEN)
		err = store->ops->key_find(store, &key, prefix->value.text);
	if (!err && (key.project_id != request->key.project_id || key.revoked_ms))
		err = ENOENT;
	if (err == ENOENT)
		return fault_value(&request->fault, SIGNING_KEY,
				   "the prefix of a key of the project that is not revoked",
				   &prefix->value);
	if (err)
		return err;
	draft->row.key_id = key.id;
	memcpy(draft->key_prefix, key.prefix, sizeof(draft->key_prefix));
	return 0;
}

/* Writes the configuration of a draft and checks it.  Members of an answer that are no part of the
 * configuration are left out, so that a client may send back what it got. */
static int engine_rest_settle(struct engine_rest_draft *draft, struct store_request *request,
			      struct json_node *given)
{
	static const char *const others[] = {"speech_engine_id", "agent_id", "metadata",
					     "access_info"};
	struct json_node clean = {.value.kind = JSON_KIND_OBJECT};
	struct engine_settings *settings = NULL;
	struct json_write json;
	int err;

	for (size_t i = 0; i < COUNT(others); ++i)
		json_tree_remove(given, others[i]);
	json_tree_merge(&clean, given); /* without null */
	draft->config.len = 0;
	json_write_open(&json, &draft->config);
	json_tree_write_members(&json, &clean);
	err = json_write_close(&json);
	if (!err)
		err = buf_append(&draft->config, "", 1);
	if (err == ENOBUFS)
		return fault_set(&request->fault, WIRE_ERROR_INVALID_REQUEST,
				 "the configuration has more than %d bytes",
				 STORE_SPEECH_ENGINE_CONFIG_MAX);
	if (!err)
		err = engine_settings_parse(&settings, &request->fault, draft->config.bytes,
					    draft->config.len - 1);
	if (!err && !settings->call.url[0])
		err = fault_set(&request->fault, WIRE_ERROR_INVALID_REQUEST,
				"speech_engine.ws_url is required");
	mem_deref(settings);
	draft->row.config = draft->config.bytes;
	return err;
}

/* Adds a draft as a new resource, with a new id. */
static int engine_rest_insert(struct engine_rest_draft *draft, struct store_request *request,
			      struct store *store)
{
	int err = secret_random_letters(draft->id, STORE_SPEECH_ENGINE_ID_LEN);

	draft->id[STORE_SPEECH_ENGINE_ID_LEN] = '\0';
	draft->row.id = draft->id;
	draft->row.name = draft->name;
	draft->row.key_prefix = draft->key_prefix;
	draft->row.project_id = request->key.project_id;
	draft->row.created_ms = draft->row.updated_ms = clock_wall_ms();
	if (!err)
		err = store->ops->speech_engine_add(store, &draft->row);
	err = resource_refuse(request, engine_rest_refusals, err);
	return err ? err : engine_rest_answer(request, draft);
}

static int engine_rest_work_add(struct store_request *request, struct store *store)
{
	const struct http_request *http = request->call.request;
	struct engine_rest_draft draft = {.row = {.key_id = request->key.id}, .name = NAME_DEFAULT};
	struct json_tree *body = NULL;
	int err = json_tree_parse(&body, &request->fault, http->body, http->body_len);

	buf_init(&draft.config, STORE_SPEECH_ENGINE_CONFIG_MAX + 1);
	memcpy(draft.key_prefix, request->key.prefix, sizeof(draft.key_prefix));
	if (!err)
		err = engine_rest_read_name(&draft, request, json_tree_root(body));
	if (!err)
		err = engine_rest_read_key(&draft, request, store, json_tree_root(body));
	if (!err)
		err = engine_rest_settle(&draft, request, json_tree_root(body));
	if (!err)
		err = engine_rest_insert(&draft, request, store);
	mem_deref(body);
	engine_rest_reset(&draft);
	return err;
}

static int engine_rest_work_get(struct store_request *request, struct store *store)
{
	struct engine_rest_draft draft = {.id = ""};
	int err;

	buf_init(&draft.config, STORE_SPEECH_ENGINE_CONFIG_MAX + 1);
	err = engine_rest_find(&draft, request, store);
	if (!err)
		err = engine_rest_answer(request, &draft);
	engine_rest_reset(&draft);
	return err;
}

/* Merges the body into what is stored.  ESTALE if it has changed meanwhile. */
static int engine_rest_try_change(struct engine_rest_draft *draft, struct store_request *request,
				  struct store *store)
{
	const struct http_request *http = request->call.request;
	struct json_tree *stored = NULL;
	struct json_tree *patch = NULL;
	int err = json_tree_parse(&patch, &request->fault, http->body, http->body_len);

	if (!err)
		err = engine_rest_find(draft, request, store);
	if (!err)
		err = json_tree_parse(&stored, &request->fault, draft->config.bytes,
				      draft->config.len - 1);
	if (!err)
		err = engine_rest_read_name(draft, request, json_tree_root(patch));
	if (!err)
		err = engine_rest_read_key(draft, request, store, json_tree_root(patch));
	if (!err) {
		json_tree_merge(json_tree_root(stored), json_tree_root(patch));
		err = engine_rest_settle(draft, request, json_tree_root(stored));
	}
	if (!err) {
		draft->row.updated_ms = clock_wall_ms();
		err = store->ops->speech_engine_change(store, request->key.project_id, draft->id,
						       STORE_SPEECH_ENGINE_NAME |
							       STORE_SPEECH_ENGINE_KEY |
							       STORE_SPEECH_ENGINE_CONFIG,
						       &draft->row);
		err = err == ENOENT ? ESTALE : err;
	}
	mem_deref(stored);
	mem_deref(patch);
	return err;
}

static int engine_rest_work_change(struct store_request *request, struct store *store)
{
	struct engine_rest_draft draft = {.id = ""};
	int err = ESTALE;

	buf_init(&draft.config, STORE_SPEECH_ENGINE_CONFIG_MAX + 1);
	for (int i = 0; err == ESTALE && i < CHANGE_TRIES; ++i)
		err = engine_rest_try_change(&draft, request, store);
	if (!err)
		err = engine_rest_answer(request, &draft);
	engine_rest_reset(&draft);
	return err;
}

static int engine_rest_work_remove(struct store_request *request, struct store *store)
{
	char id[STORE_SPEECH_ENGINE_ID_LEN + 1];
	const char *text = request->call.id_texts[0];
	int err = ENOENT;

	if (engine_id_read(id, text, strcspn(text, "/")))
		err = store->ops->speech_engine_remove(store, request->key.project_id, id);
	return resource_refuse(request, engine_rest_refusals, err);
}

/* A copy is signed with the key of the original, because the same server of the developer answers. */
static int engine_rest_work_duplicate(struct store_request *request, struct store *store)
{
	static const char ending[] = " (copy)";
	const struct http_request *http = request->call.request;
	struct engine_rest_draft draft = {.id = ""};
	struct json_tree *body = NULL;
	size_t len;
	int err = 0;

	buf_init(&draft.config, STORE_SPEECH_ENGINE_CONFIG_MAX + 1);
	if (http->body_len > 0)
		err = json_tree_parse(&body, &request->fault, http->body, http->body_len);
	if (!err)
		err = engine_rest_find(&draft, request, store);
	if (!err) {
		len = utf8_cut(draft.name, strlen(draft.name),
			       STORE_SPEECH_ENGINE_NAME_MAX - strlen(ending));
		memcpy(draft.name + len, ending, sizeof(ending));
	}
	if (!err && body)
		err = engine_rest_read_name(&draft, request, json_tree_root(body));
	if (!err)
		err = engine_rest_insert(&draft, request, store);
	mem_deref(body);
	engine_rest_reset(&draft);
	return err;
}

/* The routes, which run on the loop. */

struct agent *engine_rest_agent(const struct route_call *call, const char *id, size_t len)
{
	char name[PARAM_NAME_SIZE];

	if (len >= sizeof(name))
		return NULL;
	memcpy(name, id, len);
	name[len] = '\0';
	return agents_find_name(call->server->agents, name);
}

/* Whether the voice that the body names exists.  If not, the request has been answered.  A body that
 * cannot be read is left to others to refuse. */
static bool engine_rest_has_voice(const struct route_call *call)
{
	struct stream_fault fault;
	struct json_tree *body = NULL;
	const struct json_node *tts, *voice = NULL;
	bool is_there = true;

	if (json_tree_parse(&body, &fault, call->request->body, call->request->body_len) != 0)
		return true;
	tts = json_tree_get(json_tree_root(body), "tts");
	if (tts && tts->value.kind == JSON_KIND_OBJECT)
		voice = json_tree_get(tts, "voice_id");
	if (voice && voice->value.kind == JSON_KIND_STRING)
		is_there = elevenlabs_voice_ids_find(call->server->config,
						     call->server->services.voices,
						     call->key->project_id, voice->value.text,
						     voice->value.len) != NULL;
	if (!is_there)
		answer_error(call, services_unknown_voice(&call->server->services), "tts.voice_id");
	mem_deref(body);
	return is_there;
}

/* Whether the path names a resource of the store.  If not, the request has been answered. */
static bool engine_rest_may_write(const struct route_call *call)
{
	const char *id = call->id_texts[0];

	if (!engine_rest_agent(call, id, strcspn(id, "/")))
		return true;
	answer_error(call, WIRE_ERROR_ENGINE_IS_FIXED,
		     "it is an agent of the server's configuration, which the operator changes");
	return false;
}

static void engine_rest_write_agent(struct json_write *json, const struct route_call *call,
				    const void *arg)
{
	const struct agent *agent = arg;
	char base[REQUEST_URL_SIZE];
	char url[REQUEST_URL_SIZE + PARAM_STRING_SIZE];

	if (request_url_socket(base, call) != 0)
		base[0] = '\0';
	snprintf(url, sizeof(url), "%s%s", base, agent->path);
	json->err |= engine_json_write_agent(json, &(struct engine_json_agent){
							   .name = agent->totals->name,
							   .language = agent->language,
							   .url = base[0] ? url : NULL,
						   });
}

void engine_rest_get(const struct route_call *call)
{
	const char *id = call->id_texts[0];
	const struct agent *agent = engine_rest_agent(call, id, strcspn(id, "/"));

	if (agent)
		resource_answer(call, 200, engine_rest_write_agent, agent);
	else
		store_request_run(call, &engine_rest_subject, engine_rest_work_get, NULL);
}

void engine_rest_add(const struct route_call *call)
{
	if (engine_rest_has_voice(call))
		store_request_run(call, &engine_rest_subject, engine_rest_work_add, NULL);
}

void engine_rest_change(const struct route_call *call)
{
	if (engine_rest_may_write(call) && engine_rest_has_voice(call))
		store_request_run(call, &engine_rest_subject, engine_rest_work_change, NULL);
}

void engine_rest_remove(const struct route_call *call)
{
	if (engine_rest_may_write(call))
		store_request_run(call, &engine_rest_subject, engine_rest_work_remove, NULL);
}

void engine_rest_duplicate(const struct route_call *call)
{
	if (engine_rest_may_write(call))
		store_request_run(call, &engine_rest_subject, engine_rest_work_duplicate, NULL);
}
