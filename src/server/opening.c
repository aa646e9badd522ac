/*
 * opening.c: admits a WebSocket client to a session (see opening.h).
 *
 * An opening whose key is in the request holds its own reference until the last step, or until it
 * is refused.  With in-band authentication it belongs to its socket.
 */
#include "server/opening.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/mem.h"
#include "net/ws.h"
#include "server/routes.h"
#include "server/server_private.h"
#include "server/socket_address.h"
#include "session/denial.h"

#define KEY_TEXT_MAX 256
#define FIRST_MESSAGE_MAX 4096 /* the longest first message in a URL */

struct opening {
	/* With references to its caller and, until the upgrade, its request. */
	struct route_call call;
	const struct tts_socket_api *api;
	struct socket_address *address; /* NULL: the URL has no settings */
	struct connection_permit *permit;
	size_t step; /* the index of the next step */

	/* Only used with in-band authentication: */
	struct tts_socket *socket; /* NULL: the key is in the request, or the client is gone */
	bool is_in_band;
	bool is_refused; /* the connection is closing */
	struct keyless_member keyless; /* counts its memory until the key has been checked */
	struct callers_check *check;
	struct timer timer; /* limits the wait for the first message */
	struct buf kept; /* messages, each preceded by its length */
};

/* Drops what the client has sent, and stops waiting for it. */
static void opening_forget(struct opening *opening)
{
	timer_clear(&opening->call.server->loop->timers, &opening->timer);
	if (opening->check)
		callers_check_cancel(opening->check);
	opening->check = NULL;
	buf_reset(&opening->kept);
}

static void opening_destroy(void *object)
{
	struct opening *opening = object;

	opening_forget(opening);
	mem_deref(opening->permit);
	mem_deref(opening->address);
	mem_deref(opening->call.caller);
	mem_deref(opening->call.request);
}

/* Whether the client of an open WebSocket is gone, or is being disconnected. */
static bool opening_is_lost(const struct opening *opening)
{
	return opening->is_in_band && (!opening->socket || opening->is_refused ||
				       ws_is_closing(opening->socket->client.ws));
}

/* Reports an error on an open WebSocket and closes it.  There is no session yet that could do
 * so. */
static void opening_close(struct opening *opening, const struct wire_notice *notice)
{
	const struct socket_api *api = opening->api->session;
	const struct peer *peer = &opening->socket->client.peer;
	struct buf message;

	opening->is_refused = true;
	timer_clear(&opening->call.server->loop->timers, &opening->timer);
	/* The client's answer to the close must be read. */
	ws_pause(opening->socket->client.ws, false);
	peer_send(peer, &message, api->dialect->error(peer_begin(peer, &message), NULL, notice), 0,
		  0);
	peer->ops->close(peer->peer, api->error_code, NULL);
}

/* Releases the opening if its key is in the request.  Returns EACCES, for use in steps. */
static int opening_refuse(struct opening *opening, enum wire_error_id id, const char *detail)
{
	const struct wire_notice notice = {
		.id = id, .detail = detail, .request_id = opening->call.request_id};

	if (!opening->is_in_band) {
		answer_error(&opening->call, id, detail);
		mem_deref(opening);
	} else if (!opening->is_refused) {
		opening_close(opening, &notice);
	}
	return EACCES;
}

static int opening_deny(struct opening *opening, const struct denied *denied)
{
	struct stream_fault fault;

	denial_describe(&fault, denied);
	if (opening->is_in_band) {
		const struct wire_notice notice = {
			.id = fault.id,
			.retry_s = fault.retry_s,
			.detail = fault.detail,
			.request_id = opening->call.request_id,
		};

		opening_close(opening, &notice);
	} else {
		answer_fault(&opening->call, &fault);
		mem_deref(opening);
	}
	return EACCES;
}

/* A step returns 0, EINPROGRESS (opening_continue will be called), or EACCES after a refusal. */
typedef int(opening_step_h)(struct opening *opening);
static void opening_continue(struct opening *opening);

/* The first step: the key */

static void opening_on_timeout(void *arg)
{
	opening_refuse(arg, WIRE_ERROR_MISSING_KEY, "no message came");
}

static int opening_await_key(struct opening *opening)
{
	if (opening->call.caller)
		return 0;
	timer_set(&opening->call.server->loop->timers, &opening->timer,
		  OPENING_KEY_MS * UINT64_C(1000), opening_on_timeout, opening);
	return EINPROGRESS;
}

/* Stops counting the connection as unauthenticated: its key is valid, or it is closing. */
static void opening_leave_keyless(struct opening *opening)
{
	if (opening->socket->client.ws)
		ws_set_keyless(opening->socket->client.ws, NULL);
	keyless_leave(&opening->keyless);
}

static void opening_on_checked(int err, struct caller *caller, void *arg)
{
	struct opening *opening = arg;

	opening->check = NULL;
	if (opening->is_refused)
		return;
	if (err) {
		opening_refuse(opening, err == EACCES ? WIRE_ERROR_WRONG_KEY : WIRE_ERROR_NO_KEYS,
			       NULL);
		return;
	}
	if (!(caller_key(caller)->scopes & opening->call.route->scopes)) {
		opening_refuse(opening, WIRE_ERROR_FORBIDDEN, "the key may not speak");
		return;
	}
	if (opening_is_lost(opening))
		return;
	opening->call.caller = mem_ref(caller);
	opening->call.key = caller_key(caller);
	opening_leave_keyless(opening);
	ws_set_read_max(opening->socket->client.ws, STREAM_READ_MAX);
	opening_continue(opening);
}

/* Returns EACCES if the message has no key. */
static int opening_check_key(struct opening *opening, const char *json, size_t len)
{
	const struct route *route = opening->call.route;
	char key[KEY_TEXT_MAX];
	char *copy = malloc(len > 0 ? len : 1);
	int err;

	if (!copy)
		return ENOMEM;
	memcpy(copy, json, len);
	opening->api->read_key(key, sizeof(key), copy, len);
	explicit_bzero(copy, len);
	free(copy);
	if (!key[0])
		return EACCES;
	err = callers_check(&opening->check, opening->call.server->callers, key, strlen(key),
			    route->token_path ? route->token_path : route->path, opening_on_checked,
			    opening);
	explicit_bzero(key, sizeof(key));
	return err;
}

static int opening_keep(struct opening *opening, const char *json, size_t len)
{
	int err = buf_reserve(&opening->kept, sizeof(len) + len);

	if (err)
		return err;
	buf_append(&opening->kept, &len, sizeof(len));
	return buf_append(&opening->kept, json, len);
}

void opening_message(struct opening *opening, const char *bytes, size_t len, bool is_binary)
{
	bool is_first = opening->kept.len == 0 && !opening->call.caller;
	int err;

	if (opening->is_refused)
		return;
	if (is_binary) {
		opening_refuse(opening, WIRE_ERROR_INVALID_REQUEST, "messages must be text frames");
		return;
	}
	err = opening_keep(opening, bytes, len);
	if (!err && is_first) {
		timer_clear(&opening->call.server->loop->timers, &opening->timer);
		err = opening_check_key(opening, bytes, len);
	}
	if (err == EACCES)
		opening_refuse(opening, WIRE_ERROR_MISSING_KEY, opening->api->missing_key);
	else if (err == ENOBUFS)
		opening_refuse(opening, WIRE_ERROR_TEXT_TOO_LONG, NULL);
	else if (err)
		opening_refuse(opening, WIRE_ERROR_INTERNAL, NULL);
	else /* Nothing more is read until the session begins; what has arrived is kept. */
		ws_pause(opening->socket->client.ws, true);
}

void opening_count(struct opening *opening)
{
	if (opening->keyless.all)
		keyless_count(&opening->keyless,
			      ws_held_bytes(opening->socket->client.ws) + opening->kept.size);
}

/* The second step: the dictionaries of the project.  Only the first client of a project waits for
 * them.  They must be in memory when a session begins, so that its first audio is not delayed. */

static void opening_on_dictionaries(int err, void *arg)
{
	struct opening *opening = arg;

	if (!opening_is_lost(opening)) {
		if (err)
			opening_refuse(opening, WIRE_ERROR_NO_DICTIONARIES, NULL);
		else
			opening_continue(opening);
	}
	mem_deref(opening);
}

static int opening_read_dictionaries(struct opening *opening)
{
	struct dictionary_cache *dictionaries = opening->call.server->dictionaries;
	int64_t project_id = opening->call.key->project_id;

	if (dictionary_cache_has(dictionaries, project_id))
		return 0;
	if (dictionary_cache_refresh(dictionaries, project_id, opening_on_dictionaries,
				     mem_ref(opening)) == 0)
		return EINPROGRESS;
	mem_deref(opening);
	return opening_refuse(opening, WIRE_ERROR_INTERNAL, NULL);
}

/* The third step: a permit for one more connection of the account */

static void opening_on_permit(int err, const struct denied *denied, void *arg)
{
	struct opening *opening = arg;

	if (opening_is_lost(opening))
		return;
	if (err)
		opening_deny(opening, denied);
	else
		opening_continue(opening);
}

static int opening_ask_permit(struct opening *opening)
{
	struct denied denied = {.why = DENIAL_NONE, .limit = -1};
	int err = caller_connect(&opening->permit, opening->call.caller, &denied, opening_on_permit,
				 opening);

	return err && err != EINPROGRESS ? opening_deny(opening, &denied) : err;
}

/* The last step: the session */

static int opening_make_session(struct opening *opening, struct tts_socket *socket)
{
	int err =
		session_alloc(&socket->session, opening->api->session, &socket->server->services,
			      &socket->client.peer, opening->call.request_id, opening->call.caller);

	if (err)
		return err;
	socket->permit = opening->permit;
	opening->permit = NULL;
	return 0;
}

/* A client whose first message is in the URL sends no frame for it. */
static void opening_take_first_message(struct opening *opening, struct session *session)
{
	const char *name = opening->api->first_message;
	char json[FIRST_MESSAGE_MAX + 1];
	char detail[80];
	int err = http_query(opening->call.request, name, json, sizeof(json));

	if (!err) {
		session->ops->message(session, json, strlen(json));
	} else if (err != ENOENT) {
		snprintf(detail, sizeof(detail), "%s is %s", name,
			 err == ENOBUFS ? "longer than 4096 bytes" : "not percent-encoded");
		session_send_error(session, NULL, WIRE_ERROR_INVALID_REQUEST, detail);
	}
}

static int opening_begin(struct opening *opening)
{
	struct server *server = opening->call.server;
	struct tts_socket *socket = NULL;
	int err = tts_socket_alloc(&socket, server);

	if (!err)
		err = opening_make_session(opening, socket);
	if (err) {
		mem_deref(socket);
		return opening_refuse(opening, WIRE_ERROR_INTERNAL, NULL);
	}
	socket = tts_socket_upgrade(socket, &opening->call);
	if (socket && !server->draining && opening->address)
		socket_address_open(opening->address, socket->session);
	if (socket && !server->draining && opening->api->first_message)
		opening_take_first_message(opening, socket->session);
	mem_deref(opening);
	return 0;
}

static int opening_begin_in_band(struct opening *opening)
{
	struct tts_socket *socket = opening->socket;
	struct buf kept = opening->kept;
	size_t at = 0;

	if (opening_make_session(opening, socket) != 0)
		return opening_refuse(opening, WIRE_ERROR_INTERNAL, NULL);
	if (opening->address)
		socket_address_open(opening->address, socket->session);
	buf_init(&opening->kept, 0);
	socket->opening = mem_deref(opening);
	while (at < kept.len && socket->session) {
		size_t len;

		memcpy(&len, kept.bytes + at, sizeof(len));
		at += sizeof(len);
		socket->session->ops->message(socket->session, kept.bytes + at, len);
		at += len;
	}
	buf_reset(&kept);
	ws_set_message_max(socket->client.ws, WS_MESSAGE_MAX);
	ws_pause(socket->client.ws, false);
	if (socket->server->draining && socket->session)
		socket->session->ops->go_away(socket->session);
	return 0;
}

static void opening_continue(struct opening *opening)
{
	static opening_step_h *const steps[] = {
		opening_await_key,
		opening_read_dictionaries,
		opening_ask_permit,
	};

	while (opening->step < COUNT(steps)) {
		if (steps[opening->step++](opening) != 0)
			return;
	}
	if (opening->is_in_band)
		opening_begin_in_band(opening);
	else
		opening_begin(opening);
}

/* The start */

static int opening_alloc(struct opening **openingp, const struct route_call *call)
{
	struct opening *opening = mem_zalloc(sizeof(*opening), NULL);
	int err;

	if (!opening)
		return ENOMEM;
	opening->call = *call;
	opening->call.request = mem_ref(call->request);
	opening->call.caller = call->caller ? mem_ref(call->caller) : NULL;
	opening->api = call->route->socket;
	opening->is_in_band = !call->caller;
	buf_init(&opening->kept, OPENING_KEPT_MAX + sizeof(size_t));
	mem_set_destructor(opening, opening_destroy);
	err = socket_address_read(&opening->address, opening->api, call);
	if (err)
		mem_deref(opening);
	else
		*openingp = opening;
	return err;
}

/* Called when memory is needed and this connection, which has no valid key, has been chosen to be
 * closed. */
static void opening_evict(struct keyless_member *member)
{
	struct opening *opening = LIST_OBJECT(member, struct opening, keyless);

	opening->is_refused = true;
	opening_forget(opening);
	ws_evict(opening->socket->client.ws, WS_CLOSE_TRY_LATER,
		 "too many connections without a key");
}

void opening_cancel(struct opening *opening)
{
	opening_leave_keyless(opening);
	opening_forget(opening);
	opening->socket = NULL;
}

/* Opens the WebSocket first, within the limits for unauthenticated clients.  If that fails, the opening
 * has been released. */
static int opening_open_socket(struct opening *opening)
{
	const struct route_call *call = &opening->call;
	struct tts_socket *socket;

	if (tts_socket_alloc(&socket, call->server) != 0) {
		mem_deref(opening);
		return ENOMEM;
	}
	socket->opening = opening;
	opening->socket = socket;
	opening->is_in_band = true;
	if (!tts_socket_upgrade(socket, call))
		return EPROTO;
	opening->call.request = mem_deref(opening->call.request);
	ws_set_message_max(socket->client.ws, OPENING_MESSAGE_MAX);
	ws_set_read_max(socket->client.ws, KEYLESS_READ_MAX);
	keyless_join(http_keyless(call->server->http), &opening->keyless, opening_evict);
	ws_set_keyless(socket->client.ws, &opening->keyless);
	return 0;
}

bool opening_tell_refusal(const struct route_call *call, const struct wire_notice *notice)
{
	struct opening *opening;
	int err;

	if (!call->route || !call->route->socket || !call->route->socket->tells_refusals ||
	    !http_wants_upgrade(call->request) || opening_alloc(&opening, call) != 0)
		return false;
	err = opening_open_socket(opening);
	if (!err)
		opening_close(opening, notice);
	return err != ENOMEM;
}

void opening_start(const struct route_call *call)
{
	struct opening *opening;
	int err = opening_alloc(&opening, call);

	if (!err && opening->is_in_band)
		err = opening_open_socket(opening);
	if (!err)
		opening_continue(opening);
	else if (err != EPROTO) /* which has been answered */
		answer_error(call, WIRE_ERROR_INTERNAL, NULL);
}
