/*
 * engine_lookup.c: finds a speech engine for a conversation (see engine_lookup.h).
 *
 * An agent of the configuration is found on the loop, but is answered through the store's thread like
 * everything else, so that the handler is never called too early.
 */
#include "doors/elevenlabs/engine_lookup.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "doors/elevenlabs/elevenlabs.h"
#include "server/server_private.h"

struct engine_lookup {
	struct engine_found found;
	struct stream_fault fault;
	char key_prefix[STORE_KEY_PREFIX_LEN + 1];
	engine_lookup_h *handler; /* NULL: cancelled */
	void *arg;
	int err; /* of reading the configuration */
};

static void engine_lookup_destroy(void *object)
{
	struct engine_lookup *lookup = object;

	mem_deref(lookup->found.settings);
	mem_deref(lookup->found.agent);
}

static bool engine_lookup_take(const struct store_speech_engine *row, void *arg)
{
	struct engine_lookup *lookup = arg;

	lookup->found.project_id = row->project_id;
	memcpy(lookup->key_prefix, row->key_prefix, sizeof(lookup->key_prefix));
	lookup->err = engine_settings_parse(&lookup->found.settings, &lookup->fault, row->config,
					    strlen(row->config));
	return true;
}

/* On the store's thread. */
static int engine_lookup_work(struct store *store, void *arg)
{
	struct engine_lookup *lookup = arg;
	struct engine_found *found = &lookup->found;
	char id[STORE_SPEECH_ENGINE_ID_LEN + 1];
	struct store_key key;
	int err;

	if (found->agent)
		return engine_settings_parse(&found->settings, &lookup->fault, "{}", 2);
	if (!engine_id_read(id, found->id, strlen(found->id)))
		return fault_set(&lookup->fault, WIRE_ERROR_ENGINE_NOT_FOUND, "%s", "");
	err = store->ops->speech_engine_get(store, found->project_id, id, engine_lookup_take,
					    lookup);
	if (err == ENOENT)
		return fault_set(&lookup->fault, WIRE_ERROR_ENGINE_NOT_FOUND, "%s", "");
	if (!err)
		err = lookup->err;
	if (!err)
		err = store->ops->key_find(store, &key, lookup->key_prefix);
	if (!err)
		err = engine_token_key_of(&found->keys, &elevenlabs_engine_tokens, &key,
					  clock_wall_ms());
	if (err == EACCES)
		return fault_set(&lookup->fault, WIRE_ERROR_SIGNING_KEY_ENDED,
				 "%s was revoked or has expired; PATCH signing_key_id of %s",
				 lookup->key_prefix, found->id);
	return err;
}

static void engine_lookup_done(int err, void *arg)
{
	struct engine_lookup *lookup = arg;

	if (err && lookup->fault.id == WIRE_ERROR_NONE)
		lookup->fault.id = err == ENOMEM ? WIRE_ERROR_INTERNAL : WIRE_ERROR_NO_STORE;
	if (!err && lookup->found.agent) {
		struct call_settings *call = &lookup->found.settings->call;
		const struct agent *agent = lookup->found.agent;

		snprintf(call->agent, sizeof(call->agent), "%s", agent->totals->name);
		if (agent->language[0])
			snprintf(call->language, sizeof(call->language), "%.*s",
				 (int)sizeof(call->language) - 1, agent->language);
	}
	if (lookup->handler)
		lookup->handler(err ? NULL : &lookup->found, &lookup->fault, lookup->arg);
	mem_deref(lookup);
}

int engine_lookup_start(struct engine_lookup **lookupp, struct server *server, int64_t project_id,
			const char *agent_id, engine_lookup_h *handler, void *arg)
{
	struct engine_lookup *lookup = mem_zalloc(sizeof(*lookup), engine_lookup_destroy);
	int err;

	if (!lookup)
		return ENOMEM;
	lookup->handler = handler;
	lookup->arg = arg;
	lookup->found.project_id = project_id;
	if (engine_id_normalize(lookup->found.id, agent_id, strlen(agent_id)) != 0)
		lookup->found.id[0] = '\0'; /* it will not be found */
	lookup->found.agent = mem_ref(agents_find_name(server->agents, lookup->found.id));
	if (lookup->found.agent)
		lookup->found.project_id = 0;
	err = async_store_run(server->async_store, ASYNC_STORE_ACCESS, engine_lookup_work,
			      engine_lookup_done, lookup);
	if (err)
		mem_deref(lookup);
	else
		*lookupp = lookup;
	return err;
}

void engine_lookup_cancel(struct engine_lookup *lookup)
{
	lookup->handler = NULL;
}
