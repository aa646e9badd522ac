/*
 * twilio_route.c: the routes of telephone calls (see twilio_door.h).
 *
 *   the agent of the configuration -> the signature with its token
 *     -> a question what to do with a call: the answer, which names the WebSocket
 *     -> that WebSocket: the account that pays -> call_socket_admit
 *
 * Runs on the loop's thread.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "doors/twilio/twilio.h"
#include "doors/twilio/twilio_door.h"
#include "server/agents.h"
#include "server/call_socket.h"
#include "server/request_url.h"
#include "server/server_private.h"

/* A value that is longer is left out: Twilio accepts a name and a value of 500 bytes together. */
#define VALUE_MAX 400

#define ANSWER_MAX 8192
#define SIGNATURE_HEADER "x-twilio-signature"

static const struct call_socket_api twilio_route_api = {.api = &twilio_api};

/* What Twilio says about a telephone call, and the variables that it becomes. */
static const struct twilio_param twilio_route_variables[] = {
	{"From", "caller_id"},
	{"To", "called_number"},
	{"CallSid", "call_sid"},
};

#define VARIABLES (sizeof(twilio_route_variables) / sizeof(twilio_route_variables[0]))

/* Who asks */

/* Answers the request if it is for nobody. */
static struct agent *twilio_route_agent(const struct route_call *call)
{
	struct agent *agent = agents_find_name(call->server->agents, call->id_texts[0]);
	char detail[PARAM_NAME_SIZE + 48];

	if (agent && agent->telephone_token[0])
		return agent;
	if (agent)
		snprintf(detail, sizeof(detail), "[agent %s] has no twilio_token",
			 agent->totals->name);
	answer_error(call, WIRE_ERROR_NO_ROUTE, agent ? detail : "no agent has this name");
	return NULL;
}

/* Writes the URL of the request as Twilio knows it.  The agent's name, of which the path consists, has no
 * characters that could be written in several ways. */
static int twilio_route_url(char url[TWILIO_SIGNATURE_URL_MAX], const struct route_call *call,
			    bool is_socket)
{
	const struct http_request *request = call->request;
	char base[REQUEST_URL_SIZE];
	int len;

	if (request_url_socket(base, call) != 0)
		return EINVAL;
	len = snprintf(url, TWILIO_SIGNATURE_URL_MAX, "%s%s%s%s%s", is_socket ? "ws" : "http",
		       base + strlen("ws"), request->path, request->query[0] ? "?" : "",
		       request->query);
	return len > 0 && len < TWILIO_SIGNATURE_URL_MAX ? 0 : EINVAL;
}

/* Answers the request if it does not come from Twilio.  The log has the URL that was compared, because a
 * proxy may have changed it; neither it nor the answer have the token or the signature. */
static bool twilio_route_is_allowed(const struct route_call *call, const struct agent *agent,
				    bool is_socket, const struct twilio_param *params, size_t count)
{
	const char *signature = http_header(call->request, SIGNATURE_HEADER);
	char url[TWILIO_SIGNATURE_URL_MAX] = "";
	char peer[HTTP_PEER_SIZE];
	const char *why = "the request has no X-Twilio-Signature";

	if (signature) {
		why = "X-Twilio-Signature does not match the URL and twilio_token";
		if (twilio_route_url(url, call, is_socket) == 0 &&
		    twilio_signature_is_valid(signature, agent->telephone_token, url, params,
					      count)) {
			http_present_key(call->request);
			return true;
		}
	}
	http_peer(call->request, peer);
	log_warn("twilio", "agent %s refuses %s: %s url=%.*s %s", agent->totals->name, peer, why,
		 (int)strcspn(url, "? "), url, call->request_id);
	answer_error(call, WIRE_ERROR_FORBIDDEN, why);
	return false;
}

/* What to do with a telephone call */

static int twilio_route_write(struct buf *out, const struct route_call *call,
			      const struct twilio_param *params, size_t count)
{
	struct twilio_param variables[VARIABLES];
	char base[REQUEST_URL_SIZE];
	char url[REQUEST_URL_SIZE + PARAM_NAME_SIZE + 16];

	if (!call_socket_has_room(call->server))
		return twilio_twiml_busy(out);
	if (request_url_socket(base, call) != 0)
		return EINVAL;
	snprintf(url, sizeof(url), "%s%s", base, call->request->path);
	for (size_t i = 0; i < VARIABLES; ++i) {
		const char *value =
			twilio_form_value(params, count, twilio_route_variables[i].name);

		variables[i] = (struct twilio_param){twilio_route_variables[i].value,
						     strlen(value) <= VALUE_MAX ? value : ""};
	}
	return twilio_twiml_connect(out, url, variables, VARIABLES);
}

/* `text` has the parameters, and is overwritten.  Those of a GET are in the URL, and signed as part of
 * it. */
static void twilio_route_answer(const struct route_call *call, const struct agent *agent,
				char *text, size_t len, bool is_get)
{
	struct twilio_param params[TWILIO_SIGNATURE_PARAMS_MAX];
	size_t count;
	struct buf answer;

	if (twilio_form_read(&count, params, text, len) != 0) {
		answer_error(call, WIRE_ERROR_INVALID_REQUEST, "the form cannot be read");
		return;
	}
	if (!twilio_route_is_allowed(call, agent, false, params, is_get ? 0 : count))
		return;
	buf_init(&answer, ANSWER_MAX);
	if (twilio_route_write(&answer, call, params, count) != 0) {
		answer_error(call, WIRE_ERROR_INTERNAL, NULL);
	} else {
		answer_head(call);
		http_reply(call->request, 200, "text/xml", answer.bytes, answer.len);
	}
	buf_reset(&answer);
}

/* The WebSocket, and bodies that are being read */

struct twilio_route_pending {
	struct route_call call; /* with a reference to its request */
	struct agent *agent; /* a reference: a reload may replace it meanwhile */
	struct callers_check *check; /* NULL: nobody is looked up */
};

static void twilio_route_pending_destroy(void *object)
{
	struct twilio_route_pending *pending = object;

	http_on_gone(pending->call.request, NULL, NULL);
	if (pending->check)
		callers_check_cancel(pending->check);
	mem_deref(pending->agent);
	mem_deref(pending->call.request);
}

static void twilio_route_on_gone(void *arg)
{
	mem_deref(arg);
}

/* Answers the request if there is no memory. */
static struct twilio_route_pending *twilio_route_wait(const struct route_call *call,
						      struct agent *agent)
{
	struct twilio_route_pending *pending = mem_zalloc(sizeof(*pending), NULL);

	if (!pending) {
		answer_error(call, WIRE_ERROR_INTERNAL, NULL);
		return NULL;
	}
	pending->call = *call;
	pending->agent = mem_ref(agent);
	mem_ref(call->request);
	mem_set_destructor(pending, twilio_route_pending_destroy);
	http_on_gone(call->request, twilio_route_on_gone, pending);
	return pending;
}

/* The variables exist even if Twilio leaves out those that are empty: otherwise a first message that
 * contains one could not be said. */
static void twilio_route_plan(struct call_plan *plan, struct agent *agent)
{
	call_plan_use_agent(plan, agent);
	for (size_t i = 0; i < VARIABLES; ++i) {
		const char *name = twilio_route_variables[i].value;

		(void)call_variables_set(&plan->settings.variables, name, strlen(name), "", 0);
	}
}

static void twilio_route_on_caller(int err, struct caller *caller, void *arg)
{
	struct twilio_route_pending *pending = arg;
	struct route_call *call = &pending->call;
	struct call_plan *plan = NULL;

	pending->check = NULL;
	http_on_gone(call->request, NULL, NULL);
	if (!err && !caller_may_speak(caller))
		err = EACCES;
	if (err == EACCES) {
		log_warn("twilio", "agent %s cannot take calls: its account_key is not valid %s",
			 pending->agent->totals->name, call->request_id);
		answer_error(call, WIRE_ERROR_FORBIDDEN, "the agent's account_key is not valid");
	} else if (err) {
		answer_error(call, WIRE_ERROR_NO_KEYS, NULL);
	} else if (call_plan_alloc(&plan) != 0) {
		answer_error(call, WIRE_ERROR_INTERNAL, NULL);
	} else {
		call->caller = caller;
		call->key = caller_key(caller);
		twilio_route_plan(plan, pending->agent);
		call_socket_admit(call, &twilio_route_api, caller, plan);
	}
	mem_deref(plan);
	mem_deref(pending);
}

static void twilio_route_connect(const struct route_call *call, struct agent *agent)
{
	struct twilio_route_pending *pending;

	if (!twilio_route_is_allowed(call, agent, true, NULL, 0))
		return;
	pending = twilio_route_wait(call, agent);
	if (!pending)
		return;
	if (callers_check(&pending->check, call->server->callers, agent->account_key,
			  strlen(agent->account_key), call->request->path, twilio_route_on_caller,
			  pending) == 0)
		return;
	answer_error(call, WIRE_ERROR_INTERNAL, NULL);
	mem_deref(pending);
}

/* Routes */

void twilio_route_get(const struct route_call *call)
{
	struct agent *agent = twilio_route_agent(call);
	char query[HTTP_HEAD_MAX];
	int len;

	if (!agent)
		return;
	if (http_wants_upgrade(call->request)) {
		twilio_route_connect(call, agent);
		return;
	}
	len = snprintf(query, sizeof(query), "%s", call->request->query);
	twilio_route_answer(call, agent, query, (size_t)len, true);
}

static void twilio_route_on_body(void *arg)
{
	struct twilio_route_pending *pending = arg;
	struct http_request *request = pending->call.request;

	http_on_gone(request, NULL, NULL);
	twilio_route_answer(&pending->call, pending->agent, request->body, request->body_len,
			    false);
	mem_deref(pending);
}

/* Twilio says how long its forms are; others could send as much as the server accepts at all. */
static bool twilio_route_is_small(const struct http_request *request)
{
	const char *len = http_header(request, "content-length");

	return !http_header(request, "transfer-encoding") &&
	       (!len || strtoull(len, NULL, 10) <= TWILIO_ROUTE_BODY_MAX);
}

void twilio_route_post(const struct route_call *call)
{
	struct agent *agent = twilio_route_agent(call);
	struct twilio_route_pending *pending;
	char none[1] = "";
	int err;

	if (!agent)
		return;
	/* Whoever does not even sign is refused before anything is read. */
	if (!http_header(call->request, SIGNATURE_HEADER) &&
	    !twilio_route_is_allowed(call, agent, false, NULL, 0))
		return;
	if (!twilio_route_is_small(call->request)) {
		answer_error(call, WIRE_ERROR_MESSAGE_TOO_LONG, NULL);
		return;
	}
	pending = twilio_route_wait(call, agent);
	if (!pending)
		return;
	err = http_read_body(call->request, twilio_route_on_body, pending);
	if (err == EINPROGRESS)
		return;
	http_on_gone(call->request, NULL, NULL);
	if (!err && call->request->body)
		twilio_route_answer(call, agent, call->request->body, call->request->body_len,
				    false);
	else if (!err)
		twilio_route_answer(call, agent, none, 0, false);
	mem_deref(pending);
}
