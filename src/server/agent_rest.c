/*
 * agent_rest.c: GET /v1/agents, and talking with one by an ordinary key.
 *
 * Whoever has a key of ours may try an agent without the secret of its speech
 * engine: /ws/talk/NAME is the same conversation, within the limits and for the credit
 * of the key and its account.  What an agent is made of
 * (keys, addresses, prompts) is told to nobody.
 */
#include <errno.h>
#include <string.h>

#include "base/mem.h"
#include "server/agents.h"
#include "server/server_private.h"
#include "server/speech_engine.h"
#include "session/denial.h"
#include "wire/json_write.h"

static void write_agent(struct json_write *json, const struct agent *agent)
{
	json_write_object(json, NULL);
	json_write_string(json, "name", agent->totals->name, strlen(agent->totals->name));
	json_write_string(json, "path", agent->path, strlen(agent->path));
	if (agent->language[0])
		json_write_string(json, "language", agent->language, strlen(agent->language));
	else
		json_write_null(json, "language");
	json_write_object_end(json);
}

void agent_rest_list(const struct route_call *call)
{
	const struct agents *agents = call->server->agents;
	struct buf *out = &call->server->scratch;
	struct json_write json;

	out->len = 0;
	json_write_open(&json, out);
	json_write_list(&json, "agents");
	for (size_t i = 0; i < agents_count(agents); ++i)
		write_agent(&json, agents_at(agents, i));
	json_write_list_end(&json);
	if (json_write_close(&json) != 0)
		answer_error(call, WIRE_ERROR_INTERNAL, NULL);
	else
		answer_json(call, 200, out->bytes, out->len);
}

/* Somebody on their way in, for whom one more connection is asked for. */
struct pending_talk {
	struct route_call call; /* holds its request and its member */
	struct agent *agent;
	struct connection_permit *permit;
	bool wants_usage;
};

static void pending_destroy(void *object)
{
	struct pending_talk *pending = object;

	mem_deref(pending->permit);
	mem_deref(pending->agent);
	mem_deref(pending->call.request);
	mem_deref(pending->call.member);
}

static void on_permit(int err, const struct denied *denied, void *arg)
{
	struct pending_talk *pending = arg;
	struct stream_fault fault;

	if (err) {
		denial_describe(&fault, denied);
		answer_fault(&pending->call, &fault);
	} else {
		speech_engine_admit(&pending->call, pending->agent,
				    &(struct speech_engine_caller){
					    .member = pending->call.member,
					    .permit = pending->permit,
					    .has_key = true,
					    .wants_usage = pending->wants_usage,
				    });
		pending->permit = NULL;
	}
	mem_deref(pending);
}

static void ask_permit(struct pending_talk *pending)
{
	struct denied denied = {.why = DENIAL_NONE, .limit = -1};
	int err = EACCES;

	/* A key without credit is refused before the upgrade. */
	if (member_has_credit(pending->call.member, &denied))
		err = member_connect(&pending->permit, pending->call.member, &denied, on_permit,
				     pending);
	if (err != EINPROGRESS)
		on_permit(err, &denied, pending);
}

/* Reads ?usage=true; false for any value other than true and false. */
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
	pending = mem_zalloc(sizeof(*pending), pending_destroy);
	if (!pending) {
		answer_error(call, WIRE_ERROR_INTERNAL, NULL);
		return;
	}
	pending->call = *call;
	pending->agent = mem_ref(agent);
	pending->wants_usage = wants_usage;
	mem_ref(call->request);
	mem_ref(call->member);
	ask_permit(pending);
}
