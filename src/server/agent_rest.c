/*
 * agent_rest.c: GET /v1/agents, and conversations with an agent that use an ordinary API key.
 *
 * An ordinary API key allows trying an agent without the secret of its speech engine: /ws/talk/NAME
 * is the same conversation, within the limits and with the credit of the key and its account.  The
 * configuration of an agent (keys, addresses, prompts) is not shown.  Runs on the loop's thread.
 */
#include <errno.h>
#include <string.h>

#include "base/mem.h"
#include "server/agents.h"
#include "server/resource.h"
#include "server/speech_engine.h"
#include "session/denial.h"

static void agent_rest_write(struct json_write *json, const struct route_call *call,
			     const void *arg)
{
	const struct agents *agents = call->server->agents;

	(void)arg;
	json_write_list(json, "agents");
	for (size_t i = 0; i < agents_count(agents); ++i) {
		const struct agent *agent = agents_at(agents, i);

		json_write_object(json, NULL);
		json_write_text(json, "name", agent->totals->name);
		json_write_text(json, "path", agent->path);
		json_write_text(json, "language", agent->language[0] ? agent->language : NULL);
		json_write_object_end(json);
	}
	json_write_list_end(json);
}

void agent_rest_list(const struct route_call *call)
{
	resource_answer(call, 200, agent_rest_write, NULL);
}

/* A client that is about to connect and waits for a permit for one more connection. */
struct pending_talk {
	struct route_call call; /* with references to its request and its caller */
	struct agent *agent;
	struct connection_permit *permit;
	bool wants_usage;
};

static void agent_rest_pending_destroy(void *object)
{
	struct pending_talk *pending = object;

	mem_deref(pending->permit);
	mem_deref(pending->agent);
	mem_deref(pending->call.request);
	mem_deref(pending->call.caller);
}

static void agent_rest_on_permit(int err, const struct denied *denied, void *arg)
{
	struct pending_talk *pending = arg;
	struct stream_fault fault;

	if (err) {
		denial_describe(&fault, denied);
		answer_fault(&pending->call, &fault);
	} else {
		speech_engine_admit(&pending->call, pending->agent,
				    &(struct speech_engine_caller){
					    .caller = pending->call.caller,
					    .permit = pending->permit,
					    .has_key = true,
					    .wants_usage = pending->wants_usage,
				    });
		pending->permit = NULL;
	}
	mem_deref(pending);
}

static void agent_rest_ask_permit(struct pending_talk *pending)
{
	struct denied denied = {.why = DENIAL_NONE, .limit = -1};
	int err = EACCES;

	/* A key without credit is refused before the upgrade. */
	if (caller_has_credit(pending->call.caller, &denied))
		err = caller_connect(&pending->permit, pending->call.caller, &denied,
				     agent_rest_on_permit, pending);
	if (err != EINPROGRESS)
		agent_rest_on_permit(err, &denied, pending);
}

/* Reads ?usage=true.  Returns false for any value other than true and false. */
static bool agent_rest_read_usage(bool *wants_usage, const struct http_request *request)
{
	char text[8] = "";
	size_t len;

	*wants_usage = false;
	if (!http_query_raw(request, "usage", &len))
		return true;
	if (http_query(request, "usage", text, sizeof(text)) != 0)
		return false;
	*wants_usage = strcmp(text, "true") == 0;
	return *wants_usage || strcmp(text, "false") == 0;
}

void agent_rest_talk(const struct route_call *call)
{
	struct agent *agent = agents_find_name(call->server->agents, call->id_texts[0]);
	struct pending_talk *pending;
	bool wants_usage;

	if (!agent_rest_read_usage(&wants_usage, call->request)) {
		answer_error(call, WIRE_ERROR_INVALID_REQUEST, "usage must be true or false");
		return;
	}
	if (!agent) {
		answer_error(call, WIRE_ERROR_NO_ROUTE, "there is no agent of this name");
		return;
	}
	pending = mem_zalloc(sizeof(*pending), agent_rest_pending_destroy);
	if (!pending) {
		answer_error(call, WIRE_ERROR_INTERNAL, NULL);
		return;
	}
	pending->call = *call;
	pending->agent = mem_ref(agent);
	pending->wants_usage = wants_usage;
	mem_ref(call->request);
	mem_ref(call->caller);
	agent_rest_ask_permit(pending);
}
