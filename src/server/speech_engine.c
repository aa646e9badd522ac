/*
 * speech_engine.c: the WebSockets of speech engines (see speech_engine.h).
 */
#include "server/speech_engine.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "net/ws.h"
#include "server/agents.h"
#include "server/server_private.h"
#include "server/ws_peer.h"
#include "session/conversation.h"
#include "session/denial.h"
#include "session/session.h"

struct speech_engine_socket {
	struct link link; /* among the server's conversations */
	struct server *server;
	struct agent *agent;
	struct caller *caller; /* the caller whose account pays; NULL: none does */
	struct connection_permit *permit;
	struct ws_peer engine;
	struct conversation *conversation;
};

/* The handlers of the WebSocket */

/* Some libraries send their JSON in binary frames, which the vendor's own server accepts too. */
static void speech_engine_on_message(void *arg, char *bytes, size_t len, bool is_binary)
{
	struct speech_engine_socket *socket = arg;

	(void)is_binary;
	conversation_message(socket->conversation, bytes, len);
}

static void speech_engine_on_filled(void *arg)
{
	struct speech_engine_socket *socket = arg;

	socket->engine.peer.is_full = true;
}

static void speech_engine_on_drained(void *arg)
{
	struct speech_engine_socket *socket = arg;

	socket->engine.peer.is_full = false;
	conversation_drained(socket->conversation);
}

static void speech_engine_sum_up(struct speech_engine_socket *socket)
{
	struct conversation_figures figures;

	conversation_figures(socket->conversation, &figures);
	conversation_figures_add(&socket->agent->totals->figures, &figures);
}

static void speech_engine_on_overrun(void *arg, size_t bytes)
{
	struct speech_engine_socket *socket = arg;

	log_warn("engine",
		 "closed with 1008: a peer does not read its replies, bytes=%zu agent=%s "
		 "conversation=%s",
		 bytes, socket->agent->totals->name, conversation_id(socket->conversation));
}

/* The model need not generate text that nobody will read. */
static void speech_engine_on_ending(void *arg)
{
	struct speech_engine_socket *socket = arg;

	conversation_hang_up(socket->conversation);
}

static void speech_engine_on_closed(void *arg, uint16_t code)
{
	struct speech_engine_socket *socket = arg;
	struct server *server = socket->server;

	log_debug("engine", "%s: closed %u", conversation_id(socket->conversation), code);
	socket->engine.ws = NULL;
	conversation_hang_up(socket->conversation);
	speech_engine_sum_up(socket);
	list_remove(&server->conversations, &socket->link);
	mem_deref(socket);
	drain_check(server);
}

static const struct ws_handlers ws_handlers = {
	.message = speech_engine_on_message,
	.filled = speech_engine_on_filled,
	.drained = speech_engine_on_drained,
	.overrun = speech_engine_on_overrun,
	.ending = speech_engine_on_ending,
	.closed = speech_engine_on_closed,
};

static void speech_engine_socket_destroy(void *object)
{
	struct speech_engine_socket *socket = object;

	mem_deref(socket->conversation);
	mem_deref(socket->agent);
	mem_deref(socket->permit);
	mem_deref(socket->caller);
}

static int speech_engine_socket_alloc(struct speech_engine_socket **socketp, struct server *server,
				      struct agent *agent,
				      const struct speech_engine_caller *caller)
{
	struct speech_engine_socket *socket =
		mem_zalloc(sizeof(*socket), speech_engine_socket_destroy);
	const struct answer_billing billing = {
		.caller = caller->caller,
		.ledger = server->services.ledger,
		.prices = server->services.prices,
	};
	const struct conversation_options options = {
		.timers = &server->loop->timers,
		.llm = server->llm,
		.agent = agent->llm,
		.agent_name = agent->totals->name,
		.peer = socket ? &socket->engine.peer : NULL,
		.log_texts = server->config->log_texts,
		.billing = &billing,
		.sends_errors = caller->has_key,
		.sends_usage = caller->wants_usage,
	};
	int err;

	if (!socket)
		return ENOMEM;
	socket->server = server;
	socket->agent = mem_ref(agent);
	ws_peer_init(&socket->engine);
	err = conversation_alloc(&socket->conversation, &options);
	if (err)
		mem_deref(socket);
	else
		*socketp = socket;
	return err;
}

void speech_engine_admit(const struct route_call *call, struct agent *agent,
			 const struct speech_engine_caller *caller)
{
	struct server *server = call->server;
	struct speech_engine_socket *socket;

	if (speech_engine_socket_alloc(&socket, server, agent, caller) != 0) {
		mem_deref(caller->permit);
		answer_error(call, WIRE_ERROR_INTERNAL, NULL);
		return;
	}
	socket->caller = caller->caller ? mem_ref(caller->caller) : NULL;
	socket->permit = caller->permit;
	http_reply_header(call->request, "x-request-id", call->request_id);
	if (http_upgrade(&socket->engine.ws, call->request, &ws_handlers, socket) != 0) {
		mem_deref(socket);
		return;
	}
	ws_set_message_max(socket->engine.ws, SPEECH_ENGINE_MESSAGE_MAX);
	list_append(&server->conversations, &socket->link);
	++agent->totals->conversations;
	if (server->draining)
		ws_close(socket->engine.ws, WS_CLOSE_TRY_LATER,
			 session_shutdown_reason(&server->services));
}

/* Authentication of the speech engine */

static bool speech_engine_is_allowed(const struct route_call *call, struct agent *agent)
{
	const char *token = http_header(call->request, agent->keys.rules->header);
	char peer[HTTP_PEER_SIZE];
	const char *why;

	if (engine_token_check(&agent->keys, token, clock_wall_ms() / 1000, &why) == 0)
		return true;
	http_peer(call->request, peer);
	log_warn("engine", "agent %s refuses %s: %s %s", agent->totals->name, peer, why,
		 call->request_id);
	++agent->totals->refused;
	return false;
}

/* A speech engine that is connecting, while the account that pays for its conversation is looked
 * up. */
struct pending_engine {
	struct route_call call; /* with a reference to its request */
	struct agent *agent;
	struct callers_check *check;
	struct caller *caller;
	struct connection_permit *permit;
};

static void speech_engine_pending_destroy(void *object)
{
	struct pending_engine *pending = object;

	http_on_gone(pending->call.request, NULL, NULL);
	if (pending->check)
		callers_check_cancel(pending->check);
	mem_deref(pending->permit);
	mem_deref(pending->caller);
	mem_deref(pending->agent);
	mem_deref(pending->call.request);
}

static void speech_engine_on_gone(void *arg)
{
	mem_deref(arg);
}

static void speech_engine_on_permit(int err, const struct denied *denied, void *arg)
{
	struct pending_engine *pending = arg;
	struct stream_fault fault;

	http_on_gone(pending->call.request, NULL, NULL);
	if (err) {
		denial_describe(&fault, denied);
		answer_fault(&pending->call, &fault);
	} else {
		speech_engine_admit(&pending->call, pending->agent,
				    &(struct speech_engine_caller){.caller = pending->caller,
								   .permit = pending->permit});
		pending->permit = NULL;
	}
	mem_deref(pending);
}

/* Handles the key of the agent's account.  It is the operator's key, so only the operator learns
 * what is wrong with it. */
static void speech_engine_on_caller(int err, struct caller *caller, void *arg)
{
	struct pending_engine *pending = arg;
	struct denied denied = {.why = DENIAL_NONE, .limit = -1};

	pending->check = NULL;
	if (!err && !caller_may_speak(caller))
		err = EACCES;
	if (err) {
		log_warn("engine", "agent %s: the key of its account %s",
			 pending->agent->totals->name,
			 err == EACCES ? "is not valid" : "cannot be looked up");
		http_on_gone(pending->call.request, NULL, NULL);
		answer_error(&pending->call,
			     err == EACCES ? WIRE_ERROR_FORBIDDEN : WIRE_ERROR_NO_KEYS, NULL);
		mem_deref(pending);
		return;
	}
	pending->caller = mem_ref(caller);
	err = caller_connect(&pending->permit, caller, &denied, speech_engine_on_permit, pending);
	if (err != EINPROGRESS)
		speech_engine_on_permit(err, &denied, pending);
}

static void speech_engine_find_caller(const struct route_call *call, struct agent *agent)
{
	struct pending_engine *pending = mem_zalloc(sizeof(*pending), NULL);

	if (!pending) {
		answer_error(call, WIRE_ERROR_INTERNAL, NULL);
		return;
	}
	pending->call = *call;
	pending->agent = mem_ref(agent);
	mem_ref(call->request);
	mem_set_destructor(pending, speech_engine_pending_destroy);
	if (callers_check(&pending->check, call->server->callers, agent->account_key,
			  strlen(agent->account_key), call->request->path, speech_engine_on_caller,
			  pending) != 0) {
		answer_error(call, WIRE_ERROR_INTERNAL, NULL);
		mem_deref(pending);
		return;
	}
	http_on_gone(call->request, speech_engine_on_gone, pending);
}

bool speech_engine_open(const struct route_call *call)
{
	struct agent *agent = agents_find(call->server->agents, call->request->path);
	char detail[128];

	if (!agent)
		return false;
	if (strcmp(call->request->method, "GET") != 0) {
		http_reply_header(call->request, "allow", "GET");
		answer_error(call, WIRE_ERROR_METHOD, NULL);
	} else if (!speech_engine_is_allowed(call, agent)) {
		snprintf(detail, sizeof(detail), "the token in %s is missing or not valid",
			 agent->keys.rules->header);
		answer_error(call, WIRE_ERROR_MISSING_KEY, detail);
	} else if (agent->account_key[0]) {
		speech_engine_find_caller(call, agent);
	} else {
		speech_engine_admit(call, agent, &(struct speech_engine_caller){0});
	}
	return true;
}

void speech_engine_close_invalid(struct server *server)
{
	const struct list *all = &server->conversations;

	for (struct link *l = list_first(all); l; l = list_next(all, l)) {
		struct speech_engine_socket *socket =
			LIST_OBJECT(l, struct speech_engine_socket, link);

		if (socket->caller && !caller_may_speak(socket->caller))
			ws_close(socket->engine.ws, WS_CLOSE_POLICY, "the key has ended");
	}
}

void speech_engine_abort_all(struct server *server)
{
	const struct list *all = &server->conversations;

	for (struct link *l = list_first(all); l; l = list_next(all, l))
		ws_abort(LIST_OBJECT(l, struct speech_engine_socket, link)->engine.ws);
}

bool speech_engine_totals(const struct server *server, size_t index, struct agent_totals *totals)
{
	const struct agent_totals *ended = agents_totals(server->agents, index);

	if (!ended)
		return false;
	*totals = *ended;
	for (struct link *l = list_first(&server->conversations); l;
	     l = list_next(&server->conversations, l)) {
		const struct speech_engine_socket *socket =
			LIST_OBJECT(l, struct speech_engine_socket, link);
		struct conversation_figures figures;

		if (socket->agent->totals != ended)
			continue;
		conversation_figures(socket->conversation, &figures);
		conversation_figures_add(&totals->figures, &figures);
	}
	return true;
}

void speech_engine_log(const struct server *server)
{
	struct agent_totals totals;

	log_info("engine", "alive: %zu conversations", server->conversations.count);
	for (size_t i = 0; speech_engine_totals(server, i, &totals); ++i) {
		const struct conversation_figures *figures = &totals.figures;

		log_info("engine",
			 "agent %s: conversations=%" PRIu64 " refused=%" PRIu64 " turns=%" PRIu64
			 " retries=%" PRIu64 " cancels=%" PRIu64 " first_ms=%" PRIu64
			 " first_ms_max=%" PRIu64 " tokens_in=%" PRIu64 " tokens_out=%" PRIu64
			 " llm_errors=%" PRIu64 " fallbacks=%" PRIu64 " broken=%" PRIu64,
			 totals.name, totals.conversations, totals.refused, figures->turns,
			 figures->retries, figures->cancels,
			 figures->firsts ? figures->first_ms_sum / figures->firsts : 0,
			 figures->first_ms_max, figures->tokens_in, figures->tokens_out,
			 figures->llm_errors, figures->fallbacks, figures->broken);
	}
}
