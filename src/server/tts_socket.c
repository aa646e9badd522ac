/*
 * tts_socket.c: a WebSocket and the session on it (see tts_socket.h).
 *
 * This connects net to session: the client's messages are passed to the session, its replies to the
 * socket, and the socket's water marks become the session's back-pressure.  Runs on the loop's
 * thread.
 */
#include "server/tts_socket.h"

#include <errno.h>

#include "base/log.h"
#include "base/mem.h"
#include "metrics/metrics.h"
#include "net/ws.h"
#include "server/opening.h"
#include "server/server_private.h"
#include "session/denial.h"

static void tts_socket_on_came(void *arg)
{
	struct tts_socket *socket = arg;

	if (socket->opening)
		opening_count(socket->opening);
}

static void tts_socket_on_message(void *arg, char *bytes, size_t len, bool is_binary)
{
	struct tts_socket *socket = arg;
	struct session *session = socket->session;

	if (!session)
		opening_message(socket->opening, bytes, len, is_binary);
	else if (is_binary)
		session->ops->binary(session, bytes, len);
	else
		session->ops->message(session, bytes, len);
}

static void tts_socket_on_filled(void *arg)
{
	struct tts_socket *socket = arg;

	socket->client.peer.is_full = true;
	if (socket->session)
		socket->session->ops->filled(socket->session);
}

static void tts_socket_on_drained(void *arg)
{
	struct tts_socket *socket = arg;

	socket->client.peer.is_full = false;
	if (socket->session)
		socket->session->ops->drained(socket->session);
}

static void tts_socket_on_sent(void *arg, uint64_t tag)
{
	struct tts_socket *socket = arg;

	if (socket->session)
		socket->session->ops->sent(socket->session, tag);
}

static void tts_socket_on_overrun(void *arg, size_t bytes)
{
	struct tts_socket *socket = arg;
	const struct session *session = socket->session;
	const struct store_key *key = session ? caller_key(session->caller) : NULL;

	log_warn("ws",
		 "closed with 1008: a client does not read its replies, bytes=%zu account=%lld "
		 "key=%lld request=%s",
		 bytes, key ? (long long)key->account_id : 0LL, key ? (long long)key->id : 0LL,
		 session ? session->request_id : "-");
}

/* The session ends immediately: its speech is cancelled and booked, and audio that was not sent is
 * not charged. */
static void tts_socket_on_ending(void *arg)
{
	struct tts_socket *socket = arg;

	socket->session = mem_deref(socket->session);
}

/* Messages that were still queued have been dropped.  The session takes this into account when it
 * ends, so that only audio that was sent is charged. */
static void tts_socket_on_closed(void *arg, uint16_t code)
{
	struct tts_socket *socket = arg;
	struct server *server = socket->server;

	log_debug("ws", "closed %u", code);
	socket->session = mem_deref(socket->session);
	if (socket->opening)
		opening_cancel(socket->opening);
	socket->client.ws = NULL;
	list_remove(&server->sockets, &socket->link);
	mem_deref(socket);
	drain_check(server);
}

static const struct ws_handlers tts_socket_ws_handlers = {
	.message = tts_socket_on_message,
	.came = tts_socket_on_came,
	.filled = tts_socket_on_filled,
	.drained = tts_socket_on_drained,
	.overrun = tts_socket_on_overrun,
	.ending = tts_socket_on_ending,
	.sent = tts_socket_on_sent,
	.closed = tts_socket_on_closed,
};

static void tts_socket_destroy(void *object)
{
	struct tts_socket *socket = object;

	mem_deref(socket->session);
	mem_deref(socket->opening);
	mem_deref(socket->permit);
}

int tts_socket_alloc(struct tts_socket **socketp, struct server *server)
{
	struct tts_socket *socket = mem_zalloc(sizeof(*socket), tts_socket_destroy);

	if (!socket)
		return ENOMEM;
	socket->server = server;
	ws_peer_init(&socket->client);
	*socketp = socket;
	return 0;
}

struct tts_socket *tts_socket_upgrade(struct tts_socket *socket, const struct route_call *call)
{
	if (!call->route->socket->session->listen)
		answer_mark_speech(call);
	http_reply_header(call->request, "x-request-id", call->request_id);
	if (http_upgrade(&socket->client.ws, call->request, &tts_socket_ws_handlers, socket) != 0)
		return mem_deref(socket);
	list_append(&socket->server->sockets, &socket->link);
	metrics_add(METRIC_CONNECTIONS_OPENED, 1);
	if (socket->server->draining)
		ws_close(socket->client.ws, WS_CLOSE_TRY_LATER,
			 session_shutdown_reason(&socket->server->services));
	return socket;
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
				 session_shutdown_reason(&server->services));
			/* The socket is paused while its key is looked up, and its answer to the
			 * close must be read. */
			ws_pause(socket->client.ws, false);
		}
	}
}

/* Closes the sockets whose keys are no longer valid.  The session ends with its socket, which closes
 * when everything queued has been sent. */
void tts_socket_close_invalid(struct server *server)
{
	static const struct denied ended = {.why = DENIAL_KEY, .limit = -1};
	struct link *next = list_first(&server->sockets);
	struct stream_fault fault;

	denial_describe(&fault, &ended);
	while (next) {
		struct tts_socket *socket = LIST_OBJECT(next, struct tts_socket, link);

		next = list_next(&server->sockets, next);
		if (socket->session && !caller_may_speak(socket->session->caller))
			socket->session->ops->shut(socket->session, &fault);
	}
}

void tts_socket_abort_all(struct server *server)
{
	for (struct link *l = list_first(&server->sockets); l; l = list_next(&server->sockets, l))
		ws_abort(LIST_OBJECT(l, struct tts_socket, link)->client.ws);
}
