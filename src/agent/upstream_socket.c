/*
 * upstream_socket.c: one connection to a developer's server (see upstream_socket.h).
 *
 * The object outlives its owner's interest in it: it is freed when its WebSocket has ended, which
 * may take seconds if the server does not answer the close frame.
 */
#include "agent/upstream_socket.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/list.h"
#include "base/mem.h"
#include "net/ws_dial.h"
#include "wire/engine_reply.h"

#define SMALL_MAX 1024u /* of a message other than a transcript */
#define WHY_SIZE 128

struct upstream_sockets {
	struct loop *loop;
	struct dialer *dialer;
	struct list list; /* all of them, also those that are being closed */
};

struct upstream_socket {
	struct link link;
	struct upstream_sockets *sockets; /* NULL: they are gone */
	struct loop *loop;
	const struct upstream_socket_handlers *handlers; /* NULL: closed by its owner, or lost */
	void *arg;
	struct ws_dial *dial; /* NULL: connected */
	struct ws *ws; /* NULL: not connected yet */
	struct timer timer; /* until the next ping, or for the answer to one */
	bool is_pinged; /* and nothing has come since */
	char conversation_id[ENGINE_EVENT_MAX];
};

static struct timers *upstream_socket_timers(const struct upstream_socket *socket)
{
	return &socket->loop->timers;
}

static void upstream_socket_destroy(void *object)
{
	struct upstream_socket *socket = object;

	timer_clear(upstream_socket_timers(socket), &socket->timer);
	mem_deref(socket->dial);
	if (socket->sockets)
		list_remove(&socket->sockets->list, &socket->link);
}

/* Frees a socket whose connection never was, or is over; cuts the others, which are freed then. */
static void upstream_socket_end(struct upstream_socket *socket)
{
	socket->handlers = NULL;
	timer_clear(upstream_socket_timers(socket), &socket->timer);
	if (socket->ws)
		ws_abort(socket->ws);
	else
		mem_deref(socket);
}

static void upstream_socket_lose(struct upstream_socket *socket, const char *why)
{
	const struct upstream_socket_handlers *handlers = socket->handlers;
	void *arg = socket->arg;

	upstream_socket_end(socket);
	if (handlers)
		handlers->lost(arg, why);
}

/* Sending */

static void upstream_socket_send_small(struct upstream_socket *socket, struct buf *message, int err)
{
	struct outgoing *outgoing = err ? NULL : outgoing_take(message);

	buf_reset(message);
	if (outgoing)
		ws_send_text(socket->ws, outgoing);
}

int upstream_socket_send(struct upstream_socket *socket, const char *bytes, size_t len,
			 uint64_t tag)
{
	struct outgoing *message = outgoing_copy(bytes, len);

	if (!message)
		return ENOMEM;
	message->tag = tag;
	ws_send_text(socket->ws, message);
	return 0;
}

void upstream_socket_drop(struct upstream_socket *socket, uint64_t tag)
{
	ws_drop(socket->ws, tag);
}

void upstream_socket_close(struct upstream_socket *socket)
{
	struct buf message;

	if (!socket)
		return;
	if (!socket->ws) {
		upstream_socket_end(socket);
		return;
	}
	socket->handlers = NULL;
	timer_clear(upstream_socket_timers(socket), &socket->timer);
	outgoing_init_buf(&message, SMALL_MAX);
	upstream_socket_send_small(socket, &message, engine_say_close(&message));
	ws_close(socket->ws, WS_CLOSE_NORMAL, NULL);
}

static void upstream_socket_on_timer(void *arg)
{
	struct upstream_socket *socket = arg;
	struct buf message;

	if (socket->is_pinged) {
		upstream_socket_lose(socket, "the server does not answer pings");
		return;
	}
	outgoing_init_buf(&message, SMALL_MAX);
	upstream_socket_send_small(socket, &message, engine_say_ping(&message));
	socket->is_pinged = true;
	timer_set(upstream_socket_timers(socket), &socket->timer, UPSTREAM_PONG_MS * UINT64_C(1000),
		  upstream_socket_on_timer, socket);
}

static void upstream_socket_wait_to_ping(struct upstream_socket *socket)
{
	socket->is_pinged = false;
	timer_set(upstream_socket_timers(socket), &socket->timer, UPSTREAM_PING_MS * UINT64_C(1000),
		  upstream_socket_on_timer, socket);
}

/* The handlers of the WebSocket */

/* What the server sends cannot be understood: it is told so, and the connection ends. */
static void upstream_socket_refuse(struct upstream_socket *socket)
{
	const struct upstream_socket_handlers *handlers = socket->handlers;
	void *arg = socket->arg;
	struct buf message;

	socket->handlers = NULL;
	timer_clear(upstream_socket_timers(socket), &socket->timer);
	outgoing_init_buf(&message, SMALL_MAX);
	upstream_socket_send_small(
		socket, &message,
		engine_say_error(&message, "The message is not one of the protocol."));
	ws_close(socket->ws, WS_CLOSE_PROTOCOL, "the message is not one of the protocol");
	handlers->lost(arg, "the server sent a message that is not one of the protocol");
}

/* A server that does not know pings is alive as long as it sends something else. */
static void upstream_socket_on_message(void *arg, char *bytes, size_t len, bool is_binary)
{
	struct upstream_socket *socket = arg;
	struct engine_answer answer;

	(void)is_binary; /* some servers send their JSON in binary frames */
	if (!socket->handlers)
		return;
	if (socket->is_pinged)
		upstream_socket_wait_to_ping(socket);
	if (engine_answer_parse(&answer, bytes, len) != 0)
		upstream_socket_refuse(socket);
	else if (answer.kind == ENGINE_ANSWER_WORDS)
		socket->handlers->answer(socket->arg, &answer);
}

static void upstream_socket_on_ending(void *arg)
{
	struct upstream_socket *socket = arg;
	const struct upstream_socket_handlers *handlers = socket->handlers;

	socket->handlers = NULL;
	timer_clear(upstream_socket_timers(socket), &socket->timer);
	if (handlers)
		handlers->lost(socket->arg, "the connection was closed by the server");
}

static void upstream_socket_on_closed(void *arg, uint16_t code)
{
	struct upstream_socket *socket = arg;
	char why[WHY_SIZE];

	snprintf(why, sizeof(why), "the connection has ended (%u)", code);
	socket->ws = NULL;
	upstream_socket_lose(socket, why);
}

static const struct ws_handlers upstream_socket_ws_handlers = {
	.message = upstream_socket_on_message,
	.ending = upstream_socket_on_ending,
	.closed = upstream_socket_on_closed,
};

/* Opening */

static void upstream_socket_on_dialed(struct ws *ws, int err, const char *why, void *arg)
{
	struct upstream_socket *socket = arg;
	struct buf message;

	if (err) {
		upstream_socket_lose(socket, why);
		return;
	}
	socket->dial = mem_deref(socket->dial);
	socket->ws = ws;
	outgoing_init_buf(&message, SMALL_MAX);
	err = engine_say_init(&message, socket->conversation_id);
	upstream_socket_send_small(socket, &message, err);
	if (err) {
		upstream_socket_lose(socket, strerror(err));
		return;
	}
	upstream_socket_wait_to_ping(socket);
	socket->handlers->opened(socket->arg);
}

/* The token comes first, because that is the one which counts if a header is repeated. */
static int upstream_socket_dial(struct upstream_socket *socket,
				const struct upstream_socket_options *options)
{
	const char *headers[UPSTREAM_HEADERS_MAX + 2] = {NULL};
	const struct ws_dial_options how = {
		.dialer = options->sockets->dialer,
		.url = options->url,
		.headers = headers,
		.timeout_ms = UPSTREAM_OPEN_MS,
		.message_max = UPSTREAM_MESSAGE_MAX,
		.handlers = &upstream_socket_ws_handlers,
	};
	int64_t now_s = clock_wall_ms() / 1000;
	char token[ENGINE_TOKEN_HEADER_SIZE];
	size_t count = 0;
	int err = 0;

	if (options->keys) {
		err = engine_token_header(token, options->keys, now_s,
					  now_s + UPSTREAM_TOKEN_LIFE_S);
		headers[count++] = token;
	}
	for (const char *const *more = options->headers; !err && more && *more; ++more) {
		if (count > UPSTREAM_HEADERS_MAX)
			err = E2BIG;
		else
			headers[count++] = *more;
	}
	if (!err)
		err = ws_dial_start(&socket->dial, &how, upstream_socket_on_dialed, socket);
	explicit_bzero(token, sizeof(token));
	return err;
}

int upstream_socket_open(struct upstream_socket **socketp,
			 const struct upstream_socket_options *options,
			 const struct upstream_socket_handlers *handlers, void *arg)
{
	struct upstream_socket *socket = mem_zalloc(sizeof(*socket), upstream_socket_destroy);
	int err;

	if (!socket)
		return ENOMEM;
	socket->sockets = options->sockets;
	socket->loop = options->sockets->loop;
	socket->handlers = handlers;
	socket->arg = arg;
	snprintf(socket->conversation_id, sizeof(socket->conversation_id), "%s",
		 options->conversation_id);
	list_append(&options->sockets->list, &socket->link);
	err = upstream_socket_dial(socket, options);
	if (err)
		mem_deref(socket);
	else
		*socketp = socket;
	return err;
}

/* All of them */

static void upstream_sockets_destroy(void *object)
{
	struct upstream_sockets *sockets = object;
	struct link *link;

	while ((link = list_first(&sockets->list))) {
		struct upstream_socket *socket = LIST_OBJECT(link, struct upstream_socket, link);

		list_remove(&sockets->list, link);
		socket->sockets = NULL;
		upstream_socket_end(socket);
	}
	mem_deref(sockets->dialer);
}

int upstream_sockets_alloc(struct upstream_sockets **socketsp, struct loop *loop, struct tls *tls)
{
	struct upstream_sockets *sockets = mem_zalloc(sizeof(*sockets), NULL);
	int err;

	if (!sockets)
		return ENOMEM;
	sockets->loop = loop;
	list_init(&sockets->list);
	err = dialer_alloc(&sockets->dialer, loop, tls);
	if (err) {
		mem_deref(sockets);
		return err;
	}
	mem_set_destructor(sockets, upstream_sockets_destroy);
	*socketsp = sockets;
	return 0;
}

struct loop *upstream_sockets_loop(const struct upstream_sockets *sockets)
{
	return sockets->loop;
}
