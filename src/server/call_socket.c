/*
 * call_socket.c: the WebSockets of callers (see call_socket.h).
 */
#include "server/call_socket.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#include "agent/own_answerer.h"
#include "agent/remote_answerer.h"
#include "base/buf.h"
#include "base/log.h"
#include "base/mem.h"
#include "metrics/metrics.h"
#include "net/ws.h"
#include "server/agents.h"
#include "server/server_private.h"
#include "server/ws_peer.h"
#include "session/denial.h"
#include "session/session.h"

#define CALL_SOCKET_BUSY "all lines are busy (calls.max)"

struct call_socket {
	struct link link; /* among the server's calls */
	struct server *server;
	struct caller *caller;
	struct connection_permit *permit;
	struct call_plan *plan;
	door_voice_h *find_voice; /* of the client's API; NULL: it has none */
	struct ws_peer client;
	struct call *call;
};

/* Who answers */

/* Splits lines into a list that ends with NULL. */
static void call_socket_split_headers(const char **list, size_t max, char *headers)
{
	size_t count = 0;
	char *line, *rest = headers;

	while (count + 1 < max && (line = strsep(&rest, "\n"))) {
		if (line[0])
			list[count++] = line;
	}
	list[count] = NULL;
}

/* The headers of the request, with the caller's variables in them.  A header with a variable that the
 * caller has not set is left out. */
static void call_socket_write_headers(struct buf *out, const struct call_settings *settings)
{
	const char *line = settings->headers;

	while (*line) {
		size_t len = strcspn(line, "\r\n");
		struct call_variables_name missing;

		if (len > 0 &&
		    call_variables_insert(out, &settings->variables, CALL_VARIABLES_IN_HEADER,
					  &missing, line, len) == 0)
			(void)buf_append(out, "\n", 1);
		line += len + strspn(line + len, "\r\n");
	}
	(void)buf_append(out, "", 1);
}

static int call_socket_ask_server(struct call_socket *socket, struct answerer **answererp,
				  const struct call_settings *settings,
				  const struct answerer_listener *listener, void *arg)
{
	const char *headers[UPSTREAM_HEADERS_MAX + 1];
	struct buf lines;
	const struct remote_answerer_options options = {
		.sockets = socket->server->upstream_sockets,
		.url = settings->url,
		.keys = &socket->plan->keys,
		.headers = headers,
		.conversation_id = call_id(socket->call),
		.cascade_timeout_ms = settings->cascade_timeout_ms,
	};
	int err;

	buf_init(&lines, CALL_SETTINGS_HEADERS_SIZE + CALL_VARIABLES_SIZE);
	call_socket_write_headers(&lines, settings);
	call_socket_split_headers(headers, UPSTREAM_HEADERS_MAX + 1, lines.bytes);
	err = remote_answerer_alloc(answererp, &options, listener, arg);
	buf_reset(&lines);
	return err;
}

static int call_socket_ask_agent(struct call_socket *socket, struct answerer **answererp,
				 const struct answerer_listener *listener, void *arg)
{
	struct server *server = socket->server;
	struct agent *agent = socket->plan->agent;
	const struct answer_billing billing = {
		.caller = socket->caller,
		.ledger = server->services.ledger,
		.prices = server->services.prices,
	};
	const struct own_answerer_options options = {
		.loop = server->loop,
		.llm = server->llm,
		.agent = agent->llm,
		.agent_name = agent->totals->name,
		.conversation_id = call_id(socket->call),
		.log_texts = server->config->log_texts,
		.billing = &billing,
		.totals = &agent->totals->figures,
	};

	return own_answerer_alloc(answererp, &options, listener, arg);
}

static int call_socket_open_answerer(void *arg, struct answerer **answererp,
				     const struct call_settings *settings,
				     const struct answerer_listener *listener, void *listener_arg)
{
	struct call_socket *socket = arg;

	return socket->plan->agent
		       ? call_socket_ask_agent(socket, answererp, listener, listener_arg)
		       : call_socket_ask_server(socket, answererp, settings, listener,
						listener_arg);
}

static int call_socket_find_voice(void *arg, struct call_settings *settings)
{
	const struct call_socket *socket = arg;
	const struct server *server = socket->server;
	const struct voice *voice = socket->find_voice(
		server->config, server->services.voices, caller_key(socket->caller)->project_id,
		settings->voice_name, strlen(settings->voice_name));

	if (!voice)
		return ENOENT;
	settings->voice_id = voice->id;
	return 0;
}

/* The WebSocket */

static void call_socket_on_message(void *arg, char *bytes, size_t len, bool is_binary)
{
	struct call_socket *socket = arg;

	(void)is_binary; /* some libraries send their JSON in binary frames */
	call_message(socket->call, bytes, len);
}

static void call_socket_on_filled(void *arg)
{
	struct call_socket *socket = arg;

	socket->client.peer.is_full = true;
	call_filled(socket->call);
}

static void call_socket_on_drained(void *arg)
{
	struct call_socket *socket = arg;

	socket->client.peer.is_full = false;
	call_drained(socket->call);
}

static void call_socket_on_overrun(void *arg, size_t bytes)
{
	struct call_socket *socket = arg;

	log_warn("call", "closed with 1008: a client does not read, bytes=%zu conversation=%s",
		 bytes, call_id(socket->call));
}

static void call_socket_log(const struct call_socket *socket, uint16_t code)
{
	struct call_figures figures;

	call_figures(socket->call, &figures);
	log_info("call",
		 "%s has ended: code=%u turns=%llu interruptions=%llu speculations=%llu "
		 "reopened=%llu failed=%llu",
		 call_id(socket->call), code, (unsigned long long)figures.turns,
		 (unsigned long long)figures.interruptions,
		 (unsigned long long)figures.speculations, (unsigned long long)figures.reopened,
		 (unsigned long long)figures.failed);
}

/* The client has hung up: nothing needs to be said or heard any more. */
static void call_socket_on_ending(void *arg)
{
	struct call_socket *socket = arg;

	call_hang_up(socket->call, WS_CLOSE_NORMAL, NULL);
}

static void call_socket_on_closed(void *arg, uint16_t code)
{
	struct call_socket *socket = arg;
	struct server *server = socket->server;

	socket->client.ws = NULL;
	call_hang_up(socket->call, WS_CLOSE_NORMAL, NULL);
	call_socket_log(socket, code);
	list_remove(&server->calls, &socket->link);
	mem_deref(socket);
	drain_check(server);
}

static const struct ws_handlers call_socket_handlers = {
	.message = call_socket_on_message,
	.filled = call_socket_on_filled,
	.drained = call_socket_on_drained,
	.overrun = call_socket_on_overrun,
	.ending = call_socket_on_ending,
	.closed = call_socket_on_closed,
};

/* Plans */

static void call_plan_destroy(void *object)
{
	struct call_plan *plan = object;

	mem_deref(plan->agent);
}

int call_plan_alloc(struct call_plan **planp)
{
	struct call_plan *plan = mem_zalloc(sizeof(*plan), call_plan_destroy);

	if (!plan)
		return ENOMEM;
	plan->settings = call_settings_default;
	*planp = plan;
	return 0;
}

void call_plan_use_agent(struct call_plan *plan, struct agent *agent)
{
	plan->settings = agent->call;
	plan->agent = mem_ref(agent);
}

/* Admission */

static void call_socket_destroy(void *object)
{
	struct call_socket *socket = object;

	mem_deref(socket->call);
	mem_deref(socket->plan);
	mem_deref(socket->permit);
	mem_deref(socket->caller);
}

/* "conv_" and 26 letters and digits, of which clients accept no others. */
static int call_socket_make_id(char id[CALL_ID_SIZE])
{
	static const char letters[] = "0123456789abcdefghjkmnpqrstvwxyz";
	uint8_t bytes[26];

	if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes))
		return EIO;
	memcpy(id, "conv_", 5);
	for (size_t i = 0; i < sizeof(bytes); ++i)
		id[5 + i] = letters[bytes[i] % 32];
	id[5 + sizeof(bytes)] = '\0';
	return 0;
}

static int call_socket_alloc(struct call_socket **socketp, const struct route_call *call,
			     const struct call_socket_api *api, struct caller *caller,
			     struct call_plan *plan)
{
	struct call_socket *socket = mem_zalloc(sizeof(*socket), call_socket_destroy);
	const struct call_options options = {
		.services = &call->server->services,
		.caller = caller,
		.peer = socket ? &socket->client.peer : NULL,
		.api = api->api,
		.settings = &plan->settings,
		.id = plan->conversation_id,
		.request_id = call->request_id,
		.find_voice = call->door->find_voice ? call_socket_find_voice : NULL,
		.open_answerer = call_socket_open_answerer,
		.arg = socket,
	};
	int err = 0;

	if (!socket)
		return ENOMEM;
	socket->server = call->server;
	socket->caller = mem_ref(caller);
	socket->plan = mem_ref(plan);
	socket->find_voice = call->door->find_voice;
	ws_peer_init(&socket->client);
	if (!plan->conversation_id[0])
		err = call_socket_make_id(plan->conversation_id);
	if (!err)
		err = call_alloc(&socket->call, &options);
	if (err)
		mem_deref(socket);
	else
		*socketp = socket;
	return err;
}

/* A client that is about to connect and waits for the dictionaries of its project, and for a permit for
 * one more connection. */
struct pending_call {
	struct route_call call; /* with a reference to its request */
	const struct call_socket_api *api;
	struct call_socket *socket;
	bool is_gone; /* the client has disconnected */
};

static void call_socket_pending_destroy(void *object)
{
	struct pending_call *pending = object;

	http_on_gone(pending->call.request, NULL, NULL);
	mem_deref(pending->socket);
	mem_deref(pending->call.request);
}

/* Whether the client offers this subprotocol, in a list that is separated by commas. */
static bool call_socket_is_offered(const struct http_request *request, const char *subprotocol)
{
	const char *offered = http_header(request, "sec-websocket-protocol");
	size_t len = subprotocol ? strlen(subprotocol) : 0;

	while (len > 0 && offered && *offered) {
		offered += strspn(offered, " ,\t");
		if (strcspn(offered, " ,\t") == len && memcmp(offered, subprotocol, len) == 0)
			return true;
		offered += strcspn(offered, " ,\t");
	}
	return false;
}

static void call_socket_upgrade(struct pending_call *pending)
{
	const struct route_call *call = &pending->call;
	struct call_socket *socket = pending->socket;

	if (call_socket_is_offered(call->request, pending->api->subprotocol))
		http_reply_header(call->request, "sec-websocket-protocol",
				  pending->api->subprotocol);
	http_reply_header(call->request, "x-request-id", call->request_id);
	if (http_upgrade(&socket->client.ws, call->request, &call_socket_handlers, socket) != 0)
		return;
	pending->socket = NULL; /* it belongs to its WebSocket */
	ws_set_message_max(socket->client.ws, CALL_MESSAGE_MAX);
	list_append(&call->server->calls, &socket->link);
	if (call->server->draining)
		ws_close(socket->client.ws, WS_CLOSE_TRY_LATER,
			 session_shutdown_reason(&call->server->services));
}

static void call_socket_on_permit(int err, const struct denied *denied, void *arg)
{
	struct pending_call *pending = arg;
	struct stream_fault fault;

	http_on_gone(pending->call.request, NULL, NULL);
	if (err) {
		metrics_add(METRIC_CALLS_REFUSED, 1);
		denial_describe(&fault, denied);
		answer_fault(&pending->call, &fault);
	} else if (!call_socket_has_room(pending->call.server)) {
		metrics_add(METRIC_CALLS_REFUSED, 1);
		answer_error(&pending->call, WIRE_ERROR_UNAVAILABLE, CALL_SOCKET_BUSY);
	} else {
		call_socket_upgrade(pending);
	}
	mem_deref(pending);
}

static void call_socket_on_gone(void *arg)
{
	struct pending_call *pending = arg;

	pending->is_gone = true;
	mem_deref(pending);
}

static void call_socket_ask_permit(struct pending_call *pending)
{
	struct call_socket *socket = pending->socket;
	struct denied denied = {.why = DENIAL_NONE, .limit = -1};
	int err = EACCES;

	if (caller_has_credit(socket->caller, &denied))
		err = caller_connect(&socket->permit, socket->caller, &denied,
				     call_socket_on_permit, pending);
	if (err != EINPROGRESS)
		call_socket_on_permit(err, &denied, pending);
}

static void call_socket_refuse(struct pending_call *pending, enum wire_error_id id)
{
	http_on_gone(pending->call.request, NULL, NULL);
	answer_error(&pending->call, id, NULL);
	mem_deref(pending);
}

static void call_socket_on_dictionaries(int err, void *arg)
{
	struct pending_call *pending = arg;

	if (!pending->is_gone && err)
		call_socket_refuse(pending, WIRE_ERROR_NO_DICTIONARIES);
	else if (!pending->is_gone)
		call_socket_ask_permit(pending);
	mem_deref(pending);
}

/* Dictionaries must be in memory when the agent speaks, so that its first sound is not late.  Only the
 * first client of a project waits for them. */
static void call_socket_read_dictionaries(struct pending_call *pending)
{
	struct dictionary_cache *dictionaries = pending->call.server->dictionaries;
	int64_t project_id = caller_key(pending->socket->caller)->project_id;

	if (dictionary_cache_has(dictionaries, project_id)) {
		call_socket_ask_permit(pending);
		return;
	}
	if (dictionary_cache_refresh(dictionaries, project_id, call_socket_on_dictionaries,
				     mem_ref(pending)) == 0)
		return;
	mem_deref(pending);
	call_socket_refuse(pending, WIRE_ERROR_INTERNAL);
}

bool call_socket_is_wanted(const struct route_call *call)
{
	struct ws *ws;

	if (http_wants_upgrade(call->request))
		return true;
	answer_head(call);
	(void)http_upgrade(&ws, call->request, &call_socket_handlers, NULL); /* it refuses */
	return false;
}

/* Calls beyond the maximum are refused: at once, and also if others have begun while one waited. */
bool call_socket_has_room(const struct server *server)
{
	return server->calls.count < (size_t)server->config->calls_max;
}

void call_socket_admit(const struct route_call *call, const struct call_socket_api *api,
		       struct caller *caller, struct call_plan *plan)
{
	struct pending_call *pending;

	if (!call_socket_has_room(call->server)) {
		metrics_add(METRIC_CALLS_REFUSED, 1);
		answer_error(call, WIRE_ERROR_UNAVAILABLE, CALL_SOCKET_BUSY);
		return;
	}
	pending = mem_zalloc(sizeof(*pending), NULL);
	if (!pending) {
		answer_error(call, WIRE_ERROR_INTERNAL, NULL);
		return;
	}
	pending->call = *call;
	pending->api = api;
	mem_ref(call->request);
	mem_set_destructor(pending, call_socket_pending_destroy);
	if (call_socket_alloc(&pending->socket, call, api, caller, plan) != 0) {
		answer_error(call, WIRE_ERROR_INTERNAL, NULL);
		mem_deref(pending);
		return;
	}
	http_on_gone(call->request, call_socket_on_gone, pending);
	call_socket_read_dictionaries(pending);
}

/* All calls */

static struct call_socket *call_socket_at(struct link *link)
{
	return LIST_OBJECT(link, struct call_socket, link);
}

void call_socket_close_invalid(struct server *server)
{
	for (struct link *l = list_first(&server->calls); l; l = list_next(&server->calls, l)) {
		if (!caller_may_speak(call_socket_at(l)->caller))
			call_hang_up(call_socket_at(l)->call, WS_CLOSE_POLICY, "the key has ended");
	}
}

void call_socket_go_away_all(struct server *server)
{
	for (struct link *l = list_first(&server->calls); l; l = list_next(&server->calls, l))
		call_go_away(call_socket_at(l)->call, session_shutdown_reason(&server->services));
}

void call_socket_abort_all(struct server *server)
{
	for (struct link *l = list_first(&server->calls); l; l = list_next(&server->calls, l))
		ws_abort(call_socket_at(l)->client.ws);
}
