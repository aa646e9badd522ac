/*
 * convai_route.c: the route of ElevenLabs' conversation WebSocket (see convai_route.h).
 *
 *   the caller: a key in the request, a signed URL, or the key of a public agent's account
 *     -> the agent: of the configuration, or a speech engine from the store
 *     -> call_socket_admit
 *
 * Runs on the loop's thread.
 */
#include "doors/elevenlabs/convai_route.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "doors/elevenlabs/convai.h"
#include "doors/elevenlabs/conversation_url.h"
#include "doors/elevenlabs/elevenlabs_voice_ids.h"
#include "doors/elevenlabs/engine_lookup.h"
#include "doors/elevenlabs/engine_rest.h"
#include "server/call_socket.h"
#include "server/server_private.h"

static const struct call_socket_api convai_route_api = {
	.api = &elevenlabs_convai_api,
	.subprotocol = "convai",
};

/* A request whose caller or agent is being looked up. */
struct convai_route_pending {
	struct route_call call; /* with a reference to its request */
	struct callers_check *check; /* NULL: the caller is known */
	struct engine_lookup *lookup; /* NULL: the agent is known, or not looked up yet */
	struct caller *caller; /* NULL: it is looked up */
	char agent_id[ENGINE_ID_SIZE];
	char conversation_id[CONVERSATION_ID_LEN + 1]; /* "": not a certain one */
};

static void convai_route_pending_destroy(void *object)
{
	struct convai_route_pending *pending = object;

	http_on_gone(pending->call.request, NULL, NULL);
	if (pending->check)
		callers_check_cancel(pending->check);
	if (pending->lookup)
		engine_lookup_cancel(pending->lookup);
	mem_deref(pending->caller);
	mem_deref(pending->call.request);
}

static void convai_route_on_gone(void *arg)
{
	mem_deref(arg);
}

/* Headers whose values are variables of the conversation, which are known when it begins. */
static void convai_route_add_variables(struct call_settings *call,
				       const struct engine_settings *settings)
{
	for (size_t i = 0; i < settings->variables_count; ++i) {
		char value[ENGINE_SETTINGS_NAME_SIZE + 8];
		int len = snprintf(value, sizeof(value), "{{%s}}", settings->variables[i].variable);

		(void)engine_settings_add_header(call, settings->variables[i].header, value,
						 (size_t)len);
	}
}

/* The agent's settings become those of a call.  An agent of the configuration brings its own; a voice of
 * a resource may have been removed since it was set. */
static int convai_route_plan(struct call_plan *plan, const struct convai_route_pending *pending,
			     const struct engine_found *found)
{
	const struct server *server = pending->call.server;
	const char *name = found->settings->voice_id;
	const struct voice *voice;

	snprintf(plan->conversation_id, sizeof(plan->conversation_id), "%s",
		 pending->conversation_id);
	if (found->agent) {
		call_plan_use_agent(plan, found->agent);
		return 0;
	}
	plan->settings = found->settings->call;
	plan->keys = found->keys;
	convai_route_add_variables(&plan->settings, found->settings);
	voice = elevenlabs_voice_ids_find(server->config, server->services.voices,
					  pending->call.key->project_id, name, strlen(name));
	if (!voice)
		return ENOENT;
	plan->settings.voice_id = voice->id;
	return 0;
}

static void convai_route_on_found(const struct engine_found *found,
				  const struct stream_fault *fault, void *arg)
{
	struct convai_route_pending *pending = arg;
	struct route_call *call = &pending->call;
	struct call_plan *plan = NULL;

	pending->lookup = NULL;
	http_on_gone(call->request, NULL, NULL);
	call->caller = pending->caller;
	call->key = caller_key(pending->caller);
	if (!found)
		answer_fault(call, fault);
	else if (call_plan_alloc(&plan) != 0)
		answer_error(call, WIRE_ERROR_INTERNAL, NULL);
	else if (convai_route_plan(plan, pending, found) != 0)
		answer_error(call, services_unknown_voice(&call->server->services),
			     found->settings->voice_id);
	else
		call_socket_admit(call, &convai_route_api, pending->caller, plan);
	mem_deref(plan);
	mem_deref(pending);
}

/* The caller is known. */
static void convai_route_find_agent(struct convai_route_pending *pending)
{
	int err = engine_lookup_start(&pending->lookup, pending->call.server,
				      caller_key(pending->caller)->project_id, pending->agent_id,
				      convai_route_on_found, pending);

	if (!err)
		return;
	http_on_gone(pending->call.request, NULL, NULL);
	answer_error(&pending->call, WIRE_ERROR_INTERNAL, NULL);
	mem_deref(pending);
}

static void convai_route_on_caller(int err, struct caller *caller, void *arg)
{
	struct convai_route_pending *pending = arg;

	pending->check = NULL;
	if (!err && !caller_may_speak(caller))
		err = EACCES;
	if (!err) {
		pending->caller = mem_ref(caller);
		convai_route_find_agent(pending);
		return;
	}
	http_on_gone(pending->call.request, NULL, NULL);
	answer_error(&pending->call, err == EACCES ? WIRE_ERROR_WRONG_KEY : WIRE_ERROR_NO_KEYS,
		     err == EACCES ? "the signed URL was used before or its key has ended" : NULL);
	mem_deref(pending);
}

/* Looks up the caller of a signed URL, or of a public agent if `signature` is "". */
static int convai_route_find_caller(struct convai_route_pending *pending, const char *signature,
				    const struct agent *agent)
{
	const struct route_call *call = &pending->call;
	struct conversation_url url;
	int err;

	if (!signature[0])
		return callers_check(&pending->check, call->server->callers, agent->account_key,
				     strlen(agent->account_key), call->request->path,
				     convai_route_on_caller, pending);
	err = conversation_url_read(&url, pending->agent_id, signature, clock_wall_ms());
	if (err)
		return err;
	snprintf(pending->conversation_id, sizeof(pending->conversation_id), "%s",
		 url.conversation_id);
	return conversation_url_check(&pending->check, call->server->callers, &url,
				      convai_route_on_caller, pending);
}

static void convai_route_begin(const struct route_call *call, const char *agent_id,
			       const char *signature, const struct agent *agent)
{
	struct convai_route_pending *pending = mem_zalloc(sizeof(*pending), NULL);
	int err;

	if (!pending) {
		answer_error(call, WIRE_ERROR_INTERNAL, NULL);
		return;
	}
	pending->call = *call;
	mem_ref(call->request);
	snprintf(pending->agent_id, sizeof(pending->agent_id), "%s", agent_id);
	mem_set_destructor(pending, convai_route_pending_destroy);
	http_on_gone(call->request, convai_route_on_gone, pending);
	if (call->caller) {
		pending->caller = mem_ref(call->caller);
		convai_route_find_agent(pending);
		return;
	}
	err = convai_route_find_caller(pending, signature, agent);
	if (!err)
		return;
	if (err == ETIMEDOUT)
		answer_error(call, WIRE_ERROR_WRONG_KEY, "the signed URL has expired");
	else if (err == EINVAL)
		answer_error(call, WIRE_ERROR_WRONG_KEY, "the signature of the URL is not valid");
	else
		answer_error(call, WIRE_ERROR_INTERNAL, NULL);
	mem_deref(pending);
}

void convai_route_open(const struct route_call *call)
{
	char agent_id[ENGINE_ID_SIZE] = "";
	char signature[CONVERSATION_URL_SIGNATURE_SIZE] = "";
	const struct agent *agent;

	if (!call_socket_is_wanted(call))
		return;
	if (http_query(call->request, "agent_id", agent_id, sizeof(agent_id)) != 0 ||
	    !agent_id[0]) {
		answer_error(call, WIRE_ERROR_INVALID_REQUEST, "agent_id is required");
		return;
	}
	(void)http_query(call->request, "conversation_signature", signature, sizeof(signature));
	agent = engine_rest_agent(call, agent_id, strlen(agent_id));
	if (call->caller && !caller_may_speak(call->caller)) /* AUTH_OPTIONAL checks no scopes */
		answer_error(call, WIRE_ERROR_FORBIDDEN, "the key needs the scope speak");
	else if (call->caller || signature[0] ||
		 (agent && agent->is_public && agent->account_key[0]))
		convai_route_begin(call, agent_id, signature, agent);
	else
		answer_error(call, WIRE_ERROR_MISSING_KEY,
			     "pass a signed URL or a key, or make the agent public");
}
