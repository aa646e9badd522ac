/*
 * tts_socket.c: a WebSocket and the session on it.
 *
 * The glue between net and session: messages go up, replies go down, and the
 * water marks of the socket become the session's back-pressure.
 */
#include <errno.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "metrics/metrics.h"
#include "net/ws.h"
#include "server/elevenlabs_address.h"
#include "server/late_key.h"
#include "server/server_private.h"
#include "server/ws_peer.h"
#include "session/denial.h"
#include "session/session.h"
#include "session/tts_multi.h"
#include "session/tts_once.h"
#include "session/tts_stream.h"
#include "wire/elevenlabs_dialect.h"

/* The first request of /ws/tts may stand in the address, as long as this. */
#define INITIAL_MESSAGE_MAX 4096

/* A client whose key comes in its first message: what its session will need. */
struct latecomer {
	struct keyless_member keyless; /* until its key has been checked */
	struct tts_socket *socket; /* whose it is */
	struct late_key *late;
	struct elevenlabs_address *address;
	session_alloc_h *session_alloc;
	struct member *member; /* NULL: not known yet */
	char request_id[REQUEST_ID_LEN + 1];
};

/* There is one for each idle connection: what only few need is elsewhere. */
struct tts_socket {
	struct link link;
	struct server *server;
	struct session *session; /* NULL: its key has not come yet */
	struct ws_peer client;
	struct connection_permit *permit;
	struct latecomer *latecomer; /* NULL: its key came with the request */
};

static void hear_key(struct tts_socket *socket, const char *bytes, size_t len, bool is_binary);
static void latecomer_admit(struct latecomer *latecomer);

/* What is held for a client whose key is not known yet. */
static void tts_socket_on_came(void *arg)
{
	struct tts_socket *socket = arg;
	struct latecomer *latecomer = socket->latecomer;

	if (latecomer && latecomer->keyless.all)
		keyless_count(&latecomer->keyless, ws_held_bytes(socket->client.ws) +
							   late_key_held_bytes(latecomer->late));
}

static void on_message(void *arg, char *bytes, size_t len, bool is_binary)
{
	struct tts_socket *socket = arg;

	if (!socket->session)
		hear_key(socket, bytes, len, is_binary);
	else if (is_binary)
		socket->session->ops->binary(socket->session);
	else
		socket->session->ops->message(socket->session, bytes, len);
}

static void tts_socket_on_filled(void *arg)
{
	struct tts_socket *socket = arg;

	socket->client.peer.is_full = true;
	if (socket->session)
		socket->session->ops->filled(socket->session);
}

static void on_drained(void *arg)
{
	struct tts_socket *socket = arg;

	socket->client.peer.is_full = false;
	if (socket->session)
		socket->session->ops->drained(socket->session);
}

static void on_sent(void *arg, uint64_t tag)
{
	struct tts_socket *socket = arg;

	if (socket->session)
		socket->session->ops->sent(socket->session, tag);
}

static void tts_socket_on_overrun(void *arg, size_t bytes)
{
	struct tts_socket *socket = arg;
	const struct session *session = socket->session;
	const struct store_key *key = session ? member_key(session->member) : NULL;

	log_warn("ws",
		 "closed with 1008: a client does not read its replies, bytes=%zu account=%lld "
		 "key=%lld request=%s",
		 bytes, key ? (long long)key->account_id : 0LL, key ? (long long)key->id : 0LL,
		 session ? session->request_id : "-");
}

/* The session ends at once: its speech is cancelled and booked, and audio that was not sent
 * is not charged. */
static void tts_socket_on_ending(void *arg)
{
	struct tts_socket *socket = arg;

	socket->session = mem_deref(socket->session);
}

/* What the socket still held was dropped with it: the session asks for it one
 * last time, so that only audio that was handed over is charged. */
static void on_closed(void *arg, uint16_t code)
{
	struct tts_socket *socket = arg;
	struct server *server = socket->server;

	log_debug("ws", "closed %u", code);
	socket->session = mem_deref(socket->session);
	if (socket->latecomer) {
		latecomer_admit(socket->latecomer);
		socket->latecomer->late = mem_deref(socket->latecomer->late);
	}
	socket->client.ws = NULL;
	list_remove(&server->sockets, &socket->link);
	mem_deref(socket);
	drain_check(server);
}

static const struct ws_handlers ws_handlers = {
	.message = on_message,
	.came = tts_socket_on_came,
	.filled = tts_socket_on_filled,
	.drained = on_drained,
	.overrun = tts_socket_on_overrun,
	.ending = tts_socket_on_ending,
	.sent = on_sent,
	.closed = on_closed,
};

static void socket_destroy(void *object)
{
	struct tts_socket *socket = object;

	mem_deref(socket->session);
	mem_deref(socket->latecomer);
	mem_deref(socket->permit);
}

/* A client on its way in: its project's words are read, and one more connection is
 * asked for. */
struct pending_open {
	struct route_call call; /* holds its request and its member */
	session_alloc_h *session_alloc;
	void (*begin)(struct tts_socket *socket, const struct route_call *call); /* or NULL */
	struct connection_permit *permit;
};

static int socket_alloc(struct tts_socket **socketp, const struct route_call *call)
{
	struct tts_socket *socket = mem_zalloc(sizeof(*socket), socket_destroy);

	if (!socket)
		return ENOMEM;
	socket->server = call->server;
	ws_peer_init(&socket->client);
	*socketp = socket;
	return 0;
}

static int begin_session(struct tts_socket *socket, session_alloc_h *session_alloc,
			 const char *request_id, struct member *member)
{
	return session_alloc(&socket->session, &socket->server->services, &socket->client.peer,
			     request_id, member);
}

/* The socket belongs to its WebSocket from here on; NULL: the request was answered
 * otherwise. */
static struct tts_socket *shake_hands(struct tts_socket *socket, const struct route_call *call)
{
	http_reply_header(call->request, "X-KugelAudio-AI-Generated", "true");
	http_reply_header(call->request, "x-request-id", call->request_id);
	if (http_upgrade(&socket->client.ws, call->request, &ws_handlers, socket) != 0)
		return mem_deref(socket);
	list_append(&call->server->sockets, &socket->link);
	metrics_add(METRIC_CONNECTIONS_OPENED, 1);
	if (call->server->draining) /* somebody had to say it: come back in a moment */
		ws_close(socket->client.ws, WS_CLOSE_TRY_LATER,
			 session_leave_reason(&call->server->services));
	return socket;
}

static void socket_open(struct pending_open *pending)
{
	const struct route_call *call = &pending->call;
	struct tts_socket *socket;
	int err = socket_alloc(&socket, call);

	if (!err) {
		err = begin_session(socket, pending->session_alloc, call->request_id, call->member);
		if (err)
			mem_deref(socket);
	}
	if (err) {
		answer_error(call, WIRE_ERROR_INTERNAL, NULL);
		return;
	}
	socket->permit = pending->permit;
	pending->permit = NULL;
	socket = shake_hands(socket, call);
	if (socket && pending->begin && !call->server->draining)
		pending->begin(socket, call);
}

static void pending_destroy(void *object)
{
	struct pending_open *pending = object;

	mem_deref(pending->permit);
	mem_deref(pending->call.request);
	mem_deref(pending->call.member);
}

static void refuse_connection(const struct pending_open *pending, const struct denied *denied)
{
	struct stream_fault fault;

	denial_describe(&fault, denied);
	answer_fault(&pending->call, &fault);
}

static void on_permit(int err, const struct denied *denied, void *arg)
{
	struct pending_open *pending = arg;

	if (err)
		refuse_connection(pending, denied);
	else
		socket_open(pending);
	mem_deref(pending);
}

/* Ends with the pending one. */
static void ask_permit(struct pending_open *pending)
{
	struct denied denied = {.why = DENIAL_NONE, .limit = -1};
	int err =
		member_connect(&pending->permit, pending->call.member, &denied, on_permit, pending);

	if (err != EINPROGRESS)
		on_permit(err, &denied, pending);
}

static void on_words_ready(int err, void *arg)
{
	struct pending_open *pending = arg;

	if (!err) {
		ask_permit(pending);
		return;
	}
	answer_error(&pending->call, WIRE_ERROR_NO_DICTIONARIES, NULL);
	mem_deref(pending);
}

/* Only the first client of a project waits: a session must have its words at
 * hand, for no first sample may wait for them. */
static int wait_for_words(struct pending_open *pending)
{
	struct dictionaries *dictionaries = pending->call.server->dictionaries;
	int64_t project_id = pending->call.key->project_id;

	if (!dictionaries_has(dictionaries, project_id))
		return dictionaries_refresh(dictionaries, project_id, on_words_ready, pending);
	ask_permit(pending);
	return 0;
}

static void open_when_ready(const struct route_call *call, session_alloc_h *session_alloc,
			    void (*begin)(struct tts_socket *socket, const struct route_call *call))
{
	struct pending_open *pending = mem_zalloc(sizeof(*pending), NULL);

	if (!pending) {
		answer_error(call, WIRE_ERROR_INTERNAL, NULL);
		return;
	}
	pending->call = *call;
	pending->session_alloc = session_alloc;
	pending->begin = begin;
	mem_ref(call->request);
	mem_ref(call->member);
	mem_set_destructor(pending, pending_destroy);
	if (wait_for_words(pending) != 0) {
		answer_error(call, WIRE_ERROR_INTERNAL, NULL);
		mem_deref(pending);
	}
}

/* A client that puts its first request into the address sends no frame for it. */
static void take_initial_message(struct tts_socket *socket, const struct route_call *call)
{
	struct session *session = socket->session;
	char json[INITIAL_MESSAGE_MAX + 1];
	int err = http_query(call->request, "initial_message", json, sizeof(json));

	if (!err)
		session->ops->message(session, json, strlen(json));
	else if (err != ENOENT)
		session_send_error(session, NULL, WIRE_ERROR_INVALID_REQUEST,
				   err == ENOBUFS ? "initial_message is longer than 4096 bytes"
						  : "initial_message is not percent-encoded");
}

void tts_socket_open_once(const struct route_call *call)
{
	open_when_ready(call, tts_once_alloc, take_initial_message);
}

void tts_socket_open_stream(const struct route_call *call)
{
	open_when_ready(call, tts_stream_alloc, NULL);
}

void tts_socket_open_multi(const struct route_call *call)
{
	open_when_ready(call, tts_multi_alloc, NULL);
}

static void begin_elevenlabs(struct tts_socket *socket, const struct route_call *call)
{
	struct elevenlabs_address *address;

	if (elevenlabs_address_read(&address, call) != 0) {
		ws_abort(socket->client.ws);
		return;
	}
	elevenlabs_address_open(address, socket->session);
	mem_deref(address);
}

/* The connection is no longer unauthenticated: its key is valid, or it is closing. */
static void latecomer_admit(struct latecomer *latecomer)
{
	ws_set_keyless(latecomer->socket->client.ws, NULL);
	keyless_leave(&latecomer->keyless);
}

/* Memory is needed, and this connection has not presented a valid key. */
static void latecomer_evict(struct keyless_member *member)
{
	struct latecomer *latecomer = LIST_OBJECT(member, struct latecomer, keyless);

	latecomer->late = mem_deref(latecomer->late);
	ws_evict(latecomer->socket->client.ws, WS_CLOSE_TRY_LATER,
		 "too many connections without a key");
}

/* There is no session that could say it. */
static void refuse_late(struct tts_socket *socket, const struct stream_fault *fault)
{
	const struct peer *peer = &socket->client.peer;
	const struct wire_notice notice = {
		.id = fault->id,
		.retry_s = fault->retry_s,
		.detail = fault->detail,
		.request_id = socket->latecomer->request_id,
	};
	struct buf message;

	ws_pause(socket->client.ws, false); /* the client's answer to the close must be read */
	peer_send(peer, &message,
		  dialect_elevenlabs.error(peer_begin(peer, &message), NULL, &notice), 0, 0);
	peer->ops->close(peer->peer, ELEVENLABS_CLOSE_ERROR, NULL);
}

static void refuse_key(void *arg, enum wire_error_id id, const char *detail)
{
	struct stream_fault fault;

	fault_set(&fault, id, "%s", detail ? detail : "");
	refuse_late(arg, &fault);
}

/* Nothing more is read while the key is looked up; what has already arrived is kept. */
static void hear_key(struct tts_socket *socket, const char *bytes, size_t len, bool is_binary)
{
	struct late_key *late = socket->latecomer->late;

	if (is_binary)
		late_key_refuse(late, WIRE_ERROR_INVALID_REQUEST, "messages must be text frames");
	else
		late_key_message(late, bytes, len);
	if (!late_key_was_refused(late))
		ws_pause(socket->client.ws, true);
}

static void say_again(void *arg, char *json, size_t len)
{
	struct tts_socket *socket = arg;

	socket->session->ops->message(socket->session, json, len);
}

static void begin_late(struct tts_socket *socket)
{
	struct latecomer *latecomer = socket->latecomer;

	if (begin_session(socket, latecomer->session_alloc, latecomer->request_id,
			  latecomer->member) != 0) {
		refuse_key(socket, WIRE_ERROR_INTERNAL, NULL);
		return;
	}
	elevenlabs_address_open(latecomer->address, socket->session);
	late_key_replay(latecomer->late, say_again, socket);
	latecomer->address = mem_deref(latecomer->address);
	ws_set_message_max(socket->client.ws, WS_MESSAGE_MAX);
	ws_pause(socket->client.ws, false);
	if (socket->server->draining)
		socket->session->ops->go_away(socket->session);
}

static void on_late_permit(int err, const struct denied *denied, void *arg)
{
	struct tts_socket *socket = arg;
	struct stream_fault fault;

	/* The client may have sent too much in the meantime, or closed the connection. */
	if (late_key_was_refused(socket->latecomer->late) || ws_is_closing(socket->client.ws))
		return;
	if (!err) {
		begin_late(socket);
		return;
	}
	denial_describe(&fault, denied);
	refuse_late(socket, &fault);
}

static void ask_late_permit(struct tts_socket *socket)
{
	struct denied denied = {.why = DENIAL_NONE, .limit = -1};
	int err = member_connect(&socket->permit, socket->latecomer->member, &denied,
				 on_late_permit, socket);

	if (err != EINPROGRESS)
		on_late_permit(err, &denied, socket);
}

/* The client may be gone meanwhile: then only this holds the socket. */
static void on_late_words(int err, void *arg)
{
	struct tts_socket *socket = arg;

	if (socket->client.ws && !ws_is_closing(socket->client.ws)) {
		if (err)
			refuse_key(socket, WIRE_ERROR_NO_DICTIONARIES, NULL);
		else
			ask_late_permit(socket);
	}
	mem_deref(socket);
}

static void accept_key(void *arg, struct member *member)
{
	struct tts_socket *socket = arg;
	struct dictionaries *dictionaries = socket->server->dictionaries;
	int64_t project_id = member_key(member)->project_id;

	if (ws_is_closing(socket->client.ws))
		return;
	socket->latecomer->member = mem_ref(member);
	latecomer_admit(socket->latecomer);
	ws_set_read_max(socket->client.ws, STREAM_READ_MAX);
	if (dictionaries_has(dictionaries, project_id)) {
		ask_late_permit(socket);
	} else if (dictionaries_refresh(dictionaries, project_id, on_late_words, mem_ref(socket)) !=
		   0) {
		mem_deref(socket);
		refuse_key(socket, WIRE_ERROR_INTERNAL, NULL);
	}
}

static const struct late_key_ops late_key_ops = {.known = accept_key, .refused = refuse_key};

static void latecomer_destroy(void *object)
{
	struct latecomer *latecomer = object;

	mem_deref(latecomer->late);
	mem_deref(latecomer->address);
	mem_deref(latecomer->member);
}

static int latecomer_alloc(struct tts_socket *socket, const struct route_call *call,
			   session_alloc_h *session_alloc)
{
	struct latecomer *latecomer = mem_zalloc(sizeof(*latecomer), latecomer_destroy);
	int err;

	if (!latecomer)
		return ENOMEM;
	socket->latecomer = latecomer;
	latecomer->socket = socket;
	latecomer->session_alloc = session_alloc;
	memcpy(latecomer->request_id, call->request_id, sizeof(latecomer->request_id));
	err = elevenlabs_address_read(&latecomer->address, call);
	if (err)
		return err;
	return late_key_alloc(&latecomer->late, call->server, STORE_SCOPE_SPEAK, &late_key_ops,
			      socket);
}

/* Lets a client in whose key is yet to come. */
static void open_late(const struct route_call *call, session_alloc_h *session_alloc)
{
	struct tts_socket *socket;
	int err = socket_alloc(&socket, call);

	if (!err) {
		err = latecomer_alloc(socket, call, session_alloc);
		if (err)
			mem_deref(socket);
	}
	if (err) {
		answer_error(call, WIRE_ERROR_INTERNAL, NULL);
		return;
	}
	socket = shake_hands(socket, call);
	if (!socket)
		return;
	ws_set_message_max(socket->client.ws, LATE_KEY_MESSAGE_MAX);
	ws_set_read_max(socket->client.ws, KEYLESS_READ_MAX);
	keyless_join(http_keyless(call->server->http), &socket->latecomer->keyless,
		     latecomer_evict);
	ws_set_keyless(socket->client.ws, &socket->latecomer->keyless);
}

static void open_elevenlabs_stream(const struct route_call *call)
{
	open_when_ready(call, tts_stream_alloc_elevenlabs, begin_elevenlabs);
}

static void open_elevenlabs_multi(const struct route_call *call)
{
	open_when_ready(call, tts_multi_alloc_elevenlabs, begin_elevenlabs);
}

void tts_socket_open_stream_input(const struct route_call *call)
{
	if (auth_has_key(call->request))
		auth_request(call, STORE_SCOPE_SPEAK | AUTH_AS_TURN, open_elevenlabs_stream);
	else
		open_late(call, tts_stream_alloc_elevenlabs);
}

void tts_socket_open_multi_stream_input(const struct route_call *call)
{
	if (auth_has_key(call->request))
		auth_request(call, STORE_SCOPE_SPEAK | AUTH_AS_TURN, open_elevenlabs_multi);
	else
		open_late(call, tts_multi_alloc_elevenlabs);
}

void tts_socket_go_away_all(struct server *server)
{
	struct link *next = list_first(&server->sockets);

	while (next) {
		struct tts_socket *socket = LIST_OBJECT(next, struct tts_socket, link);

		next = list_next(&server->sockets, next);
		if (socket->session) {
			socket->session->ops->go_away(socket->session);
		} else {
			ws_close(socket->client.ws, SESSION_CLOSE_RESTART,
				 session_leave_reason(&server->services));
			/* It is paused while its key is looked up, and its answer to the close must
			 * be read. */
			ws_pause(socket->client.ws, false);
		}
	}
}

/* The session goes with its socket, which closes when its last words have left. */
void tts_socket_shut_ended(struct server *server)
{
	static const struct denied ended = {.why = DENIAL_KEY, .limit = -1};
	struct link *next = list_first(&server->sockets);
	struct stream_fault fault;

	denial_describe(&fault, &ended);
	while (next) {
		struct tts_socket *socket = LIST_OBJECT(next, struct tts_socket, link);

		next = list_next(&server->sockets, next);
		if (socket->session && !member_may_speak(socket->session->member))
			socket->session->ops->shut(socket->session, &fault);
	}
}

void tts_socket_abort_all(struct server *server)
{
	for (struct link *l = list_first(&server->sockets); l; l = list_next(&server->sockets, l))
		ws_abort(LIST_OBJECT(l, struct tts_socket, link)->client.ws);
}
