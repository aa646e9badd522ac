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
#include "net/ws.h"
#include "server/server_private.h"
#include "session/session.h"
#include "session/tts_multi.h"
#include "session/tts_once.h"
#include "session/tts_stream.h"

/* The first request of /ws/tts may stand in the address, as long as this. */
#define INITIAL_MESSAGE_MAX 4096

struct tts_socket {
	struct link link;
	struct server *server;
	struct ws *ws; /* NULL once it is gone */
	struct session *session;
	struct peer peer;
};

static void peer_send(void *arg, const char *json, size_t len, uint64_t tag, uint32_t samples)
{
	struct tts_socket *socket = arg;
	struct outgoing *message = socket->ws ? outgoing_copy(json, len) : NULL;

	if (!message) {
		/* A client must not wait for a message that was lost. */
		if (socket->ws)
			ws_abort(socket->ws);
		return;
	}
	message->tag = tag;
	message->weight = samples;
	ws_send_text(socket->ws, message);
}

static uint64_t peer_drop(void *arg, uint64_t tag)
{
	struct tts_socket *socket = arg;

	return socket->ws ? ws_drop(socket->ws, tag) : 0;
}

static bool peer_is_full(void *arg)
{
	struct tts_socket *socket = arg;

	return socket->ws && ws_is_full(socket->ws);
}

static bool peer_tell_when_sent(void *arg, uint64_t tag)
{
	struct tts_socket *socket = arg;

	return socket->ws && ws_tell_when_sent(socket->ws, tag);
}

static void peer_close(void *arg, uint16_t code, const char *reason)
{
	struct tts_socket *socket = arg;

	if (socket->ws)
		ws_close(socket->ws, code, reason);
}

static const struct peer_ops peer_ops = {
	.send = peer_send,
	.drop = peer_drop,
	.is_full = peer_is_full,
	.tell_when_sent = peer_tell_when_sent,
	.close = peer_close,
};

static void on_message(void *arg, char *bytes, size_t len, bool is_binary)
{
	struct tts_socket *socket = arg;

	if (is_binary)
		socket->session->ops->binary(socket->session);
	else
		socket->session->ops->message(socket->session, bytes, len);
}

static void on_drained(void *arg)
{
	struct tts_socket *socket = arg;

	socket->session->ops->drained(socket->session);
}

static void on_sent(void *arg, uint64_t tag)
{
	struct tts_socket *socket = arg;

	socket->session->ops->sent(socket->session, tag);
}

/* What the socket still held was dropped with it: the session asks for it one
 * last time, so that only audio that was handed over is charged. */
static void on_closed(void *arg, uint16_t code)
{
	struct tts_socket *socket = arg;
	struct server *server = socket->server;

	log_debug("ws", "closed %u", code);
	socket->session = mem_deref(socket->session);
	socket->ws = NULL;
	list_remove(&server->sockets, &socket->link);
	mem_deref(socket);
	drain_check(server);
}

static const struct ws_handlers ws_handlers = {
	.message = on_message,
	.drained = on_drained,
	.sent = on_sent,
	.closed = on_closed,
};

static void socket_destroy(void *object)
{
	struct tts_socket *socket = object;

	mem_deref(socket->session);
}

/* A client that waits for the words of its project. */
struct pending_open {
	struct route_call call; /* holds its request; the key is gone */
	session_alloc_h *session_alloc;
	void (*begin)(struct tts_socket *socket, struct http_request *request); /* or NULL */
	int64_t key_id;
	int64_t project_id;
};

static int socket_alloc(struct tts_socket **socketp, const struct pending_open *pending)
{
	struct tts_socket *socket = mem_zalloc(sizeof(*socket), socket_destroy);
	struct server *server = pending->call.server;
	int err;

	if (!socket)
		return ENOMEM;
	socket->server = server;
	socket->peer = (struct peer){.ops = &peer_ops, .peer = socket};
	err = pending->session_alloc(&socket->session, &server->services, &socket->peer,
				     pending->call.request_id, pending->key_id,
				     pending->project_id);
	if (err) {
		mem_deref(socket);
		return err;
	}
	*socketp = socket;
	return 0;
}

static void socket_open(const struct pending_open *pending)
{
	const struct route_call *call = &pending->call;
	struct server *server = call->server;
	struct tts_socket *socket;

	if (socket_alloc(&socket, pending) != 0) {
		answer_error(call, WIRE_ERROR_INTERNAL, NULL);
		return;
	}
	http_reply_header(call->request, "X-KugelAudio-AI-Generated", "true");
	http_reply_header(call->request, "x-request-id", call->request_id);
	if (http_upgrade(&socket->ws, call->request, &ws_handlers, socket) != 0) {
		mem_deref(socket); /* answered already */
		return;
	}
	list_append(&server->sockets, &socket->link);
	if (server->draining) /* somebody had to say it: come back in a moment */
		ws_close(socket->ws, WS_CLOSE_TRY_LATER, "server restarting");
	else if (pending->begin)
		pending->begin(socket, call->request);
}

static void pending_destroy(void *object)
{
	struct pending_open *pending = object;

	mem_deref(pending->call.request);
}

static void on_words_ready(int err, void *arg)
{
	struct pending_open *pending = arg;

	if (err)
		answer_error(&pending->call, WIRE_ERROR_NO_DICTIONARIES, NULL);
	else
		socket_open(pending);
	mem_deref(pending);
}

/* Only the first client of a project waits: a session must have its words at
 * hand, for no first sample may wait for them. */
static int wait_for_words(const struct pending_open *open)
{
	struct pending_open *pending = mem_zalloc(sizeof(*pending), NULL);
	int err;

	if (!pending)
		return ENOMEM;
	*pending = *open;
	mem_ref(pending->call.request);
	mem_set_destructor(pending, pending_destroy);
	err = dictionaries_refresh(open->call.server->dictionaries, open->project_id,
				   on_words_ready, pending);
	if (err)
		mem_deref(pending);
	return err;
}

static void open_when_ready(const struct route_call *call, session_alloc_h *session_alloc,
			    void (*begin)(struct tts_socket *socket, struct http_request *request))
{
	struct pending_open open = {
		.call = *call,
		.session_alloc = session_alloc,
		.begin = begin,
		.key_id = call->key->id,
		.project_id = call->key->project_id,
	};

	open.call.key = NULL;
	if (dictionaries_has(call->server->dictionaries, open.project_id))
		socket_open(&open);
	else if (wait_for_words(&open) != 0)
		answer_error(call, WIRE_ERROR_INTERNAL, NULL);
}

/* A client that puts its first request into the address sends no frame for it. */
static void take_initial_message(struct tts_socket *socket, struct http_request *request)
{
	struct session *session = socket->session;
	char json[INITIAL_MESSAGE_MAX + 1];
	int err = http_query(request, "initial_message", json, sizeof(json));

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

void tts_socket_go_away_all(struct server *server)
{
	struct link *next = list_first(&server->sockets);

	while (next) {
		struct tts_socket *socket = LIST_OBJECT(next, struct tts_socket, link);

		next = list_next(&server->sockets, next);
		socket->session->ops->go_away(socket->session);
	}
}

void tts_socket_abort_all(struct server *server)
{
	for (struct link *l = list_first(&server->sockets); l; l = list_next(&server->sockets, l))
		ws_abort(LIST_OBJECT(l, struct tts_socket, link)->ws);
}
